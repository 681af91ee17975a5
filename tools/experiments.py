#!/usr/bin/env python3
"""Runs the experiments with results in tools/experiments/, a cell at a time.

    cargo build --release
    tools/experiments.py list                 # the experiments, with the number of finished cells
    tools/experiments.py run table-size-1000  # continues an experiment; run all: all of them
    tools/experiments.py show claims          # prints its results as a table

A cell is one match, one point of a sweep or one measurement. Its row goes to tools/experiments/NAME.csv when it is
complete; cells with a row are not run again. The games stay in a scratch folder (--scratch, default
target/experiments), from which an interrupted match continues with the next game. tools/experiments/README.md has the
question and the result of each experiment.

The openings are a file of JSON lines such as {"size": 9, "moves": [["b", "D5"], ["w", "F5"]]}, one opening a line
(--openings; the results here are from 85 balanced openings of six moves). They are for 9x9: games on other boards begin
with the empty board.

Some experiments compare with the program of an earlier commit (BASELINE_COMMIT). It is built once, in target/, from
the history of this repository; TEWARI_BASELINE=/path/to/tewari names a program built elsewhere.
"""

import argparse
import concurrent.futures
import csv
import functools
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time

# The settings of the user do not apply.
os.environ["TEWARI_CONFIG"] = "none"

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RESULTS = os.path.join(HERE, "experiments")
BASELINE_COMMIT = "262d605"
GNUGO = "/usr/games/gnugo" if os.path.exists("/usr/games/gnugo") else "gnugo"
GNUGO_10 = f"{GNUGO} --mode gtp --level 10 --chinese-rules --positional-superko --seed {{seed}}"


def own(policy="rave", simulations=1000, light=True, table="16MiB", options=""):
    """The options of an engine of this program as a contestant."""
    playouts = " --playout-policy light" if light else ""
    return f"self:--policy {policy} --simulations {simulations}{playouts} --table-size {table}{options}"


def match(black, white, games=100, komi=7.5, extra=(), size=9):
    """The options of a cell with a match; the score is that of the first contestant."""
    return ["match", "--black", black, "--white", white, "--games", str(games), "--komi", str(komi),
            "--size", str(size), *extra]


def sweep(size, simulations, games, replacement="visits-and-generation"):
    """The options of a cell with a point of a sweep."""
    return ["sweep", "--table-size", size, "--replacement", replacement, "--simulations", str(simulations),
            "--games", str(games), "--reference", "self:--table-size 64MiB"]


def table_size(simulations, games, sizes):
    return {f"{size}": sweep(size, simulations, games) for size in sizes}


def replacement():
    names = ["visits-and-generation", "visits", "always"]
    return {f"{name} {size}": sweep(size, 1000, 100, name) for size in ["8KiB", "32KiB", "128KiB"] for name in names}


def claims():
    """Claims of the literature: pairs of policies at 1,000 light simulations a move."""
    c_p = "crazystone:cp=0.7071"
    pairs = [
        ("C_p 1/sqrt 20 against 1/sqrt 2", "crazystone", c_p),
        ("UCT against flat Monte-Carlo", "crazystone", "flat"),
        ("UCT against half random choices", "crazystone", "epsilon-greedy"),
        ("UCB1-Tuned against UCB1", "ucb1-tuned", "crazystone"),
        ("highest win rate against most visits at the end", "valkyria", "crazystone"),
        ("RAVE without priors against UCT", "rave:priors=0", "crazystone"),
        ("StegoUCT's alpha against the MSE schedule", "stego:c=0", "rave:priors=0"),
        ("StegoUCT's RAVE against its UCT", "stego", "stego:mode=uct"),
        ("Lazarus with degrading against without", "lazarus", "lazarus:degrade=1"),
        ("Lazarus with degrading against scaled N", "lazarus", "lazarus:degrade=1,scale=0.005"),
        ("Lazarus against UCT", "lazarus", "crazystone"),
    ]
    at_once = " --expand-at 1"
    return {name: match(own(one, table="64MiB", options=at_once if "rave:" in one else ""),
                        own(other, table="64MiB", options=at_once if "rave:" in other else ""))
            for name, one, other in pairs}


