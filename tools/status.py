#!/usr/bin/env python3
"""Compares the status of chains in finished positions with KataGo and GNU Go.

Reads diagrams as in tests/data/status/positions.txt and prints for each the statuses by the file, Tewari, GNU Go and
KataGo.

    tools/status.py FILE --tewari target/debug/tewari [--gnugo gnugo] \
        [--katago KATAGO --model MODEL.bin.gz --config ANALYSIS.cfg --visits 200]

The status by KataGo is the mean ownership of a chain after two passes (Chinese rules): alive or dead, never seki.
Columns are chains in the order of their first stones: X O alive, B W in seki, x o dead, ? in between.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

BLACK, WHITE = "XxB", "OoW"
LETTERS = "ABCDEFGHJKLMNOPQRST"
SYMBOLS = {"alive": "XO", "dead": "xo", "seki": "BW", "?": "??"}


def read(path):
    positions = []
    for line in Path(path).read_text().splitlines():
        line = line.strip()
        if line.startswith("#"):
            positions.append((line[1:].strip(), []))
        elif line:
            positions[-1][1].append(line.replace(" ", ""))
    return [(name, rows) for name, rows in positions if rows]


def colour(symbol):
    return "b" if symbol in BLACK else "w" if symbol in WHITE else None


def vertex(column, row):
    return f"{LETTERS[column]}{row + 1}"


def chains(rows):
    """The chains as lists of (column, row), row 0 at the bottom, in the order of their first stones."""
    height, width = len(rows), len(rows[0])
    at = lambda column, row: colour(rows[height - 1 - row][column])
    done, found = set(), []
    for row in range(height):
        for column in range(width):
            if at(column, row) is None or (column, row) in done:
                continue
            chain, open_ = [], [(column, row)]
            done.add((column, row))
            while open_:
                x, y = open_.pop()
                chain.append((x, y))
                for nx, ny in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                    inside = 0 <= nx < width and 0 <= ny < height
                    if inside and (nx, ny) not in done and at(nx, ny) == at(x, y):
                        done.add((nx, ny))
                        open_.append((nx, ny))
            found.append((at(column, row), sorted(chain)))
    return found


def sgf(rows, to_play):
    height = len(rows)
    point = lambda column, line: chr(97 + column) + chr(97 + line)
    setup = {"b": "AB", "w": "AW"}
    for line in range(height):
        for column, symbol in enumerate(rows[line]):
            if colour(symbol):
                setup[colour(symbol)] += f"[{point(column, line)}]"
    other = "W" if to_play == "B" else "B"
    stones = "".join(text for text in setup.values() if len(text) > 2)
    size = f"{len(rows[0])}"
    return f"(;GM[1]FF[4]SZ[{size}]RU[Chinese]KM[0]{stones}PL[{to_play}];{to_play}[];{other}[])"


def by_gtp(command, positions, to_play):
    """The status of each stone in each position, by a GTP engine."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        script = ""
        for number, (_, rows) in enumerate(positions):
            path = Path(folder) / f"{number}.sgf"
            path.write_text(sgf(rows, to_play))
            script += f"loadsgf {path}\n"
            script += "".join(f"final_status_list {status}\n" for status in ("alive", "dead", "seki"))
        done = subprocess.run(command, input=script + "quit\n", capture_output=True, text=True)
    replies = [reply for reply in done.stdout.split("\n\n") if reply.strip()]
    for number in range(len(positions)):
        statuses = {}
        for status, reply in zip(("alive", "dead", "seki"), replies[4 * number + 1 : 4 * number + 4]):
            statuses.update({stone: status for stone in reply.strip().lstrip("=").split()})
        answers.append(statuses)
    return answers


