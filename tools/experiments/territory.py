"""Plays games under Japanese rules, and compares the winners by the engine and by GNU Go.

    python tools/experiments/territory.py PROGRAM OPENINGS self|gnugo [GAMES] [SIMULATIONS]

PROGRAM is the engine, OPENINGS a file of 9x9 openings for matches. The engine plays itself, or GNU Go at level 10 with
colours exchanged in each pair of games. Prints one line a game, then the sums. A move of the engine fills own territory
if GNU Go would pass in the same position and counts the point as territory of the engine.
"""

import json
import subprocess
import sys

MAX_MOVES = 250
FIRST_ENDING_MOVE = 30


class Controller:
    """A GTP engine that answers one command at a time."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while line := self.process.stdout.readline():
            if line.strip():
                lines.append(line.strip())
            elif lines:
                break
        return " ".join(lines).lstrip("=").strip()


def fills(gnugo, color, vertex):
    """Returns True if the move fills own territory according to GNU Go."""
    if vertex.lower() in ("pass", "resign") or gnugo.ask(f"reg_genmove {color}").lower() != "pass":
        return False
    name = {"b": "black", "w": "white"}[color]
    return vertex.upper() in gnugo.ask(f"final_status_list {name}_territory").upper().split()


def play(engine, gnugo, opening, engine_color):
    """Plays a game to two passes. `engine_color` is "b", "w", or None if the engine plays itself. Returns the moves and
    the number of moves that filled own territory."""
    filled = 0
    moves = [(color, vertex) for color, vertex in opening]
    for player in (engine, gnugo):
        for command in ["boardsize 9", "clear_board", "komi 6.5", *(f"play {c} {v}" for c, v in moves)]:
            player.ask(command)
    while len(moves) < MAX_MOVES and [v.lower() for _, v in moves[-2:]] != ["pass", "pass"]:
        color = "bw"[len(moves) % 2]
        mover, other = (engine, gnugo) if engine_color in (None, color) else (gnugo, engine)
        vertex = mover.ask(f"genmove {color}")
        if mover is engine and len(moves) >= FIRST_ENDING_MOVE:
            filled += fills(gnugo, color, vertex)
        other.ask(f"play {color} {vertex}")
        moves.append((color, vertex))
    return moves, filled


def main():
    program, openings, opponent = sys.argv[1:4]
    games, simulations = (int(word) for word in (sys.argv[4:] + ["100", "400"][len(sys.argv[4:]) :])[:2])
    openings = [json.loads(line)["moves"] for line in open(openings)]
    agreed = ended = won = all_filled = 0
    for game in range(games):
        options = f"gtp --quiet --rules japanese --komi 6.5 --size 9 --table-size 32MiB --resign 0 --seed {game + 1}"
        engine = Controller([program, *options.split(), "--simulations", str(simulations)])
        gnugo = Controller(["gnugo", "--mode", "gtp", "--japanese-rules", "--level", "10", "--seed", str(game + 1)])
        color = None if opponent == "self" else "bw"[game % 2]
        moves, filled = play(engine, gnugo, openings[game // 2 % len(openings)], color)
        all_filled += filled
        scores = [engine.ask("final_score"), gnugo.ask("final_score")]
        agrees, ends = scores[0][:1] == scores[1][:1], len(moves) < MAX_MOVES
        agreed, ended, won = agreed + agrees, ended + ends, won + (scores[0][:1].lower() == color)
        print(game, color or "self", *scores, len(moves), "agree" if agrees else "differ", filled, flush=True)
        for player in (engine, gnugo):
            player.ask("quit")
    print(f"{agreed} agreed, {ended} ended by two passes, of {games}; the engine won {won}; {all_filled} moves filled own territory")


if __name__ == "__main__":
    main()
