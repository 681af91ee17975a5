/* Lets the Nth call of one function fail: FAIL_CALL, FAIL_AT (from 1), FAIL_ERRNO. Used with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call)
{
    static int calls;
    const char *wanted = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");
    if (!wanted || !at || !number || strcmp(wanted, call) || __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) < atoi(at))
        return 0;
    errno = atoi(number);
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    return fails("pwrite64") ? -1 : NEXT(pwrite64)(file, bytes, count, at);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t at)
{
    return fails("pread64") ? -1 : NEXT(pread64)(file, bytes, count, at);
}

int fsync(int file)
{
    return fails("fsync") ? -1 : NEXT(fsync)(file);
}

int fdatasync(int file)
{
    return fails("fdatasync") ? -1 : NEXT(fdatasync)(file);
}

int msync(void *start, size_t count, int flags)
{
    return fails("msync") ? -1 : NEXT(msync)(start, count, flags);
}
