"""Checks Tewari with a real KataGo as its evaluator.

    tools/clients/katago.py PROGRAM KATAGO MODEL [KILLS]

1. Positions of random games, with kos, passes and prisoners, under area and territory scoring: one visit of Tewari, which
   sends the last moves, has the win rate and lead of KataGo asked with all moves of the game. Positions with a capture among
   the last five moves, other than that of a ko, are left out: Tewari does not send the captured stones.
2. An analysis that is repeated from its table file asks nothing, and does not start KataGo.
3. KILLS times (default 10) KataGo is killed during an analysis, which goes on; as often Tewari is killed: its file is clean.
4. Speed: evaluations a second and Tewari's processor time for each.
"""

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time

SIDE = 9
LETTERS = "ABCDEFGHJ"
COMMON = {"hasButton": False, "suicide": False, "friendlyPassOk": True}
RULES = {
    "chinese": {**COMMON, "ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "whiteHandicapBonus": "N"},
    "japanese": {**COMMON, "ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI", "whiteHandicapBonus": "0"},
}
PROGRAM, KATAGO, MODEL = sys.argv[1:4]
KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 10
CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "katago.cfg")
SETTINGS = "maxBoardXSizeForNNBuffer=9,maxBoardYSizeForNNBuffer=9,nnRandomize=false"
COMMAND = [KATAGO, "analysis", "-config", CONFIG, "-model", MODEL, "-override-config", SETTINGS]
EVALUATOR = shlex.join(COMMAND)
os.environ["TEWARI_CONFIG"] = "none"


