#!/usr/bin/env python3
"""Plays Tewari against GNU Go over GTP and keeps one row a game.

    cargo build --release
    tools/play_gnugo.py --games 100 --visits 1000 --out tools/gnugo_9x9_1000_visits.csv

Two random plies open each game (the same two for a game with colours exchanged), colours alternate, GNU Go
referees: a move it refuses is lost for its author. Games already in the file are not played again, so a run
that was cut off goes on. GNU Go 3.8 is Debian's package gnugo.
"""

import argparse
import csv
import math
import os
import random
import subprocess
import sys
import threading
import time

LETTERS = "ABCDEFGHJKLMNOPQRST"


class Engine:
    """A GTP engine in a process of its own."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.seconds, self.moves = 0.0, 0

    def ask(self, command):
        """The answer without its status; raises RuntimeError when the engine refuses or dies."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"engine died at: {command}")
            if line.strip():
                lines.append(line.rstrip("\n"))
            elif lines:
                break
        if not lines[0].startswith("="):
            raise RuntimeError(f"{command}: {lines[0]}")
        return "\n".join(lines)[1:].strip()

    def genmove(self, colour):
        start = time.monotonic()
        move = self.ask(f"genmove {colour}").lower()
        self.seconds += time.monotonic() - start
        self.moves += 1
        return move

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def play(arguments, number):
    """Plays one game; returns its row."""
    gnugo_path = "/usr/games/gnugo" if os.path.exists("/usr/games/gnugo") else "gnugo"
    tewari = Engine([arguments.tewari, "gtp", "--visits", str(arguments.visits), "--seed", str(number + 1),
                     *arguments.option])
    gnugo = Engine([gnugo_path, "--mode", "gtp", "--level", str(arguments.level), "--chinese-rules",
                    "--positional-superko", "--seed", str(number + 1)])
    both = {"b": tewari, "w": gnugo} if number % 2 == 0 else {"b": gnugo, "w": tewari}
    for engine in both.values():
        for command in (f"boardsize {arguments.size}", "clear_board", f"komi {arguments.komi}"):
            engine.ask(command)
    opening = random.Random(arguments.seed * 1_000_003 + number // 2)
    passes, plies, winner, ending = 0, 0, None, "score"
    while passes < 2 and plies < 3 * arguments.size**2:
        colour = "bw"[plies % 2]
        mover, other = both[colour], both["wb"[plies % 2]]
        if plies < 2:
            move = LETTERS[opening.randrange(arguments.size)] + str(1 + opening.randrange(arguments.size))
            try:
                mover.ask(f"play {colour} {move}")
            except RuntimeError:
                continue
        else:
            move = mover.genmove(colour)
        if move == "resign":
            winner, ending = "wb"[plies % 2], "resign"
            break
        try:
            other.ask(f"play {colour} {move}")
        except RuntimeError:
            winner, ending = "wb"[plies % 2], f"illegal {move}"
            break
        passes = passes + 1 if move == "pass" else 0
        plies += 1
    if winner is None:
        winner = gnugo.ask("final_score")[:1].lower()
    row = {"game": number, "tewari": "b" if both["b"] is tewari else "w", "winner": winner, "ending": ending,
           "plies": plies, "tewari_seconds_a_move": f"{tewari.seconds / max(1, tewari.moves):.3f}",
           "gnugo_seconds_a_move": f"{gnugo.seconds / max(1, gnugo.moves):.3f}"}
    tewari.close()
    gnugo.close()
    return row


def wilson(wins, games):
    """The 95 % interval of a proportion (Wilson 1927)."""
    if games == 0:
        return 0.0, 1.0
    z, rate = 1.959964, wins / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games**2)) / (1 + z * z / games)
    return centre - half, centre + half


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tewari", default="target/release/tewari", help="the program")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--visits", type=int, default=1000)
    parser.add_argument("--level", type=int, default=10, help="GNU Go's level")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--komi", type=float, default=6.5)
    parser.add_argument("--seed", type=int, default=1, help="of the opening plies")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--option", action="append", default=[], help="a further option for tewari gtp")
    parser.add_argument("--out", required=True, help="CSV file, one row a game")
    arguments = parser.parse_args()
    rows = []
    if os.path.exists(arguments.out):
        with open(arguments.out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    waiting = [n for n in range(arguments.games) if str(n) not in {row["game"] for row in rows}]
    lock = threading.Lock()

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                number = waiting.pop(0)
            row = play(arguments, number)
            with lock:
                is_new = not os.path.exists(arguments.out)
                with open(arguments.out, "a", newline="", encoding="utf-8") as file:
                    writer = csv.DictWriter(file, row, lineterminator="\n")
                    if is_new:
                        writer.writeheader()
                    writer.writerow(row)
                rows.append(row)
                print(f"{len(rows)} games", file=sys.stderr)

    threads = [threading.Thread(target=work) for _ in range(arguments.concurrency)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wins = sum(row["winner"] == row["tewari"] for row in rows)
    low, high = wilson(wins, len(rows))
    illegal = sum(row["ending"].startswith("illegal") for row in rows)
    print(f"{wins} of {len(rows)} games won, {100 * low:.1f}-{100 * high:.1f} % (95 %), {illegal} ended by an illegal move")


if __name__ == "__main__":
    main()
