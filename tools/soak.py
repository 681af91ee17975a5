#!/usr/bin/env python3
"""Plays thousands of games in one table file, by processes that start and end, and checks the file during the run.

    cargo build --release
    tools/soak.py --total 1e9 --scratch DIR            # may be stopped at any moment; the same command continues
    tools/soak.py --chart                              # draws the rows (needs matplotlib)

Each process plays games against itself in the shared file, with one thread or two, for a random number of moves; then
it quits, or is killed during a search. A referee, a process without a table file, repeats its moves and refuses illegal
ones. Every --every simulations a row is written: the results of `tewari table verify` and `tewari table info` while
others search, the maximum memory of a process besides the file, and the speed since the last row. An error ends the run
with a line that describes it: a fault, an illegal move, a process that ends by itself, memory that grows.

Rows are kept in tools/experiments/soak.csv, the table file in --scratch. A run with rows but without a file begins a
new file and continues the counts.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ROOT / "tools" / "experiments" / "soak.csv"
COLUMNS = ["simulations", "games", "processes", "killed", "seconds", "per_second", "entries", "entries_used", "blocks",
           "blocks_used", "orphans", "unfinished", "void_bounds", "own_memory_kib"]
# Maximum growth of a process after its first move: buffers are made when they are first needed.
MOST_GROWTH_KIB = 4096
KILLED_SHARE = 0.2

# The settings of the user do not apply.
os.environ["TEWARI_CONFIG"] = "none"


class Wrong(Exception):
    """An error that ends the run; the text describes it."""


class Gtp:
    """A GTP process. Counts the simulations that it reports on standard error."""

    def __init__(self, arguments, options):
        command = [arguments.tewari, "gtp", "--network", "none", "--size", str(arguments.size), *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True)
        self.simulations = 0
        self.said = []
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            found = re.match(r"(\d+) simulations,", line)
            self.simulations += int(found[1]) if found else 0

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        while answer and self.process.stdout.readline().strip():
            pass
        if not answer.startswith("="):
            raise Wrong(f"{command}: expected an answer, found {answer!r} {' '.join(self.said[-3:])}")
        return answer[1:].strip()

    def own_memory_kib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"RssAnon:\s+(\d+)", status)
        if found is None:
            raise Wrong(f"a process ended by itself: {' '.join(self.said[-3:])}")
        return int(found[1])

    def end(self, kill=False):
        if kill:
            self.process.kill()
        else:
            self.ask("quit")
        code = self.process.wait()
        self.listener.join()
        if code != (-9 if kill else 0):
            raise Wrong(f"expected a process to end well, found {code}: {' '.join(self.said[-3:])}")


class Soak:
    """The state shared by all players."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.table = pathlib.Path(arguments.scratch) / f"soak-{arguments.size}.tewari"
        self.lock = threading.Lock()
        self.totals = dict.fromkeys(COLUMNS[:5], 0)
        if ROWS.exists():
            last = list(csv.DictReader(ROWS.open(encoding="utf-8")))[-1:]
            self.totals.update({name: float(last[0][name]) for name in self.totals} if last else {})
        self.memory, self.wrong, self.stop = 0, None, False

    def add(self, **counts):
        with self.lock:
            for name, count in counts.items():
                self.totals[name] += count

    def play(self, number):
        """Runs one player process after another."""
        rng = random.Random(f"{number} {self.totals['simulations']}")
        try:
            while not self.stop:
                self.one_process(rng)
        except Exception as wrong:  # pylint: disable=broad-exception-caught
            # After any error the run must not continue.
            self.wrong, self.stop = wrong, True

    def one_process(self, rng):
        arguments = self.arguments
        player = Gtp(arguments, ["--table", str(self.table), "--table-size", arguments.table_size, "--simulations",
                                 str(arguments.simulations), "--playout-policy", "light", "--threads", str(rng.choice([1, 1, 2])), "--seed",
                                 str(rng.randrange(2**32))])
        referee = Gtp(arguments, ["--table-size", "1MiB", "--simulations", "1"])
        moves_left, counted, first_memory = rng.randrange(20, 400), 0, None
        while moves_left > 0 and not self.stop:
            for engine in (player, referee):
                engine.ask("clear_board")
            passes = ply = 0
            while passes < 2 and ply < 3 * arguments.size**2 and moves_left > 0 and not self.stop:
                colour = "bw"[ply % 2]
                # The first moves make games differ.
                move = self.opening_move(rng, player, colour) if ply < 4 else player.ask(f"genmove {colour}")
                if move.lower() == "resign":
                    break
                referee.ask(f"play {colour} {move}")
                passes = passes + 1 if move.lower() == "pass" else 0
                ply, moves_left = ply + 1, moves_left - 1
                now = player.simulations
                self.add(simulations=now - counted)
                counted = now
                memory = player.own_memory_kib()
                first_memory = first_memory or memory
                if memory > first_memory + MOST_GROWTH_KIB:
                    raise Wrong(f"a process grew from {first_memory} to {memory} KiB")
                self.memory = max(self.memory, memory)
            self.add(games=moves_left > 0)
        is_killed = rng.random() < KILLED_SHARE and not self.stop
        if is_killed:
            player.process.stdin.write("genmove b\n")
            player.process.stdin.flush()
            time.sleep(rng.random() * 0.1)
        player.end(is_killed)
        referee.end()
        self.add(processes=1, killed=is_killed)

    def opening_move(self, rng, player, colour):
        columns = "ABCDEFGHJKLMNOPQRST"[: self.arguments.size]
        while True:
            move = rng.choice(columns) + str(rng.randrange(1, self.arguments.size + 1))
            if player.ask(f"is_legal {colour} {move}") == "1":
                player.ask(f"play {colour} {move}")
                return move

    def row(self, since, seconds_before):
        """Checks the file while it is in use; returns the row."""
        verify = subprocess.run([self.arguments.tewari, "table", "verify", self.table], capture_output=True, text=True,
                                check=False)
        if verify.returncode != 0:
            raise Wrong(f"table verify: {verify.stdout} {verify.stderr}")
        info = subprocess.run([self.arguments.tewari, "table", "info", self.table, "--format", "json"],
                              capture_output=True, text=True, check=True)
        info = json.loads(info.stdout)
        if info["faults"] != 0:
            raise Wrong(f"table info: {info}")
        with self.lock:
            totals = dict(self.totals)
        passed = time.monotonic() - since[1]
        totals["seconds"] = seconds_before + passed
        rate = (totals["simulations"] - since[0]) / passed
        memory, self.memory = self.memory, 0
        return {**{name: round(total) for name, total in totals.items()}, "per_second": round(rate),
                "entries": info["entries"], "entries_used": info["entriesUsed"], "blocks": info["blocks"],
                "blocks_used": info["blocksUsed"], "orphans": info["orphans"],
                "unfinished": info["unfinishedEntries"] + info["unfinishedBlocks"], "void_bounds": info["voidBounds"],
                "own_memory_kib": memory}

    def run(self):
        players = [threading.Thread(target=self.play, args=[number]) for number in range(self.arguments.processes)]
        for player in players:
            player.start()
        is_new = not ROWS.exists()
        with ROWS.open("a", newline="", encoding="utf-8") as file:
            rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if is_new:
                rows.writeheader()
            try:
                self.watch(rows, file)
            except KeyboardInterrupt:
                print("stopped; the same command goes on", file=sys.stderr)
            except Exception as wrong:  # pylint: disable=broad-exception-caught
                self.wrong = wrong
            finally:
                self.stop = True
                for player in players:
                    player.join()
        return self.wrong

    def watch(self, rows, file):
        while not self.stop and self.totals["simulations"] < self.arguments.total:
            since = self.totals["simulations"], time.monotonic()
            while not self.stop and self.totals["simulations"] < since[0] + self.arguments.every:
                time.sleep(0.5)
            if not self.stop:
                row = self.row(since, self.totals["seconds"])
                self.totals["seconds"] = row["seconds"]
                rows.writerow(row)
                file.flush()
                print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr, flush=True)


