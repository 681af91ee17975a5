#!/usr/bin/env python3
"""Runs the experiments whose results are kept beside this file, a cell at a time.

    cargo build --release
    tools/experiments.py list                 # what there is, and how much of it is done
    tools/experiments.py run table-size-1000  # go on with an experiment, or with all of them: run all
    tools/experiments.py show claims          # its results as a table

A cell is one match or one point of a sweep. Its row goes to tools/experiments/NAME.csv when it is complete; cells
that have a row are not played again. The games themselves stay in a scratch folder (--scratch, default
target/experiments), from which a cell that was cut off goes on with the next game.

The openings are a file of JSON lines such as {"size": 9, "moves": [["b", "D5"], ["w", "F5"]]}, one opening a line
(--openings; the results here were made with 85 balanced openings of six moves).
"""

import argparse
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "experiments")
GNUGO = "/usr/games/gnugo" if os.path.exists("/usr/games/gnugo") else "gnugo"
GNUGO_10 = f"{GNUGO} --mode gtp --level 10 --chinese-rules --positional-superko --seed {{seed}}"


def own(policy="rave", simulations=1000, light=True, table="16MiB", options=""):
    """A contestant of ours."""
    playouts = " --playout-policy light" if light else ""
    return f"self:--policy {policy} --simulations {simulations}{playouts} --table-size {table}{options}"


def match(black, white, games=100, komi=7.5, extra=()):
    """The options of a cell that is a match; the result is the first contestant's."""
    return ["match", "--black", black, "--white", white, "--games", str(games), "--komi", str(komi), *extra]


def sweep(size, simulations, games, replacement="visits-and-generation"):
    """The options of a cell that is a point of a sweep."""
    return ["sweep", "--table-size", size, "--replacement", replacement, "--simulations", str(simulations),
            "--games", str(games), "--reference", "self:--table-size 64MiB"]


def table_size(simulations, games, sizes):
    return {f"{size}": sweep(size, simulations, games) for size in sizes}


def replacement():
    names = ["visits-and-generation", "visits", "least-recently-used", "always", "two-level", "admission"]
    return {f"{name} {size}": sweep(size, 1000, 100, name) for size in ["8KiB", "32KiB", "128KiB"] for name in names}


def admission():
    """Blocks for those alone that are worth more than the victim, against blocks for all, at the same table size."""
    return {
        f"admission - all {table} {simulations}": match(
            own(light=False, table=table, simulations=simulations, options=" --replacement admission"),
            own(light=False, table=table, simulations=simulations, options=" --replacement visits-and-generation"),
            games)
        for simulations, games, tables in [(1000, 200, ["8KiB", "16KiB", "32KiB", "64KiB", "128KiB"]),
                                           (5000, 100, ["32KiB", "128KiB"])]
        for table in tables
    }


def claims():
    """What the seeds claim, each pair of policies at 1,000 light simulations a move."""
    c_p = "crazystone:cp=0.7071"
    pairs = [
        ("C_p 1/sqrt 20 against 1/sqrt 2", "crazystone", c_p),
        ("UCT against flat Monte-Carlo", "ucb1", "flat"),
        ("UCT against half random choices", "ucb1", "epsilon-greedy"),
        ("UCB1-Tuned against UCB1", "ucb1-tuned", "ucb1"),
        ("highest win rate against most visits at the end", "valkyria", "crazystone"),
        ("RAVE without priors against UCT", "rave:priors=0", "ucb1"),
        ("StegoUCT's alpha against the MSE schedule", "stego:c=0", "rave:priors=0"),
        ("StegoUCT's RAVE against its UCT", "stego", "stego:mode=uct"),
        ("Lazarus with degrading against without", "lazarus", "lazarus:degrade=1"),
        ("Lazarus with degrading against scaled N", "lazarus", "lazarus:degrade=1,scale=0.005"),
        ("Lazarus against UCT", "lazarus", "ucb1"),
    ]
    at_once = " --expand-at 1"
    return {name: match(own(one, table="64MiB", options=at_once if "rave:" in one else ""),
                        own(other, table="64MiB", options=at_once if "rave:" in other else ""))
            for name, one, other in pairs}