class Server:
    """A process that speaks KataGo's analysis protocol."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def ask(self, query):
        self.process.stdin.write(json.dumps({"id": "x", **query}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "warning" not in answer:
                assert "error" not in answer, answer
                return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Board:
    """Stones, the point that a ko forbids, and the moves since the last capture."""

    def __init__(self):
        self.stones, self.ko, self.quiet = {}, None, 0

    def beside(self, point):
        column, row = point
        around = ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
        return [(c, r) for c, r in around if 0 <= c < SIDE and 0 <= r < SIDE]

    def chain(self, point):
        seen, open_points, liberties = {point}, [point], set()
        while open_points:
            for other in self.beside(open_points.pop()):
                if other not in self.stones:
                    liberties.add(other)
                elif self.stones[other] == self.stones[point] and other not in seen:
                    seen.add(other)
                    open_points.append(other)
        return seen, liberties

    def play(self, colour, point):
        """Plays a stone; returns False if the move is illegal, and does nothing then."""
        if point in self.stones or point == self.ko:
            return False
        self.stones[point] = colour
        others = [at for at in self.beside(point) if self.stones.get(at, colour) != colour]
        captured = {stone for at in others for stone in self.chain(at)[0] if not self.chain(at)[1]}
        taken = {stone: self.stones.pop(stone) for stone in captured}
        chain, liberties = self.chain(point)
        if not liberties:
            self.stones.update(taken)
            del self.stones[point]
            return False
        is_ko = len(captured) == len(chain) == len(liberties) == 1
        self.ko = next(iter(captured)) if is_ko else None
        self.quiet = self.quiet + 1 if is_ko or not captured else 0
        return True


def random_game(seed):
    """Returns moves of a game that ends with a ko, if one comes up in time, and the final board."""
    chance, board, moves, colour = random.Random(seed), Board(), [], "B"
    length = chance.randrange(10, 90)
    while len(moves) < length and not (board.ko and chance.random() < 0.7):
        point = (chance.randrange(SIDE), chance.randrange(SIDE))
        if chance.random() < 0.02 and not (moves and moves[-1][1] == "pass"):
            moves.append([colour, "pass"])
            board.ko = None
        elif board.play(colour, point):
            moves.append([colour, f"{LETTERS[point[0]]}{point[1] + 1}"])
        else:
            continue
        colour = "W" if colour == "B" else "B"
    # Where players agree on dead stones, a search starts without the pass before it.
    while moves[-1][1] == "pass":
        moves.pop()
    return moves, board


def compare_answers():
    tewari = Server([PROGRAM, "analysis", "--evaluator", EVALUATOR, "--table-size", "4MiB", "--threads", "1"])
    katago = Server(COMMAND)
    count, kos, worst = 0, 0, [0, 0]
    for seed in range(250):
        moves, board = random_game(seed)
        if board.quiet < 5:
            continue
        count, kos = count + len(RULES), kos + len(RULES) * (board.ko is not None)
        for name, rules in RULES.items():
            common = {"moves": moves, "komi": 6.5, "boardXSize": SIDE, "boardYSize": SIDE, "maxVisits": 1}
            settings = {"ignorePreRootHistory": False, "conservativePass": False, "reportAnalysisWinratesAs": "BLACK"}
            expected = katago.ask({**common, "rules": rules, "overrideSettings": settings})["rootInfo"]
            settings = {"reportAnalysisWinratesAs": "BLACK"}
            found = tewari.ask({**common, "rules": name, "overrideSettings": settings})["rootInfo"]
            errors = [abs(found["winrate"] - expected["rawWinrate"]), abs(found["scoreLead"] - expected["rawLead"])]
            assert errors[0] < 1e-4 and errors[1] < 0.01, (name, seed, moves, found, expected)
            worst = [max(pair) for pair in zip(worst, errors)]
    tewari.close()
    katago.close()
    print(f"answers: {count} positions agree, {kos} with a ko; largest difference {worst[0]:.1e} in win rate, {worst[1]:.1e} points")


def analyze(table, visits, evaluator=EVALUATOR):
    command = [PROGRAM, "analyze", "--size", "9", "--format", "json", "--visits", str(visits), "--table", table]
    command += ["--memory", "64MiB", "--evaluator", evaluator]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def visits_of(process):
    output, errors = process.communicate()
    assert process.returncode == 0 and not errors, (process.returncode, errors)
    return json.loads(output)["rootInfo"]["visits"]


def repeat_from_file(folder):
    table = os.path.join(folder, "repeated.tewari")
    first = visits_of(analyze(table, 300))
    started = time.time()
    again = visits_of(analyze(table, 300, shlex.join(["/nowhere/katago", "-model", MODEL])))
    assert first == again, (first, again)
    print(f"table file: {again} visits again without KataGo, after {time.time() - started:.2f} s")


def child_of(process):
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    while process.poll() is None:
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{thread}/children") as children:
                found = children.read().split()
            if found:
                return int(found[0])
        time.sleep(0.01)
    raise AssertionError(f"no evaluator: {path}")


def kill_both(folder):
    table, visits = os.path.join(folder, "killed.tewari"), 0
    for kill in range(KILLS):
        visits += 300
        process = analyze(table, visits)
        child = child_of(process)
        time.sleep(0.6 + 0.05 * (kill % 5))
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        assert visits_of(process) >= visits
        process = analyze(table, visits + 10_000)
        child_of(process)
        time.sleep(0.5 + 0.05 * (kill % 7))
        process.kill()
        process.communicate()
        verified = subprocess.run([PROGRAM, "table", "verify", table], capture_output=True, text=True)
        assert verified.returncode == 0 and "clean" in verified.stdout, verified
        again = visits_of(analyze(table, visits, shlex.join(["/nowhere/katago", "-model", MODEL])))
        assert again >= visits
        visits = again
    print(f"kills: {KILLS} of KataGo and {KILLS} of Tewari; {visits} visits kept, the file is clean")


def measure_speed():
    for side in (9, 19):
        settings = SETTINGS.replace("=9", f"={side}")
        evaluator = shlex.join(COMMAND[:-1] + [settings])
        count = 3000 if side == 9 else 1000
        command = [PROGRAM, "analyze", "--size", str(side), "--simulations", str(count), "--evaluator", evaluator]
        started, spent = time.time(), 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None:
            with open(f"/proc/{process.pid}/stat") as stat:
                fields = stat.read().rsplit(") ", 1)[1].split()
            spent = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            time.sleep(0.02)
        rate = count / (time.time() - started)
        print(f"speed: {side}x{side} {rate:.0f} simulations a second, {1000 * spent / count:.3f} ms of Tewari's own for each")


with tempfile.TemporaryDirectory() as folder:
    compare_answers()
    repeat_from_file(folder)
    kill_both(folder)
    measure_speed()