def draw(path):
    """Draws speed, occupancy and memory against simulations."""
    import matplotlib.pyplot as pyplot

    rows = list(csv.DictReader(ROWS.open(encoding="utf-8")))
    column = {name: [float(row[name]) for row in rows] for name in COLUMNS}
    millions = [count / 1e6 for count in column["simulations"]]

    def share(part, whole):
        return [100 * one / other for one, other in zip(column[part], column[whole])]

    figure, (speed, occupancy, memory) = pyplot.subplots(3, sharex=True, figsize=(8, 7), layout="constrained")
    speed.plot(millions, [rate / 1000 for rate in column["per_second"]])
    speed.set_ylabel("thousand simulations/s")
    occupancy.plot(millions, share("entries_used", "entries"), label="entries")
    occupancy.plot(millions, share("blocks_used", "blocks"), label="edge blocks")
    occupancy.set_ylabel("in use, %")
    occupancy.legend(loc="lower right")
    memory.plot(millions, [kib / 1024 for kib in column["own_memory_kib"]])
    memory.set_ylabel("MiB a process, at most,\nbesides the file")
    memory.set_xlabel("million simulations")
    for axes in (speed, occupancy, memory):
        axes.set_ylim(bottom=0)
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--total", type=float, default=1e9, help="simulations in all, those of earlier runs included")
    add("--every", type=float, default=5e6, help="simulations from row to row")
    add("--size", type=int, default=7)
    add("--table-size", default="64MiB")
    add("--simulations", type=int, default=5000, help="simulations a move")
    add("--processes", type=int, default=3, help="players at a time")
    add("--scratch", default=str(ROOT / "target" / "experiments"), help="folder of the table file")
    add("--tewari", default=str(ROOT / "target" / "release" / "tewari"), help="the program")
    add("--chart", action="store_true", help="draw tools/experiments/soak.svg from the rows, and end")
    arguments = parser.parse_args()
    if arguments.chart:
        draw(ROWS.with_suffix(".svg"))
        return
    os.makedirs(arguments.scratch, exist_ok=True)
    wrong = Soak(arguments).run()
    if wrong:
        sys.exit(f"wrong: {wrong}")


if __name__ == "__main__":
    main()
