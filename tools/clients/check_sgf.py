"""Checks that sgfmill, an independent implementation of SGF, reads every record that the program writes."""

import pathlib
import subprocess
import sys
import tempfile

from sgfmill import sgf, sgf_moves

PROGRAM = sys.argv[1]


def run(*arguments, stdin=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, check=True)
    return done.stdout


def read(text, moves=None):
    """Reads a game and plays its main line; checks the number of moves if given."""
    game = sgf.Sgf_game.from_bytes(text.encode())
    board, plays = sgf_moves.get_setup_and_moves(game)
    for colour, move in plays:
        if move is not None:
            board.play(*move, colour)
    assert moves is None or len(plays) == moves, (len(plays), moves)
    return game


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = "boardsize 9\nkomi -3.5\nset_free_handicap C3 G7\nplay w E5\nplay b pass\nplay w D4\nprintsgf\n"
        text = run("gtp", "-q", stdin=lines).split("\n\n")[-2].removeprefix("= ")
        game = read(text, 3)
        assert game.get_komi() == -3.5 and game.get_size() == 9
        contestant = "self:--simulations 20 --table-size 1MiB --network none"
        run("match", "-q", "--black", contestant, "--white", contestant, "--games", 4, "--size", 7, "--out", folder / "m")
        records = sorted((folder / "m" / "sgf").glob("*.sgf"))
        assert len(records) == 4, records
        for record in records:
            assert read(record.read_text()).get_winner() in ("b", "w", None)
        table = folder / "t.tewari"
        run("analyze", "tests/data/game.sgf", "--move", 9, "--simulations", 500, "--table", table, "--table-size", "1MiB")
        read(run("table", "dump", table, "--game", "tests/data/game.sgf", "--move", 9))
    print("sgfmill reads all that is written")


main()
