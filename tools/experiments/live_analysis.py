"""Measures the cost of live analysis: visits with ten lines a second against none, in interleaved pairs.

    taskset -c 1 python3 tools/experiments/live_analysis.py target/release/tewari 7

Prints the median ratio of visits, the maximum time to the first line, and the maximum time from an input line to the end.
"""

import re
import statistics
import subprocess
import sys
import threading
import time

SECONDS = 3


def analyse(program, size, command):
    """Returns the visits, the seconds to the first line, and the seconds from the ending input line to the end."""
    engine = subprocess.Popen(
        [program, "gtp", "--quiet", "--memory", "512MiB"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    engine.stdin.write(f"boardsize {size}\nkomi 6.5\n")
    for _ in range(4):
        engine.stdout.readline()
    begin = time.time()
    engine.stdin.write(command + "\n")
    lines, first = [], []

    def read():
        for line in iter(engine.stdout.readline, "\n"):
            if line.startswith("info") and not first:
                first.append(time.time() - begin)
            lines.append(line)

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(SECONDS)
    engine.stdin.write("\n")
    end = time.time()
    reader.join()
    end = time.time() - end
    engine.communicate("quit\n")
    last = [line for line in lines if line.startswith("info")][-1]
    return sum(int(visits) for visits in re.findall(r"info move \S+ visits (\d+)", last)), first[0], end


def main():
    program, pairs = sys.argv[1], int(sys.argv[2])
    for size in (9, 19):
        for command, rest in (("lz-analyze", ""), ("kata-analyze", " ownership true")):
            ratios, firsts, ends = [], [], []
            for _ in range(pairs):
                visits, first, end = analyse(program, size, f"{command} b 10{rest}")
                ratios.append(visits / analyse(program, size, f"{command} b 100000{rest}")[0])
                firsts.append(first)
                ends.append(end)
            ratio, low, high = statistics.median(ratios), min(ratios), max(ratios)
            print(
                f"{size}x{size} {command}: {ratio:.3f} ({low:.3f} to {high:.3f}) of the visits, first line after"
                f" {1000 * max(firsts):.0f} ms, end after {1000 * max(ends):.0f} ms at most",
                flush=True,
            )


if __name__ == "__main__":
    main()
