#!/usr/bin/env python3
"""Compares the speed of two ranks of one worker with that of one process of two workers, by processor time.

    tools/cluster/ranks.py target/release/tewari SIDE SIMULATIONS PAIRS

The program must be built with the feature mpi. Both kinds run under mpirun, in turns; the processor time of a start without a
search is subtracted. The last line is the median of the ratios.
"""
import json
import os
import resource
import statistics
import subprocess
import sys

MPIRUN = (
    "mpirun --oversubscribe --bind-to none --mca btl self,vader,tcp --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo -n"
).split()
ENVIRONMENT = dict(
    os.environ, TEWARI_CONFIG="none", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"
)
# Simulations of a search that takes no time.
FEW = 50
KINDS = {
    "threads": ["1", ["--threads", "2", "--memory", "512MiB"]],
    "ranks": ["2", ["--memory", "256MiB"]],
}


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(program, kind, side, simulations, seed):
    """Returns processor time and lines of the ranks."""
    ranks, options = KINDS[kind]
    command = [*MPIRUN, ranks, program, "analyze", "--size", side, "--format", "json", "--seed", str(seed), *options]
    before = processor_time()
    done = subprocess.run(
        [*command, "--simulations", str(simulations)],
        stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, text=True, timeout=600, check=True,
    )
    assert json.loads(done.stdout)["rootInfo"]["visits"] == simulations, done.stdout
    return processor_time() - before, [line for line in done.stderr.splitlines() if line.startswith("rank ")]


def main():
    program, side, simulations, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    starts = {kind: min(run(program, kind, side, FEW, seed)[0] for seed in range(5)) for kind in KINDS}
    ratios = []
    for seed in range(1, pairs + 1):
        speeds = {}
        for kind in KINDS if seed % 2 else reversed(KINDS):
            seconds, lines = run(program, kind, side, simulations, seed)
            speeds[kind] = simulations / (seconds - starts[kind])
            print(*lines, sep="\n", end="\n" if lines else "")
        ratios.append(speeds["ranks"] / speeds["threads"])
        print(f"threads {speeds['threads']:.0f}/s, ranks {speeds['ranks']:.0f}/s, ratio {ratios[-1]:.3f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f} ({min(ratios):.3f}-{max(ratios):.3f})")


if __name__ == "__main__":
    main()