def transpositions():
    """The same store as a graph and as a tree, at equal memory, with heavy playouts and RAVE, and as plain UCT."""
    off = " --key-policy path"
    return {
        f"{policy} {simulations} {table}": match(own(policy, simulations, light, table),
                                                 own(policy, simulations, light, table, off))
        for policy, light in [("rave", False), ("ucb1", True)]
        for simulations, table in [(1000, "64MiB"), (4000, "64MiB"), (1000, "128KiB")]
    }


def knowledge():
    """What is done with what another order of moves, or an edge, knows."""
    stop, forget = " --catch-up stop", " --reseed off"
    return {
        **{f"continue - stop {table}": match(own(light=False, table=table), own(light=False, table=table, options=stop))
           for table in ["32KiB", "64MiB"]},
        **{f"reseed - forget {table}": match(own(light=False, table=table), own(light=False, table=table, options=forget))
           for table in ["8KiB", "32KiB"]},
    }


def keys():
    """What the keys of positions contain of the way there, against nothing; the tree is in transpositions()."""
    return {
        f"plain - {policy} {table}": match(own(light=False, table=table),
                                           own(light=False, table=table, options=f" --key-policy {policy}"))
        for policy in ["prisoners", "graph"] for table in ["32KiB", "64MiB"]
    }


PRESETS = ["flat", "epsilon-greedy", "ucb1", "ucb1-tuned", "ucb-improved", "valkyria", "crazystone", "lazarus", "stego",
           "rave"]


def round_robin():
    """Every preset against every other at 250 light simulations a move."""
    return {f"{one} - {other}": match(own(one, 250), own(other, 250))
            for index, one in enumerate(PRESETS) for other in PRESETS[index + 1:]}


def ladder():
    """Basic UCT at doubling budgets, each against the next lower one, and GNU Go against one of them."""
    rungs = [1000, 2000, 4000, 8000, 16000]
    steps = {f"{high} - {low}": match(own("ucb1", high, table="256MiB"), own("ucb1", low, table="256MiB"))
             for low, high in zip(rungs, rungs[1:])}
    return {**steps, "4000 - GNU Go": match(own("ucb1", 4000, table="256MiB"), GNUGO_10, komi=6.5)}


def coulom():
    """Coulom's 170 games against GNU Go level 10 from 85 openings, at five budgets."""
    referee = ["--referee", f"{GNUGO} --mode gtp --chinese-rules"]
    return {f"{count}": match(own("rave", count, light=False), GNUGO_10, 170, 6.5, referee)
            for count in [250, 500, 1000, 2000, 4000]}


