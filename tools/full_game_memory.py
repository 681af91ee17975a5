#!/usr/bin/env python3
"""Plays a whole game of tewari against itself over GTP and checks what --memory promises.

Prints the peak of resident memory against the budget, and the simulations a second before and after the
table was full. Positions of a game differ, so the speeds are compared once more on positions that are alike:
two processes in turn search the same positions with the same seeds, one with its table emptied before each
search, the other with its table full of what is no use to it (games of another komi).

    cargo build --release
    tools/full_game_memory.py                      # 64MiB, 19x19, 10000 simulations a move: an hour at most
    tools/full_game_memory.py --memory 8MiB --size 9 --simulations 2000

Needs Linux (/proc).
"""

import argparse
import os
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
# A table this full is called full: the pool of edge blocks is, the directory has a few empty entries left.
FULL = 0.97
FILLER_KOMI = -10.5


class Engine:
    """A running engine."""

    def __init__(self, options):
        command = [options.program, "gtp", "--quiet", "--memory", options.memory, "--size", str(options.size)]
        command += ["--simulations", str(options.simulations), "--threads", str(options.threads)]
        command += ["--seed", str(options.seed), "--resign", "0"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        """Sends a command that must succeed; returns its answer."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while True:
            part = self.process.stdout.readline()
            if not part:
                sys.exit(f"{line}: the engine ended")
            if part == "\n":
                break
            answer.append(part)
        answer = "".join(answer)
        if not answer.startswith("="):
            sys.exit(f"{line}: {answer}")
        return answer[1:].strip()

    def timed(self, line):
        """The same; returns the answer and the seconds it took."""
        start = time.perf_counter()
        answer = self.ask(line)
        return answer, time.perf_counter() - start

    def table(self):
        """What tewari-table tells, by name."""
        return {name: float(value) for name, value in map(str.split, self.ask("tewari-table").splitlines())}

    def peak(self):
        """The most memory that was ever resident, in KiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def play(engine, options):
    """Plays the game; returns the seconds of each move with whether the table was full before it."""
    times = []
    passes = 0
    for number in range(options.moves):
        was_full = engine.table()["blockEvictions"] > 0
        answer, seconds = engine.timed("genmove " + "bw"[number % 2])
        passes = passes + 1 if answer.lower() == "pass" else 0
        if passes == 0:
            times.append((was_full, seconds))
        if number % 20 == 19 or passes == 2:
            occupancy = engine.table()["occupancy"]
            print(f"  {number + 1} moves: occupancy {occupancy:.3f}, peak {engine.peak()} KiB", flush=True)
        if passes == 2:
            break
    return times


def fill(engine):
    """Fills the table with games of a komi that nobody asks for again."""
    engine.ask(f"komi {FILLER_KOMI}")
    number = passes = 0
    while engine.table()["occupancy"] < FULL:
        answer = engine.ask("genmove " + "bw"[number % 2])
        passes = passes + 1 if answer.lower() == "pass" else 0
        number += 1
        if passes == 2:
            engine.ask("clear_board")
            number = passes = 0
    engine.ask("clear_board")


def compare(options):
    """Speed of the same searches with an empty and with a full table, in turn."""
    emptied, full = Engine(options), Engine(options)
    fill(full)
    seconds = {emptied: 0.0, full: 0.0}
    for number in range(options.rounds):
        for engine in (emptied, full) if number % 2 == 0 else (full, emptied):
            # A komi that was never searched: nothing in the table is of use.
            engine.ask(f"komi {number}.5")
            engine.ask(f"set_random_seed {number}")
            if engine is emptied:
                engine.ask("clear_cache")
            seconds[engine] += engine.timed("reg_genmove b")[1]
    work = options.rounds * options.simulations
    evictions = full.table()
    print(f"  table empty: {work / seconds[emptied]:.0f} simulations/s")
    print(f"  table full:  {work / seconds[full]:.0f} simulations/s", end=" ")
    print(f"({evictions['evictions']:.0f} entries and {evictions['blockEvictions']:.0f} blocks replaced)")
    print(f"  full / empty: {seconds[emptied] / seconds[full]:.3f}")
    for engine in (emptied, full):
        engine.ask("quit")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    default = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "release", "tewari")
    parser.add_argument("--program", default=default)
    parser.add_argument("--memory", default="64MiB")
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--simulations", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moves", type=int, default=600, help="end the game after so many; 0: only compare")
    parser.add_argument("--rounds", type=int, default=10, help="searches compared; 0: only play")
    options = parser.parse_args()
    budget = int(options.memory[:-3]) * UNITS[options.memory[-3:]]

    fits = True
    if options.moves > 0:
        print(f"a game on {options.size}x{options.size}, {options.simulations} simulations a move:", flush=True)
        engine = Engine(options)
        times = play(engine, options)
        for was_full in (False, True):
            chosen = [seconds for full, seconds in times if full == was_full]
            if chosen:
                speed = len(chosen) * options.simulations / sum(chosen)
                name = "after the table was full" if was_full else "before the table was full"
                print(f"  {name}: {len(chosen)} moves, {speed:.0f} simulations/s")
        for question in ("showboard", "final_status_list dead", "list_commands"):
            engine.ask(question)
        peak = engine.peak()
        fits = peak * 1024 < budget
        left = budget // 1024 - peak
        print(f"  peak resident memory {peak} KiB of {budget // 1024}: {left} KiB left")
        engine.ask("quit")
    if options.rounds > 0:
        print(f"the empty board, {options.rounds} searches each:", flush=True)
        compare(options)
    sys.exit(0 if fits else "more memory than promised")


if __name__ == "__main__":
    main()
