#!/usr/bin/env python3
"""Compares the moves that Tewari and KataGo choose with the same network and the same number of visits.

    tools/experiments/evaluated_choices.py KATAGO MODEL GAMES -- PROGRAM [ARGUMENT...]

GAMES is a folder of 9x9 games (SGF, komi 7.5, Chinese rules). KataGo searches up to 24 positions of each with 200 visits and
chooses a move; up to 1,200 with a win rate of 10 to 90 % are kept. Tewari searches each in an empty table with 200 visits and one
thread. Where the choices differ, KataGo searches the position after each with 800 visits; the difference of the win rates is the
gain of Tewari's choice. Evaluations and searches by KataGo are kept in a file, so that a second program takes a minute.
Needs socat.
"""

import glob
import json
import math
import os
import pickle
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading

SPLIT = sys.argv.index("--")
KATAGO, MODEL, GAMES = sys.argv[1:SPLIT]
PROGRAM = sys.argv[SPLIT + 1 :]
KEPT = os.path.join(tempfile.gettempdir(), "tewari-evaluated-choices.pickle")
CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "clients", "katago.cfg")
SETTINGS = "maxBoardXSizeForNNBuffer=9,maxBoardYSizeForNNBuffer=9,nnRandomize=false"
COMMAND = [KATAGO, "analysis", "-config", CONFIG, "-model", MODEL, "-override-config", SETTINGS]
GAME = {"boardXSize": 9, "boardYSize": 9, "rules": "chinese", "komi": 7.5}
SEARCH = {"wideRootNoise": 0, "ignorePreRootHistory": False, "reportAnalysisWinratesAs": "BLACK"}
os.environ["TEWARI_CONFIG"] = "none"


def start(command):
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, bufsize=1)


def load():
    if os.path.exists(KEPT):
        with open(KEPT, "rb") as file:
            return pickle.load(file)
    return {}


def search(queries, kept):
    """Returns KataGo's answers to (moves, visits), from the kept ones where possible."""
    keys = [json.dumps([MODEL, *query]) for query in queries]
    new = sorted({key for key in keys if key not in kept})
    if new:
        katago = start(COMMAND)
        for key in new:
            _, moves, visits = json.loads(key)
            query = {"id": key, **GAME, "moves": moves, "maxVisits": visits, "overrideSettings": SEARCH}
            katago.stdin.write(json.dumps(query) + "\n")
            katago.stdin.flush()
        katago.stdin.close()
        for line in katago.stdout:
            answer = json.loads(line)
            if "rootInfo" in answer:
                best = min(answer["moveInfos"], key=lambda move: move["order"])["move"] if answer["moveInfos"] else "pass"
                kept[answer["id"]] = (answer["rootInfo"]["winrate"], best)
    return [kept[key] for key in keys]


def positions(kept):
    chance, found = random.Random(7), []
    for path in sorted(glob.glob(os.path.join(GAMES, "*.sgf"))):
        with open(path, encoding="utf-8") as file:
            moves = re.findall(r";([BW])\[([a-i]{2}|)\]", file.read())
        moves = [[colour, f"{'ABCDEFGHJ'[ord(at[0]) - 97]}{105 - ord(at[1]) + 1}" if at else "pass"] for colour, at in moves]
        lengths = range(6, len(moves) - 4)
        found += [moves[:length] for length in chance.sample(lengths, min(24, len(lengths)))]
    chance.shuffle(found)
    answers = search([(moves, 200) for moves in found], kept)
    return [moves for moves, (win_rate, _) in zip(found, answers) if 0.1 < win_rate < 0.9][:1200]


class Evaluator(threading.Thread):
    """One KataGo behind a socket, and the answers that it has given."""

    def __init__(self, path, kept):
        super().__init__(daemon=True)
        self.kept, self.waiting, self.lock, self.count = kept, {}, threading.Lock(), 0
        self.katago = start(COMMAND)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        threading.Thread(target=self.read, daemon=True).start()
        self.start()

    def run(self):
        while True:
            threading.Thread(target=self.serve, args=(self.server.accept()[0],), daemon=True).start()

    def serve(self, client):
        for line in client.makefile():
            _, name, rest = re.split(r'"id":"([^"]*)"', line, maxsplit=1)
            with self.lock:
                answer = self.kept.get((MODEL, rest))
                if answer is None:
                    self.count += 1
                    self.waiting[str(self.count)] = (client, name, rest)
                    self.katago.stdin.write(f'{{"id":"{self.count}"{rest}')
            if answer is not None:
                client.sendall(answer.replace('"id":""', f'"id":"{name}"').encode())

    def read(self):
        for line in self.katago.stdout:
            found = re.search(r'"id":"([^"]*)"', line)
            client, name, rest = self.waiting.pop(found.group(1)) if found else (None, None, None)
            if client:
                answer = line.replace(found.group(0), '"id":""')
                self.kept[(MODEL, rest)] = answer
                client.sendall(answer.replace('"id":""', f'"id":"{name}"').encode())


def choices(searched, path):
    """Returns Tewari's choice in each position, by two processes."""
    evaluator = ["--evaluator", f"socat - UNIX-CONNECT:{path}", "--evaluator-name", os.path.basename(MODEL)]
    command = [PROGRAM[0], "analysis", *evaluator, "--threads", "1", "--table-size", "4MiB", *PROGRAM[1:]]
    chosen = {}

    def half(first):
        tewari = start(command)
        for number in range(first, len(searched), 2):
            for query in ({**GAME, "moves": searched[number], "maxVisits": 200}, {"action": "clear_cache"}):
                tewari.stdin.write(json.dumps({"id": str(number), **query}) + "\n")
                tewari.stdin.flush()
                answer = json.loads(tewari.stdout.readline())
                if "moveInfos" in answer:
                    chosen[number] = min(answer["moveInfos"], key=lambda move: move["order"])["move"]
        tewari.stdin.close()

    halves = [threading.Thread(target=half, args=(first,)) for first in (0, 1)]
    [thread.start() for thread in halves]
    [thread.join() for thread in halves]
    return [chosen[number] for number in range(len(searched))]


def main():
    kept = load()
    searched = positions(kept)
    katago = [best for _, best in search([(moves, 200) for moves in searched], kept)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "evaluator")
        Evaluator(path, kept)
        tewari = choices(searched, path)
    after = lambda moves, move: (moves + [["W" if moves[-1][0] == "B" else "B", move]], 800)
    different = [number for number in range(len(searched)) if tewari[number] != katago[number]]
    queries = [after(searched[number], choice[number]) for number in different for choice in (tewari, katago)]
    answers = [win_rate for win_rate, _ in search(queries, kept)]
    gains = [0.0] * len(searched)
    for number, (own, other) in zip(different, zip(answers[::2], answers[1::2])):
        gains[number] = own - other if searched[number][-1][0] == "W" else other - own
    with open(KEPT + ".new", "wb") as file:
        pickle.dump(kept, file)
    os.replace(KEPT + ".new", KEPT)
    mean = sum(gains) / len(gains)
    error = math.sqrt(sum((gain - mean) ** 2 for gain in gains)) / len(gains)
    print(f"{len(gains)} positions, {len(different)} other choices, gain {100 * mean:+.2f} ± {196 * error:.2f} % of a win")


main()
