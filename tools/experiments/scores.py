"""Measures the variation and the error of the leads in analyses.

    python3 tools/experiments/scores.py positions target/release/tewari 9 50 > 9x9.jsonl
    python3 tools/experiments/scores.py positions target/release/tewari 19 50 games.txt.gz > 19x19.jsonl
    python3 tools/experiments/scores.py seeds PROGRAM 9x9.jsonl [POSITIONS]
    python3 tools/experiments/scores.py first PROGRAM 9x9.jsonl
    python3 tools/experiments/scores.py truth PROGRAM 9x9.jsonl [VISITS]
    python3 tools/experiments/scores.py finish PROGRAM 9x9.jsonl VISITS GAMES > 9x9-ends.jsonl
    python3 tools/experiments/scores.py ends PROGRAM 9x9-ends.jsonl [VISITS]

`positions`: middle-game positions, from games of the program against itself or from a file with a game a line (date,
result, komi, moves). `seeds`: standard deviation of the leads of the root and of the three best moves over ten seeds, at
200 simulations, and their maximum change if the query is repeated. `first`: points lost by the first choice at 500
visits, with the position after it analysed at 500 visits. `truth`: mean error against 20,000 simulations of the same
program. `finish`: plays positions to their end. `ends`: mean error against the final scores. Each prints one CSV row.
"""

import gzip
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

LETTERS = "ABCDEFGHJKLMNOPQRST"


