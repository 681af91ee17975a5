//! This process, and the processes that it starts.
//!
//! `unsafe` is allowed for a call that no crate in use has.

#![allow(unsafe_code)]

use super::linux_text;
use std::process::{Child, ChildStdin, Command};
use std::time::Duration;

/// Returns the processor time of this process with its threads; `None` on Windows.
pub(crate) fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    {
        None
    }
}

/// Makes writes beyond the limit of file sizes (`ulimit -f`) return errors, instead of killing this process and those that it
/// starts. Linux only.
pub(crate) fn return_file_size_errors() {
    #[cfg(target_os = "linux")]
    // SAFETY: the signal is ignored, so that no handler runs in this program; the call has no other effect.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Asks for the use of the tile registers of AMX by this process, and returns true if it is granted. Linux only; false elsewhere.
#[cfg(target_arch = "x86_64")]
pub(crate) fn allow_tile_registers() -> bool {
    #[cfg(target_os = "linux")]
    {
        /// `ARCH_REQ_XCOMP_PERM` and `XFEATURE_XTILEDATA`: Linux, Documentation/arch/x86/xstate.rst.
        const REQUEST: libc::c_ulong = 0x1023;
        const TILE_DATA: libc::c_ulong = 18;
        // SAFETY: the arguments are numbers, and the call changes nothing but the permission of this process.
        unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST, TILE_DATA) == 0 }
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

/// Returns a text that changes with every start of the machine. Linux only; `None` elsewhere.
pub(crate) fn boot_id() -> Option<String> {
    linux_text("/proc/sys/kernel/random/boot_id")
}

/// Returns the peak resident memory of a process in KiB. Linux only; `None` elsewhere.
pub(crate) fn peak_resident_kib(id: u32) -> Option<u64> {
    let status = linux_text(format!("/proc/{id}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the processor time of a process's current threads: the first number of each `schedstat`, in nanoseconds. Threads
/// that have ended are not included. Linux only; `None` elsewhere.
pub(crate) fn cpu_time_of_threads(id: u32) -> Option<Duration> {
    linux_text(format!("/proc/{id}/schedstat"))?;
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let nanoseconds = threads.flatten().filter_map(|thread| {
        let text = linux_text(thread.path().join("schedstat"))?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Some(Duration::from_nanos(nanoseconds.sum()))
}

/// Puts a process to be started into its own group, so that Ctrl-C in the terminal does not reach it.
pub(crate) fn separate(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        /// `CREATE_NEW_PROCESS_GROUP` of the Windows API.
        const NEW_PROCESS_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, NEW_PROCESS_GROUP);
    }
}

/// Enlarges the pipe to a process as far as the system allows, and returns the bytes that fit into it in any case.
pub(crate) fn enlarge_pipe(pipe: &ChildStdin) -> usize {
    /// Bytes that fit into a pipe on every system: the smallest pipe has 16 KiB.
    const SMALLEST: usize = 12 << 10;
    /// Bytes of the largest pipe that Linux allows without privileges.
    #[cfg(target_os = "linux")]
    const LARGEST: usize = 1 << 20;
    #[cfg(target_os = "linux")]
    {
        use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
        let size = fcntl_setpipe_size(pipe, LARGEST).or_else(|_| fcntl_getpipe_size(pipe));
        // A write that does not fit into the rest of a page takes a new page: up to half of each page stays empty.
        size.map_or(SMALLEST, |size| size / 2)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pipe;
        SMALLEST
    }
}

/// Returns true if a process has ended. On Unix its number is not reused before [`Child::wait`].
pub(crate) fn has_ended(child: &mut Child) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(Some(_)))
    }
    #[cfg(not(unix))]
    {
        matches!(child.try_wait(), Ok(Some(_)))
    }
}

/// Kills a process that was [separated](separate) and not yet waited for. On Unix the processes that it started are in its
/// group and are killed too; on Windows they continue.
pub(crate) fn kill_group(child: &mut Child) {
    // Fails only if no process is left.
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    #[cfg(not(unix))]
    let _ = child.kill();
}