def transpositions():
    """The same table as a graph and as a tree, at equal memory: RAVE with heavy playouts, and plain UCT."""
    off = " --key-policy path"
    return {
        f"{policy} {simulations} {table}": match(own(policy, simulations, light, table),
                                                 own(policy, simulations, light, table, off))
        for policy, light in [("rave", False), ("crazystone", True)]
        for simulations, table in [(1000, "64MiB"), (4000, "64MiB"), (1000, "128KiB")]
    }


def knowledge():
    """The action of a simulation at a transposition, and the initial value of an evicted child."""
    stop, forget = " --catch-up stop", " --reseed off"
    return {
        **{f"continue - stop {table}": match(own(light=False, table=table), own(light=False, table=table, options=stop))
           for table in ["32KiB", "64MiB"]},
        **{f"reseed - forget {table}": match(own(light=False, table=table), own(light=False, table=table, options=forget))
           for table in ["8KiB", "32KiB"]},
    }


def keys():
    """Plain keys against keys with parts of the history; the tree is in transpositions()."""
    return {
        f"plain - {policy} {table}": match(own(light=False, table=table),
                                           own(light=False, table=table, options=f" --key-policy {policy}"))
        for policy in ["graph"] for table in ["32KiB", "64MiB"]
    }


PRESETS = ["flat", "epsilon-greedy", "ucb1", "ucb1-tuned", "ucb-improved", "valkyria", "crazystone", "lazarus", "stego",
           "rave"]


def round_robin():
    """All pairs of presets at 250 light simulations a move."""
    return {f"{one} - {other}": match(own(one, 250), own(other, 250))
            for index, one in enumerate(PRESETS) for other in PRESETS[index + 1:]}


def ladder():
    """Plain UCT at doubling budgets, each against the next lower one, and one of them against GNU Go."""
    rungs = [1000, 2000, 4000, 8000, 16000]
    steps = {f"{high} - {low}": match(own("crazystone", high, table="256MiB"), own("crazystone", low, table="256MiB"))
             for low, high in zip(rungs, rungs[1:])}
    return {**steps, "4000 - GNU Go": match(own("crazystone", 4000, table="256MiB"), GNUGO_10, komi=6.5)}


REFEREE = ["--referee", f"{GNUGO} --mode gtp --chinese-rules"]


def coulom():
    """Coulom's 170 games against GNU Go level 10 from 85 openings, at five budgets."""
    return {f"{count}": match(own("rave", count, light=False), GNUGO_10, 170, 6.5, REFEREE)
            for count in [250, 500, 1000, 2000, 4000]}


def gnugo():
    """The default engine against GNU Go level 10: at 1,000 visits a move, earlier visits included, and at one second."""
    return {
        "9x9 1000 visits": match("self:--visits 1000 --table-size 64MiB", GNUGO_10, 200, 6.5, REFEREE),
        "19x19 1 s": match("self:--time 1 --table-size 256MiB", GNUGO_10, 40, 7.5, REFEREE, size=19),
    }


def levels():
    """Every level of play against the level below, from the empty board."""
    return {f"{level} - {level - 1}": match(f"self:--level {level}", f"self:--level {level - 1}", 20, 7.5)
            for level in range(2, 11)}


def levels_gnugo():
    """Two levels against GNU Go, from the empty board."""
    return {f"{level} - GNU Go level 10": match(f"self:--level {level}", GNUGO_10, 20, 7.5, REFEREE)
            for level in [7, 9]}


# Experiments with games from the empty board, which differ by the random numbers of the engines.
WITHOUT_OPENINGS = {"levels", "levels-gnugo"}


def against_first():
    """The engine of the working tree against the baseline. At equal time both are programs, so that both have the costs
    of a process."""
    baseline = "{baseline} gtp --quiet --seed {seed} --table-size 64MiB --size"
    current = "{tewari} gtp --quiet --seed {seed} --table-size 64MiB --size"
    return {
        "9x9 1000 simulations": match("self:--simulations 1000 --table-size 64MiB",
                                      f"{baseline} 9 --simulations 1000", 400, 6.5),
        "19x19 400 simulations": match("self:--simulations 400 --table-size 64MiB",
                                       f"{baseline} 19 --simulations 400", 100, 7.5, size=19),
        "9x9 0.3 s": match(f"{current} 9 --time 0.3", f"{baseline} 9 --time 0.3", 400, 6.5),
    }


