"""Compares final_score with the recorded results of counted games.

Usage: counted_games.py PROGRAM RECORDS [--rules RULES] [--first N] [--last N]

RECORDS is a text file, plain or compressed by gzip, with one game on 19x19 a line: date, result, komi, and the moves as two letters each,
`..` for a pass, Black first. Games without a count (resignation, time) are left out. Prints a line for each game with another score,
then how many agree. `PROGRAM` speaks GTP; `gnugo --mode gtp --japanese-rules` is one word, too.
"""

import argparse
import gzip
import re
import shlex
import subprocess

SIZE = 19
SGF = "abcdefghijklmnopqrs"
COLUMNS = "ABCDEFGHJKLMNOPQRST"


def games(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for _, result, komi, *moves in map(str.split, lines):
            if re.match(r"[BW]\+\d", result):
                text = "".join(moves)
                yield result, komi, [text[at : at + 2] for at in range(0, len(text), 2)]


def vertex(move):
    return "pass" if move == ".." else f"{COLUMNS[SGF.index(move[0])]}{SIZE - SGF.index(move[1])}"


def score(result):
    points = re.fullmatch(r"([BW])\+([\d.]+)", result)
    return (1 if points[1] == "B" else -1) * float(points[2]) if points else 0.0


def final_score(command, komi, moves):
    last_passes = 2 if moves[-2:] == ["..", ".."] else int(moves[-1:] == [".."])
    moves = [vertex(move) for move in moves] + ["pass"] * (2 - last_passes)
    lines = [f"boardsize {SIZE}", f"komi {komi}"]
    lines += [f"play {'bw'[at % 2]} {move}" for at, move in enumerate(moves)]
    text = "\n".join([*lines, "final_score", "quit"]) + "\n"
    answers = subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout
    return re.findall(r"^= *([BW]\+[\d.]+|0)\s*$", answers, re.MULTILINE)[-1]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("records")
    arguments.add_argument("--rules", default="japanese")
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--last", type=int)
    chosen = arguments.parse_args()
    command = shlex.split(chosen.program)
    if len(command) == 1:
        command += ["gtp", "--quiet", "--rules", chosen.rules, "--table-size", "16MiB", "--seed", "1"]
    equal = winners = count = 0
    for number, (result, komi, moves) in enumerate(list(games(chosen.records))[chosen.first : chosen.last], chosen.first):
        found = score(final_score(command, komi, moves))
        count += 1
        equal += found == score(result)
        winners += found * score(result) > 0
        if found != score(result):
            print(f"game {number}: recorded {score(result):+.1f}, found {found:+.1f}", flush=True)
    print(f"{count} games, {equal} scores and {winners} winners as recorded")


if __name__ == "__main__":
    main()