EXPERIMENTS = {
    "table-size-1000": table_size(1000, 200, ["4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "256KiB", "1MiB", "16MiB"]),
    "table-size-5000": table_size(5000, 40, ["8KiB", "32KiB", "128KiB", "512KiB", "2MiB", "64MiB"]),
    "replacement": replacement(),
    "admission": admission(),
    "claims": claims(),
    "knowledge": knowledge(),
    "keys": keys(),
    "transpositions": transpositions(),
    "round-robin": round_robin(),
    "ladder": ladder(),
    "coulom": coulom(),
}


def rows_of(name):
    path = os.path.join(RESULTS, f"{name}.csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(name, row):
    path = os.path.join(RESULTS, f"{name}.csv")
    os.makedirs(RESULTS, exist_ok=True)
    is_new = not os.path.exists(path)
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, row, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def rounded(value):
    """As few digits as say something; null is an infinite end of an interval."""
    return "" if value is None else round(value, 4) if isinstance(value, float) else value


def match_row(cell, output):
    report = json.loads(output)
    score, elo = report["score"], report["elo"]
    return {"cell": cell, "games": report["games"], "wins": report["wins"][0], "losses": report["wins"][1],
            "score": rounded(score["estimate"]), "score_low": rounded(score["low"]),
            "score_high": rounded(score["high"]), "elo": rounded(elo["estimate"]), "elo_low": rounded(elo["low"]),
            "elo_high": rounded(elo["high"]), "superiority": rounded(report["likelihood_of_superiority"]),
            "faults": sum(report["faults"]), "seconds_a_move": rounded(report["seconds_per_move"][0]),
            "opponent_seconds_a_move": rounded(report["seconds_per_move"][1])}


def run_cell(arguments, name, cell, options):
    """Plays one cell to its end; returns its row, or None if it was interrupted."""
    folder = os.path.join(arguments.scratch, name, cell.replace(" ", "_").replace("/", "_").replace(":", "_"))
    command = [arguments.tewari, *options, "--openings", arguments.openings, "--out", folder, "--resume"]
    if arguments.concurrency:
        command += ["--concurrency", str(arguments.concurrency)]
    if options[0] == "match":
        command += ["--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return None
    if options[0] == "match":
        return match_row(cell, done.stdout)
    [row] = csv.DictReader(done.stdout.splitlines())
    return {"cell": cell, **row}


def run(arguments):
    names = list(EXPERIMENTS) if arguments.name == "all" else [arguments.name]
    for name in names:
        done = {row["cell"] for row in rows_of(name)}
        for cell, options in EXPERIMENTS[name].items():
            if cell in done:
                continue
            print(f"== {name}: {cell}", file=sys.stderr, flush=True)
            row = run_cell(arguments, name, cell, options)
            if row is None:
                sys.exit(f"{name}: {cell} was not finished; the same command goes on with it")
            append(name, row)


def show(name):
    print(f"| {name} | games | score | 95 % | Elo | 95 % |\n|---|---|---|---|---|---|")
    for row in rows_of(name):
        percent = {key: 100 * float(row[key]) for key in ("score", "score_low", "score_high")}
        elo = {key: f"{float(row[key]):+.0f}" if row[key] else "∞" for key in ("elo", "elo_low", "elo_high")}
        print(f"| {row['cell']} | {row['games']} | {percent['score']:.1f} % | {percent['score_low']:.1f}-"
              f"{percent['score_high']:.1f} % | {elo['elo']} | {elo['elo_low']} to {elo['elo_high']} |")


def standings(name):
    """Each preset's share of the points in the round robin; games of a pair are not independent, so this is a guide."""
    points, games = {}, {}
    for row in rows_of(name):
        one, other = row["cell"].split(" - ")
        for player, share in [(one, float(row["score"])), (other, 1 - float(row["score"]))]:
            points[player] = points.get(player, 0) + share * int(row["games"])
            games[player] = games.get(player, 0) + int(row["games"])
    print("| policy | games | score | 95 % |\n|---|---|---|---|")
    for player in sorted(points, key=points.get, reverse=True):
        rate, half = points[player] / games[player], 0
        half = 1.96 * (rate * (1 - rate) / games[player]) ** 0.5
        print(f"| {player} | {games[player]} | {100 * rate:.1f} % | ± {100 * half:.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["list", "run", "show"])
    parser.add_argument("name", nargs="?", default="all", choices=["all", *EXPERIMENTS])
    parser.add_argument("--tewari", default=os.path.join(HERE, "../target/release/tewari"), help="the program")
    parser.add_argument("--openings", help="file of openings", default="openings.jsonl")
    parser.add_argument("--scratch", default=os.path.join(HERE, "../target/experiments"), help="for unfinished cells")
    parser.add_argument("--concurrency", type=int, help="games at a time; default: one for each processor")
    arguments = parser.parse_args()
    names = list(EXPERIMENTS) if arguments.name == "all" else [arguments.name]
    if arguments.action == "run":
        run(arguments)
    for name in names if arguments.action == "show" else []:
        show(name)
        if name == "round-robin":
            standings(name)
    for name in names if arguments.action == "list" else []:
        print(f"{name}: {len(rows_of(name))} of {len(EXPERIMENTS[name])} cells")


if __name__ == "__main__":
    main()