def network():
    """The engine with the built-in network against itself without one, at equal time and at equal simulations."""
    def cell(limit, games, size, komi=7.5):
        engine = f"self:--{limit} --table-size 64MiB"
        return match(engine, f"{engine} --network none", games, komi, size=size)
    return {
        "9x9 0.5 s": cell("time 0.5", 200, 9, 6.5),
        "13x13 0.5 s": cell("time 0.5", 100, 13),
        "19x19 0.5 s": cell("time 0.5", 80, 19),
        "9x9 1000 simulations": cell("simulations 1000", 200, 9, 6.5),
        "19x19 1 s, GNU Go level 10": match("self:--time 1 --table-size 256MiB", GNUGO_10, 40, 7.5, REFEREE, size=19),
    }


# The parts of the default playout policy.
PLAYOUT_PARTS = ["many-self-atari", "atari", "pattern", "pattern-self-atari", "self-atari"]


def playout_parts():
    """The default playout policy against itself with one part off."""
    return {
        f"{part} {limit}": match(f"self:--{limit} --table-size 64MiB",
                                 f"self:--{limit} --table-size 64MiB --playout-policy heavy:{part}=off", 400, 6.5)
        for part in PLAYOUT_PARTS for limit in ["time 0.1", "simulations 1000"]
    }


# Pairs of runs, interleaved so that both meet the same state of the machine.
PAIRS = 9
ANALYZE_TABLE = ["--table-size", "64MiB", "--format", "json"]
# Playouts of the working tree's searches, against the baseline's default playouts; the baseline had no network.
SPEED_VARIANTS = [("default", ["--network", "none"]), ("michi", ["--network", "none", "--playout-policy", "michi"])]


class NotMeasured(Exception):
    """A program failed; the text is its command."""