class Server:
    """The program as an analysis server."""

    def __init__(self, program, *options):
        command = [program, "analysis", "--threads", "1", "--memory", "256MiB", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, position, visits, moves=()):
        query = {
            "id": "q",
            "moves": [*position["moves"], *moves],
            "rules": "chinese",
            "komi": position["komi"],
            "boardXSize": position["size"],
            "boardYSize": position["size"],
            "maxVisits": visits,
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"},
        }
        self.process.stdin.write(json.dumps(query) + "\n")
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "rootInfo" in answer:
                return answer

    def clear(self):
        self.process.stdin.write('{"id":"c","action":"clear_cache"}\n')
        self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Gtp:
    """The program as a player."""

    def __init__(self, program, *options):
        command = [program, "gtp", "--quiet", "--threads", "1", "--memory", "256MiB", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def __call__(self, command):
        self.process.stdin.write(command + "\n")
        lines = []
        while (line := self.process.stdout.readline()) not in ("\n", ""):
            lines.append(line)
        return "".join(lines)[1:].strip()


def to_play(moves):
    return "w" if moves and moves[-1][0].lower() == "b" else "b"


def play(gtp, moves, until):
    while len(moves) < until and not (len(moves) > 1 and moves[-1][1] == moves[-2][1] == "pass"):
        move = gtp(f"genmove {to_play(moves)}")
        if move == "resign":
            break
        moves.append([to_play(moves), move])
    return moves


def positions(program, size, count, games=None):
    size, count, rng = int(size), int(count), random.Random(1)
    if games:
        lines = [line.split() for line in gzip.open(games, "rt")]
        lines = [line for line in lines if len(line) == 4 and len(line[3]) > 340]
        for line in rng.sample(lines, count):
            length = rng.randrange(50, 150)
            points = [line[3][at : at + 2] for at in range(0, 2 * length, 2)]
            moves = [["bw"[at % 2], vertex(point, size)] for at, point in enumerate(points)]
            print(json.dumps({"size": size, "komi": 7.5, "moves": moves}))
        return
    for seed in range(count):
        gtp = Gtp(program, "--simulations", "60", "--resign", "0", "--seed", str(seed))
        gtp(f"boardsize {size}")
        gtp("komi 7.5")
        moves = []
        for _ in range(3):
            points = [f"{LETTERS[x]}{y + 1}" for x in range(2, size - 2) for y in range(2, size - 2)]
            point = rng.choice([point for point in points if all(point != move for _, move in moves)])
            gtp(f"play {to_play(moves)} {point}")
            moves.append([to_play(moves), point])
        moves = play(gtp, moves, rng.randrange(size * size // 6, size * size // 2))
        print(json.dumps({"size": size, "komi": 7.5, "moves": [move for move in moves if move[1] != "pass"]}), flush=True)
        gtp("quit")


def vertex(point, size):
    return f"{LETTERS[ord(point[0]) - 97]}{size - ord(point[1]) + 97}"


def read(file):
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def lead(answer):
    return answer["rootInfo"]["scoreLead"]


def seeds(program, file, count=12):
    roots, firsts, again = [], [], []
    for position in read(file)[: int(count)]:
        answers = []
        for seed in range(1, 11):
            server = Server(program, "--seed", str(seed))
            answers.append(server.ask(position, 200))
            if seed == 1:
                second = server.ask(position, 200)
                moves = {info["move"]: info["scoreLead"] for info in second["moveInfos"]}
                again.append(abs(lead(second) - lead(answers[0])))
                again += [
                    abs(info["scoreLead"] - moves[info["move"]])
                    for info in answers[0]["moveInfos"][:3]
                    if info["move"] in moves
                ]
            server.close()
        roots.append(statistics.pstdev(map(lead, answers)))
        best = [info["move"] for info in answers[0]["moveInfos"][:3]]
        for move in best:
            leads = [info["scoreLead"] for answer in answers for info in answer["moveInfos"] if info["move"] == move]
            if len(leads) > 4:
                firsts.append(statistics.pstdev(leads))
    print(
        f"seeds,{Path(file).stem},{len(roots)},root mean {statistics.mean(roots):.2f} max {max(roots):.2f},"
        f"best moves mean {statistics.mean(firsts):.2f} max {max(firsts):.2f},again max {max(again):.2f}"
    )


def first(program, file):
    losses, server = [], Server(program)
    for position in read(file):
        server.clear()
        before = server.ask(position, 500)
        move = [to_play(position["moves"]), before["moveInfos"][0]["move"]]
        after = server.ask(position, 500, [move])
        sign = 1 if move[0] == "b" else -1
        losses.append(sign * (lead(before) - lead(after)))
    many = sum(loss >= 3 for loss in losses)
    print(
        f"first,{Path(file).stem},{len(losses)},3 points or more {many},mean {statistics.mean(losses):.2f},"
        f"mean of losses {statistics.mean(max(loss, 0) for loss in losses):.2f},max {max(losses):.2f}"
    )


def truth(program, file, visits=500):
    errors, server = [], Server(program)
    for position in read(file):
        server.clear()
        few = server.ask(position, int(visits))
        many = server.ask(position, 20_000)
        errors.append(abs(lead(few) - lead(many)))
    print(f"truth,{Path(file).stem},{visits},{len(errors)},mean error {statistics.mean(errors):.2f},max {max(errors):.2f}")


def finish(program, file, visits, games):
    found, rng = read(file), random.Random(2)
    for number in range(int(games)):
        position = found[number % len(found)]
        size = position["size"]
        gtp = Gtp(program, "--simulations", str(visits), "--resign", "0", "--seed", str(number))
        for command in (f"boardsize {size}", f"komi {position['komi']}"):
            gtp(command)
        for colour, point in position["moves"]:
            gtp(f"play {colour} {point}")
        play(gtp, [list(move) for move in position["moves"]], 3 * size * size)
        result = gtp("final_score")
        gtp("quit")
        score = 0.0 if result[:1] == "0" else (1 if result[0] == "B" else -1) * float(result[2:])
        print(json.dumps({**position, "end": score}), flush=True)


def ends(program, file, visits=500):
    server, leads, errors = Server(program), {}, []
    for position in read(file):
        key = json.dumps(position["moves"])
        if key not in leads:
            server.clear()
            leads[key] = lead(server.ask(position, int(visits)))
        errors.append(abs(leads[key] - position["end"]))
    print(f"ends,{Path(file).stem},{visits},{len(errors)},mean error {statistics.mean(errors):.2f}")


if __name__ == "__main__":
    commands = (positions, seeds, first, truth, finish, ends)
    {command.__name__: command for command in commands}[sys.argv[1]](*sys.argv[2:])
