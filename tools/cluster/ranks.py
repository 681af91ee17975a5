#!/usr/bin/env python3
"""Compares the speed of two ranks of one worker with that of one process of two workers, by processor time.

    tools/cluster/ranks.py target/release/tewari SIDE SIMULATIONS PAIRS

The program must be built with the feature mpi. Both kinds run under mpirun and search the empty board in turns; the processor
time of their starts does not count. Prints the simulations of a second of processor time and what the ranks exchanged; the last
line is the median of the ratios. For Linux.
"""
import os
import statistics
import subprocess
import sys
import tempfile

MPIRUN = (
    "mpirun --oversubscribe --bind-to none --mca btl self,vader,tcp --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo -n"
).split()
ENVIRONMENT = dict(
    os.environ, TEWARI_CONFIG="none", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"
)
KINDS = {
    "threads": (1, ["--threads", "2", "--memory", "512MiB"]),
    "ranks": (2, ["--memory", "256MiB"]),
}


class Session:
    def __init__(self, kind, program, side, simulations):
        self.simulations = simulations
        ranks, options = KINDS[kind]
        self.errors = tempfile.TemporaryFile("w+")
        command = [*MPIRUN, str(ranks), program, "gtp", "--size", side, "--simulations", str(simulations), *options]
        self.mpirun = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=ENVIRONMENT, text=True
        )
        self.ask("name")
        self.processes = [
            number
            for number in filter(str.isdigit, os.listdir("/proc"))
            if self.fields(number)[1:2] == [str(self.mpirun.pid)]
        ]
        assert len(self.processes) == ranks, self.processes

    @staticmethod
    def fields(process):
        """Returns the fields of a process's statistics behind its name; none if it has ended."""
        try:
            with open(f"/proc/{process}/stat") as file:
                return file.read().rpartition(")")[2].split()
        except OSError:
            return []

    def ask(self, command):
        self.mpirun.stdin.write(command + "\n")
        self.mpirun.stdin.flush()
        answer = self.mpirun.stdout.readline()
        assert answer.startswith("="), (command, answer)
        while self.mpirun.stdout.readline().strip():
            pass

    def processor_time(self):
        ticks = [sum(int(field) for field in self.fields(process)[11:13]) for process in self.processes]
        return sum(ticks) / os.sysconf("SC_CLK_TCK")

    def speed(self):
        self.ask("clear_cache")
        before = self.processor_time()
        self.ask("genmove b")
        used = self.processor_time() - before
        self.ask("clear_board")
        return self.simulations / used

    def end(self):
        self.ask("quit")
        self.mpirun.wait()
        self.errors.seek(0)
        print(*(line for line in self.errors if line.startswith("rank ")), sep="", end="")


def main():
    program, side, simulations, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    sessions = {kind: Session(kind, program, side, simulations) for kind in KINDS}
    ratios = []
    for pair in range(pairs):
        order = list(KINDS) if pair % 2 == 0 else list(reversed(KINDS))
        speeds = {kind: sessions[kind].speed() for kind in order}
        ratios.append(speeds["ranks"] / speeds["threads"])
        print(f"threads {speeds['threads']:.0f}/s, ranks {speeds['ranks']:.0f}/s, ratio {ratios[-1]:.3f}", flush=True)
    for session in sessions.values():
        session.end()
    print(f"median ratio {statistics.median(ratios):.3f} ({min(ratios):.3f}-{max(ratios):.3f})")


if __name__ == "__main__":
    main()