def timed(command):
    """Runs `command` to its end; returns its processor time and its wall time in seconds."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise NotMeasured(shlex.join(command))
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise NotMeasured(shlex.join(command))
    return done.stdout


def interleaved(arguments, one, other):
    """Medians of the rates of `one` and `other`, functions of the number of the pair, and their ratio with its range."""
    rates = []
    for number in range(1, (arguments.trial or PAIRS) + 1):
        rates.append((one(number), other(number)))
        print(f"   {rates[-1][0]:.0f} against {rates[-1][1]:.0f}", file=sys.stderr, flush=True)
    ratios = [first / second for first, second in rates]
    first, second = (statistics.median(column) for column in zip(*rates))
    return {"pairs": len(rates), "rate": round(first), "other_rate": round(second),
            "ratio": rounded(statistics.median(ratios)), "ratio_min": rounded(min(ratios)),
            "ratio_max": rounded(max(ratios))}


def search_speed(size, simulations, options, arguments):
    """Simulations a second of processor time from the empty board: working tree against baseline."""
    def rate(program, own_options, seed):
        command = [program, "analyze", "--size", str(size), "--simulations", str(simulations), "--seed", str(seed)]
        return simulations / timed([*command, *ANALYZE_TABLE, *own_options])[0]
    return interleaved(arguments, lambda seed: rate(arguments.tewari, options, seed),
                       lambda seed: rate(baseline(), [], seed))


def light_playout_speed(size, arguments):
    """Light playouts a second, from the output of `tewari bench`."""
    def rate(program):
        lines = [line.split() for line in output_of([program, "bench", "--playouts"]).splitlines()]
        column = lines[0].index("playouts/s")
        return next(float(words[column]) for words in lines[1:] if words[:2] == [f"{size}x{size}", "light"])
    return interleaved(arguments, lambda _: rate(arguments.tewari), lambda _: rate(baseline()))


def speed():
    """The program of the working tree against the baseline, interleaved."""
    searches = {f"{size}x{size} search, {name} playouts": functools.partial(search_speed, size, simulations, options)
                for size, simulations in [(9, 40_000), (19, 12_000)] for name, options in SPEED_VARIANTS}
    playouts = {f"{size}x{size} light playouts": functools.partial(light_playout_speed, size) for size in [9, 19]}
    return {**searches, **playouts}


def two_threads(size, simulations, arguments):
    """Simulations a second of wall time of two threads on one table, against two searches side by side."""
    def command(seed, count, threads):
        return [arguments.tewari, "analyze", "--size", str(size), "--simulations", str(count), "--threads",
                str(threads), "--seed", str(seed), *ANALYZE_TABLE]

    def together(seed):
        return 2 * simulations / timed(command(seed, 2 * simulations, 2))[1]

    def side_by_side(seed):
        commands = [command(2 * seed + which, simulations, 1) for which in range(2)]
        with concurrent.futures.ThreadPoolExecutor(len(commands)) as pool:
            return sum(simulations / wall for _, wall in pool.map(timed, commands))
    return interleaved(arguments, together, side_by_side)


def threads():
    """The speed lost by two threads that share one search; needs two idle processors."""
    return {f"{size}x{size} {simulations} a thread": functools.partial(two_threads, size, simulations)
            for size, simulations in [(9, 150_000), (19, 50_000)]}


def orphans_of(report):
    """The numbers of used and orphaned blocks in the output of `tewari table info`, JSON or text."""
    try:
        found = json.loads(report)
        return found["blocksUsed"], found["orphans"]
    except (ValueError, KeyError):
        used = re.search(r"edge blocks\s+(\d+)", report)
        orphaned = re.search(r"(\d+) (?:blocks? )?orphan", report) or re.search(r"orphan\D*(\d+)", report)
        if not used or not orphaned:
            raise NotMeasured("tewari table info, which says nothing of orphans") from None
        return int(used[1]), int(orphaned[1])


def count_orphans(size, table_size, choose, arguments):
    """Blocks without an entry after a million simulations by two threads, in a table without replacements."""
    program = choose(arguments)
    simulations = 10_000 * arguments.trial if arguments.trial else 1_000_000
    os.makedirs(arguments.scratch, exist_ok=True)
    table = os.path.join(arguments.scratch, f"orphans-{size}.tewari")
    if os.path.exists(table):
        os.remove(table)
    timed([program, "analyze", "--size", str(size), "--simulations", str(simulations), "--threads", "2", "--table",
           table, "--table-size", table_size, "--format", "json"])
    blocks, orphans = orphans_of(output_of([program, "table", "info", table, "--format", "json"]))
    os.remove(table)
    return {"simulations": simulations, "threads": 2, "blocks": blocks, "orphans": orphans}


def orphans():
    programs = [("", lambda arguments: arguments.tewari), (f" at {BASELINE_COMMIT}", lambda _: baseline())]
    return {f"{size}x{size}{name}": functools.partial(count_orphans, size, table_size, choose)
            for size, table_size in [(9, "256MiB"), (19, "768MiB")] for name, choose in programs}


EXPERIMENTS = {
    "table-size-1000": table_size(1000, 200, ["4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "256KiB", "1MiB", "16MiB"]),
    "table-size-network": table_size(1000, 100, ["16KiB", "32KiB", "64KiB", "128KiB", "256KiB", "1MiB", "16MiB"]),
    "table-size-pages": table_size(1000, 60, ["8KiB", "32KiB", "128KiB", "4KiB", "16KiB", "64KiB", "1MiB"]),
    "table-size-5000": table_size(5000, 40, ["8KiB", "32KiB", "128KiB", "512KiB", "2MiB", "64MiB"]),
    "replacement": replacement(),
    "claims": claims(),
    "knowledge": knowledge(),
    "keys": keys(),
    "transpositions": transpositions(),
    "round-robin": round_robin(),
    "ladder": ladder(),
    "coulom": coulom(),
    "gnugo": gnugo(),
    "levels": levels(),
    "levels-gnugo": levels_gnugo(),
    "against-first": against_first(),
    "network": network(),
    "playout-parts": playout_parts(),
    "speed": speed(),
    "threads": threads(),
    "orphans": orphans(),
}


@functools.lru_cache
def baseline():
    """The program of BASELINE_COMMIT: that of TEWARI_BASELINE, or one that is built if it is missing."""
    given = os.environ.get("TEWARI_BASELINE")
    if given:
        return os.path.abspath(given)
    folder = os.path.join(ROOT, "target", f"baseline-{BASELINE_COMMIT}")
    program = os.path.join(folder, "target", "release", "tewari")
    if not os.path.exists(program):
        print(f"== building {BASELINE_COMMIT} in {folder}", file=sys.stderr, flush=True)
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "source.tar")
        own_target = {**os.environ, "CARGO_TARGET_DIR": os.path.join(folder, "target")}
        subprocess.run(["git", "-C", ROOT, "archive", "--output", source, BASELINE_COMMIT], check=True)
        subprocess.run(["tar", "-xf", source, "-C", folder], check=True)
        subprocess.run(["cargo", "build", "--release", "--locked"], cwd=folder, env=own_target, check=True)
    return program


def rows_of(arguments, name):
    path = os.path.join(arguments.results, f"{name}.csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(arguments, name, row):
    path = os.path.join(arguments.results, f"{name}.csv")
    os.makedirs(arguments.results, exist_ok=True)
    is_new = not os.path.exists(path)
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, row, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def rounded(value):
    """Rounds to four digits; `None` is an infinite end of an interval."""
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


def with_programs(arguments, option):
    """The option with the paths of programs in place of their names."""
    if "{tewari}" in option:
        option = option.replace("{tewari}", shlex.quote(arguments.tewari))
    return option.replace("{baseline}", shlex.quote(baseline())) if "{baseline}" in option else option


def play_cell(arguments, name, cell, options):
    """Plays the games of a match or of a point of a sweep; returns the row, or None if interrupted."""
    folder = os.path.join(arguments.scratch, name, cell.replace(" ", "_").replace("/", "_").replace(":", "_"))
    command = [arguments.tewari, *(with_programs(arguments, option) for option in options), "--out", folder, "--resume"]
    is_small = "--size" not in options or options[options.index("--size") + 1] == "9"
    if is_small and name not in WITHOUT_OPENINGS:
        command += ["--openings", arguments.openings]
    if arguments.trial:
        command[command.index("--games") + 1] = str(arguments.trial)
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


def run_cell(arguments, name, cell, work):
    """Runs one cell to its end; returns its row, or None if interrupted. `work` is the options of a command that plays
    games, or a function that measures."""
    if not callable(work):
        return play_cell(arguments, name, cell, work)
    try:
        return {"cell": cell, **work(arguments)}
    except NotMeasured as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return None


def run(arguments):
    names = list(EXPERIMENTS) if arguments.name == "all" else [arguments.name]
    for name in names:
        done = {row["cell"] for row in rows_of(arguments, name)}
        for cell, work in EXPERIMENTS[name].items():
            if cell in done:
                continue
            print(f"== {name}: {cell}", file=sys.stderr, flush=True)
            row = run_cell(arguments, name, cell, work)
            if row is None:
                sys.exit(f"{name}: {cell} was not finished; the same command goes on with it")
            append(arguments, name, row)
            if callable(work):
                print(", ".join(f"{key} {value}" for key, value in row.items()))


def show(name, rows):
    """Prints the rows as a table: the scores of games, or all columns of measurements."""
    if rows and "score" not in rows[0]:
        print(f"| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
        for row in rows:
            print(f"| {' | '.join(row.values())} |")
        return
    print(f"| {name} | games | score | 95 % | Elo | 95 % |\n|---|---|---|---|---|---|")
    for row in rows:
        percent = {key: 100 * float(row[key]) for key in ("score", "score_low", "score_high")}
        elo = {key: f"{float(row[key]):+.0f}" if row[key] else "∞" for key in ("elo", "elo_low", "elo_high")}
        print(f"| {row['cell']} | {row['games']} | {percent['score']:.1f} % | {percent['score_low']:.1f}-"
              f"{percent['score_high']:.1f} % | {elo['elo']} | {elo['elo_low']} to {elo['elo_high']} |")


def standings(rows):
    """Prints the share of points of each preset in the round robin. Intervals treat the games of a pair as independent."""
    points, games = {}, {}
    for row in rows:
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
    parser.add_argument("--trial", type=int, metavar="N", help="to try an experiment: N games or pairs a cell; rows go "
                        "to the scratch folder")
    arguments = parser.parse_args()
    arguments.results = RESULTS
    if arguments.trial:
        arguments.scratch = os.path.join(arguments.scratch, "trial")
        arguments.results = arguments.scratch
    names = list(EXPERIMENTS) if arguments.name == "all" else [arguments.name]
    if arguments.action == "run":
        run(arguments)
    for name in names if arguments.action == "show" else []:
        rows = rows_of(arguments, name)
        show(name, rows)
        if name == "round-robin":
            standings(rows)
    for name in names if arguments.action == "list" else []:
        print(f"{name}: {len(rows_of(arguments, name))} of {len(EXPERIMENTS[name])} cells")


if __name__ == "__main__":
    main()
