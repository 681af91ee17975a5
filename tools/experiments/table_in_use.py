#!/usr/bin/env python3
"""Measures the cost of a snapshot, of `cp` and of `--sync` for a search in a table file. Needs an idle machine.

    cargo build --release
    tools/experiments/table_in_use.py snapshot --rounds 6 --scratch DIR    # seconds of each, and of the concurrent search
    tools/experiments/table_in_use.py sync --rounds 6 --scratch DIR        # simulations without sync, every 60 s, every 6 s

DIR is on the file system to measure, with room for three tables.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The settings of the user do not apply.
os.environ["TEWARI_CONFIG"] = "none"


def search(arguments, table, *options):
    """Searches the empty board in the table; returns the seconds and the simulations."""
    command = [arguments.tewari, "analyze", "--size", "9", "--network", "none", "--table", table, "--memory", "2GiB"]
    begin = time.monotonic()
    output = subprocess.run([*command, *options], check=True, capture_output=True, text=True).stdout
    return time.monotonic() - begin, int(re.search(r"(\d+) new", output)[1])


def beside(command, work):
    """Repeats the command until `work` ends; returns the result of `work` and the seconds of each command."""
    ended, seconds = threading.Event(), []

    def repeat():
        while not ended.is_set():
            begin = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.monotonic() - begin)

    repeating = threading.Thread(target=repeat)
    repeating.start()
    result = work()
    ended.set()
    repeating.join()
    return result, seconds


def measure_snapshot(arguments, table, copy):
    commands = {"snapshot": [arguments.tewari, "table", "snapshot", table, "-o", copy, "--force"],
                "cp": ["cp", table, copy]}
    seconds, ratios = {name: [] for name in commands}, {name: [] for name in commands}
    for _ in range(arguments.rounds):
        alone, _ = search(arguments, table, "--simulations", "250000")
        for name, command in commands.items():
            (took, _), each = beside(command, lambda: search(arguments, table, "--simulations", "250000"))
            ratios[name].append(took / alone)
            seconds[name] += each
    for name in commands:
        print(f"{name}: median {statistics.median(seconds[name]):.2f} s of {len(seconds[name])}; the search beside it "
              f"{statistics.median(ratios[name]):.2f} times as long ({min(ratios[name]):.2f} to {max(ratios[name]):.2f})")


def measure_sync(arguments, table, copy):
    cells = {"none": [], "--sync 60": ["--sync", "60"], "--sync 6": ["--sync", "6"]}
    found = {name: [] for name in cells}
    for _ in range(arguments.rounds):
        for name, options in cells.items():
            shutil.copyfile(table, copy)
            os.sync()
            found[name].append(search(arguments, copy, "--threads", "2", "--time", str(arguments.seconds), *options)[1])
    for name, counts in found.items():
        print(f"{name}: {statistics.mean(counts):.0f} simulations ({min(counts)} to {max(counts)}), "
              f"{statistics.mean(counts) / statistics.mean(found['none']):.3f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["snapshot", "sync"])
    parser.add_argument("--scratch", required=True, type=pathlib.Path, help="folder for the tables")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=20, help="of each search with --sync")
    parser.add_argument("--table-size", default="1GiB")
    parser.add_argument("--tewari", default=str(ROOT / "target" / "release" / "tewari"))
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    table, copy = (str(arguments.scratch / name) for name in ("full.tewari", "copy.tewari"))
    if not os.path.exists(table):
        search(arguments, table, "--table-size", arguments.table_size, "--simulations", "1500000", "--threads", "2",
               "--expand-at", "1", "--playout-policy", "light")
    (measure_snapshot if arguments.what == "snapshot" else measure_sync)(arguments, table, copy)


if __name__ == "__main__":
    main()
