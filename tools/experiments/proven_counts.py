"""Compares the counts of random boards with what searches prove.

    python tools/experiments/proven_counts.py PROGRAM SIDE BOARDS SEED VISITS

A count is contradicted if searches of VISITS visits prove, for each player to move first, that the result is at least
DISTANCE points away from it on the same side. Chinese rules. Prints the contradicted boards, then the sums.
"""

import json
import random
import subprocess
import sys

DISTANCE = 2.5
RULES = "chinese"
COLUMNS = "ABCDEFGHJKLMNOPQRST"
STONES = ".XO"
WEIGHTS = (3, 5, 5)


def neighbours(side, point):
    column, row = point % side, point // side
    beside = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    return [y * side + x for x, y in beside if 0 <= x < side and 0 <= y < side]


def has_liberties(side, board):
    seen = set()
    for start in range(side * side):
        if board[start] == "." or start in seen:
            continue
        chain, found = [start], False
        seen.add(start)
        for point in chain:
            for beside in neighbours(side, point):
                found |= board[beside] == "."
                if board[beside] == board[start] and beside not in seen:
                    seen.add(beside)
                    chain.append(beside)
        if not found:
            return False
    return True


def random_boards(side, count, seed):
    source = random.Random(seed)
    while count > 0:
        board = "".join(source.choices(STONES, WEIGHTS, k=side * side))
        if has_liberties(side, board):
            count -= 1
            yield board


def stones(side, board):
    at = lambda point: f"{COLUMNS[point % side]}{side - point // side}"
    return [[" BW"[STONES.index(symbol)], at(point)] for point, symbol in enumerate(board) if symbol != "."]


def counts(program, side, boards):
    """Returns Black's points by board and player to move."""
    lines = [f"boardsize {side}", "komi 0"]
    for board in boards:
        for player in "BW":
            setup = " ".join(f"{colour} {vertex}" for colour, vertex in stones(side, board))
            lines += ["clear_board", f"gogui-setup {setup}", f"gogui-setup_player {player}", "final_score"]
    command = [program, "gtp", "--quiet", "--rules", RULES, "--table-size", "16MiB", "--seed", "1"]
    text = "\n".join([*lines, "quit"]) + "\n"
    answers = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    scores = [answer[1:].strip() for answer in answers.split("\n\n")[5:-1:4]]
    points = [0.0 if score == "0" else float(score[2:]) * (1 if score[0] == "B" else -1) for score in scores]
    keys = [(board, player) for board in boards for player in "BW"]
    return dict(zip(keys, points, strict=True))


def query(side, board, first, komi, visits):
    return {
        "id": f"{board} {first} {komi}",
        "initialStones": stones(side, board),
        "initialPlayer": first,
        "moves": [],
        "rules": RULES,
        "komi": komi,
        "boardXSize": side,
        "boardYSize": side,
        "maxVisits": visits,
    }


def proven_winners(program, queries):
    command = [program, "analysis", "--override-config", "reportAnalysisWinratesAs=BLACK", "--table-size", "64MiB"]
    text = "".join(json.dumps(one) + "\n" for one in queries)
    answers = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    roots = {answer["id"]: answer["rootInfo"] for answer in map(json.loads, answers.splitlines())}
    return {key: "B" if root["winrate"] > 0.5 else "W" for key, root in roots.items() if root["proven"]}


def main():
    program, (side, count, seed, visits) = sys.argv[1], map(int, sys.argv[2:6])
    boards = list(dict.fromkeys(random_boards(side, count, seed)))
    counted = counts(program, side, boards)
    sides = [(DISTANCE, "B"), (-DISTANCE, "W")]
    bounds = [(key, value + distance, winner) for key, value in counted.items() for distance, winner in sides]
    asked = {(board, first, komi) for (board, _), komi, _ in bounds for first in "BW"}
    winners = proven_winners(program, [query(side, *one, visits) for one in sorted(asked)])
    proven = contradicted = 0
    for (board, player), komi, winner in bounds:
        found = [winners.get(f"{board} {first} {komi}") for first in "BW"]
        proven += None not in found
        if found == [winner, winner]:
            contradicted += 1
            rows = "/".join(board[at : at + side] for at in range(0, side * side, side))
            print(f"{rows} {player} to move: {counted[board, player]:+}, but {winner} wins with komi {komi}")
    print(f"{len(boards)} boards, {proven} bounds proven for both first players, {contradicted} contradicted")


if __name__ == "__main__":
    main()