def by_katago(options, positions):
    """The mean ownership of each chain in each position, for its own colour, by number of the position and player to move."""
    queries = []
    for number, (_, rows) in enumerate(positions):
        stones = [[p, vertex(x, y)] for p, chain in chains(rows) for x, y in chain]
        for to_play in options.to_play:
            other = "W" if to_play == "B" else "B"
            queries.append({
                "id": f"{number}{to_play}", "rules": "chinese", "komi": 0,
                "boardXSize": len(rows[0]), "boardYSize": len(rows),
                "initialStones": stones, "initialPlayer": to_play,
                "moves": [[to_play, "pass"], [other, "pass"]],
                "maxVisits": options.visits, "includeOwnership": True,
            })
    largest = max(len(rows) for _, rows in positions)
    command = [options.katago, "analysis", "-model", options.model, "-config", options.config, "-override-config",
               f"maxBoardXSizeForNNBuffer={largest},maxBoardYSizeForNNBuffer={largest}"]
    text = "".join(json.dumps(query) + "\n" for query in queries)
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    means = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        number, to_play = int(answer["id"][:-1]), answer["id"][-1]
        rows = positions[number][1]
        owner = lambda x, y: answer["ownership"][(len(rows) - 1 - y) * len(rows[0]) + x]
        means[number, to_play] = [
            sum(owner(x, y) for x, y in chain) / len(chain) * (1 if p == "b" else -1) for p, chain in chains(rows)
        ]
    return means


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--tewari")
    parser.add_argument("--gnugo", default="gnugo")
    parser.add_argument("--katago")
    parser.add_argument("--model")
    parser.add_argument("--config")
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--to-play", default="B", help="players to move that KataGo is asked with, as in BW")
    parser.add_argument("--diagrams", action="store_true", help="print Tewari's statuses as a file of positions")
    options = parser.parse_args()
    positions = read(options.file)
    judges = {}
    if options.tewari:
        judges["tewari"] = by_gtp([options.tewari, "gtp"], positions, "B")
        judges["tewari W"] = by_gtp([options.tewari, "gtp"], positions, "W")
    if options.gnugo and not options.diagrams:
        gnugo = [options.gnugo, "--mode", "gtp", "--chinese-rules", "--seed", "1"]
        judges["gnugo"] = by_gtp(gnugo, positions, "B")
    sizes = {len(rows) for _, rows in positions} if options.katago else set()
    katago = {}
    for size in sorted(sizes):
        numbers = [number for number, (_, rows) in enumerate(positions) if len(rows) == size]
        for (number, to_play), means in by_katago(options, [positions[number] for number in numbers]).items():
            katago[numbers[number], to_play] = means
    for number, (name, rows) in enumerate(positions):
        found = chains(rows)
        symbol = lambda p, status: SYMBOLS[status]["bw".index(p)]
        if options.diagrams:
            board = [list("." * len(rows[0])) for _ in rows]
            for p, chain in found:
                for x, y in chain:
                    status = judges["tewari"][number].get(vertex(x, y), "?")
                    board[len(rows) - 1 - y][x] = symbol(p, status)
            print(f"# {name}\n" + "\n".join("".join(row) for row in board) + "\n")
            continue
        lines = {"file": "".join(rows[len(rows) - 1 - chain[0][1]][chain[0][0]] for _, chain in found)}
        for judge, answers in judges.items():
            first = lambda chain: vertex(*min(chain, key=lambda stone: (stone[1], stone[0])))
            lines[judge] = "".join(symbol(p, answers[number].get(first(chain), "?")) for p, chain in found)
        for to_play in options.to_play:
            if (number, to_play) in katago:
                by_mean = lambda mean: "alive" if mean > 0.4 else "dead" if mean < -0.4 else "?"
                means = katago[number, to_play]
                lines[f"katago {to_play}"] = "".join(symbol(p, by_mean(m)) for (p, _), m in zip(found, means))
        simple = lambda text: text.replace("B", "X").replace("W", "O")
        agree = len({simple(text) for text in lines.values()}) == 1
        print(f"{number + 1:2} {'  ' if agree else '!!'} {name}: " + ", ".join(f"{k} {v}" for k, v in lines.items()))


if __name__ == "__main__":
    main()
