"""Drives `tewari analysis` as KaTrain does: the command line, the queries, the termination of outdated queries."""

import json
import queue
import subprocess
import sys
import tempfile
import threading

PROGRAM = sys.argv[1]
PATIENCE = 60
HANDICAP = [["B", point] for point in ("D4", "Q16", "D16", "Q4", "K10", "D10", "Q10")]


class Engine:
    def __init__(self, config):
        # KaTrain's own arguments; the model file does not exist.
        command = [PROGRAM, "analysis", "-model", "kata1.bin.gz", "-config", config, "-analysis-threads", "2"]
        command += ["-override-config", "homeDataDir=/tmp,reportAnalysisWinratesAs=BLACK"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        self.answers = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.answers.put(json.loads(line))

    def send(self, query):
        self.process.stdin.write(json.dumps(query) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.answers.get(timeout=PATIENCE)


def query(number, moves, visits, **more):
    return {
        "id": f"QUERY:{number}", "rules": "japanese", "priority": 0, "analyzeTurns": [len(moves)], "maxVisits": visits,
        "komi": 6.5, "boardXSize": 19, "boardYSize": 19, "includeOwnership": True, "includeMovesOwnership": False,
        "includePolicy": True, "initialStones": HANDICAP, "initialPlayer": "W", "moves": moves,
        "overrideSettings": {"maxTime": 8.0, "wideRootNoise": 0.04},
    } | more


def is_warning(answer):
    return "warning" in answer


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as config:
        config.write("logDir = analysis_logs\nreportAnalysisWinratesAs = WHITE\nmaxVisits = 500\nnumSearchThreads = 8\n")
        config.flush()
        engine = Engine(config.name)
        moves = [["W", "C6"], ["B", "F3"]]
        engine.send(query(1, moves, 200))
        engine.send(query(2, moves + [["W", "R6"]], 10**9, reportDuringSearchEvery=0.05, priority=-1))
        answers = []
        while len(answers) < 4:
            answer = engine.answer()
            assert "error" not in answer, answer
            if not is_warning(answer):
                answers.append(answer)
        first = answers[0]
        assert (first["id"], first["isDuringSearch"], first["turnNumber"]) == ("QUERY:1", False, 2)
        assert len(first["ownership"]) == 361 and len(first["policy"]) == 362
        # Black has seven handicap stones; win rates and leads are Black's.
        assert first["rootInfo"]["winrate"] > 0.5 and first["rootInfo"]["scoreLead"] > 0, first["rootInfo"]
        for order, info in enumerate(first["moveInfos"]):
            assert info["order"] == order and info["pv"][0] == info["move"]
            assert {"visits", "winrate", "scoreLead", "prior"} <= info.keys()
        assert all(answer["id"] == "QUERY:2" and answer["isDuringSearch"] for answer in answers[1:])
        engine.send({"id": "T:1", "action": "terminate", "terminateId": "QUERY:2"})
        while (answer := engine.answer())["id"] != "QUERY:2" or answer["isDuringSearch"]:
            assert "error" not in answer, answer
        engine.process.stdin.close()
        engine.process.wait(timeout=PATIENCE)
    print("queries as KaTrain sends them are answered")


main()
