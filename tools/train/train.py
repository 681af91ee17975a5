"""Trains a network from prepared positions and writes a weights file.

Several folders of prepared positions may be given, each for one board size; every step draws its positions from one.

    tewari network prepare GAMES --out DATA
    python tools/train/train.py DATA --run RUN --samples 5000000 --export src/network/weights-19x19.bin

It may be stopped at any moment; started again it continues from RUN/checkpoint.npz.
"""

import argparse
import os
import pathlib
import signal
import sys
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

import integers
import model
from samples import STONES, BadSamples, Samples

WARM_UP = 20_000
LATE_FROM = 0.55
REPORTED = 6
BLOCKS = 5
CHANNELS = 32
EVALUATION_BATCH = 256
# Settings of glibc: large arrays are kept between steps instead of returned to the system, and use huge pages.
MEMORY = {
    "hugetlb": 1,
    "mmap_threshold": 8 << 30,
    "trim_threshold": 8 << 30,
    "top_pad": 256 << 20,
}


class Weights(NamedTuple):
    """Weights in the loss."""

    # Weights of value, score and owners; the policy has 1.
    value: float
    score: float
    owner: float
    # Share of the search value in the target of the value; the rest is the result of the game.
    searched: float
    # Additional weight of the value of positions with stones on more than LATE_FROM of the points.
    late: float


def losses(parameters, inputs, labels, weights, quantise):
    """The loss to minimise, and the reported losses and shares of correct predictions."""
    moves, owners, mean, spread = model.forward(parameters, inputs, quantise)

    def mean_where(known, losses):
        return (losses * known).sum() / jnp.maximum(known.sum(), 1)

    wanted, has_policy = labels["policy"], labels["has_policy"]
    policy = mean_where(has_policy, optax.softmax_cross_entropy(moves, wanted))
    hits = mean_where(has_policy, moves.argmax(axis=1) == wanted.argmax(axis=1))
    winning = (mean + labels["komi"]) / spread
    has_result, result = labels["has_result"], labels["result"]
    # The search value of a position is as good evidence of its value as the result of one game.
    searched = weights.searched * labels["has_value"]
    target = (1 - searched) * result + searched * labels["value"]
    importance = has_result * (1 + weights.late * (stones_per_point(inputs) > LATE_FROM))
    value = mean_where(importance, optax.sigmoid_binary_cross_entropy(winning, target))
    outcome = mean_where(has_result, optax.sigmoid_binary_cross_entropy(winning, result))
    right = mean_where(has_result, (winning > 0) == (result > 0.5))
    each_owner = optax.sigmoid_binary_cross_entropy(owners.reshape(labels["owners"].shape), labels["owners"])
    owner = mean_where(labels["has_owners"], each_owner.mean(axis=1))
    # The score is a logistic distribution, so that the same two numbers give the win probability at any komi.
    # Two points with the deviation of the target stand for its distribution (Gauss-Hermite quadrature).
    errors = [(labels["score"] + sign * labels["deviation"] - mean) / spread for sign in (-1, 1)]
    density = sum(error + 2 * jax.nn.softplus(-error) for error in errors) / 2 + jnp.log(spread)
    score = mean_where(labels["has_score"], density)
    total = policy + weights.value * value + weights.score * score + weights.owner * owner
    return total, jnp.stack([policy, hits, outcome, right, score, owner])


def stones_per_point(inputs):
    """Stones per point of the board, for each position."""
    return (inputs[..., STONES] > 0).sum(axis=(1, 2, 3)) / (inputs.shape[1] * inputs.shape[2])


def rate_at(samples, arguments):
    """The learning rate: a short warm-up, a constant, and a cosine to 1 % at the end."""
    begin = arguments.samples * (1 - arguments.decay)
    if samples < WARM_UP:
        return arguments.rate * (samples + 1) / WARM_UP
    part = np.clip((samples - begin) / max(arguments.samples - begin, 1), 0, 1)
    return arguments.rate * (0.01 + 0.99 * 0.5 * (1 + np.cos(np.pi * part)))


def make_optimiser():
    return optax.inject_hyperparams(
        lambda learning_rate: optax.chain(
            optax.clip_by_global_norm(1.0), optax.adamw(learning_rate, b2=0.99, weight_decay=1e-4)
        )
    )(learning_rate=1e-3)


class Run:
    """The state of a run, kept in its checkpoint."""

    def __init__(self, arguments):
        pooled = [int(block) for block in arguments.pooled.split(",") if block]
        if arguments.begin_with:
            try:
                self.parameters = integers.parameters_of(pathlib.Path(arguments.begin_with).read_bytes())
            except (OSError, ValueError) as error:
                raise SystemExit(f"{arguments.begin_with}: {error}") from None
            found = self.parameters["input"]["w"].shape[2]
            if (arguments.channels or found) < found:
                raise SystemExit(f"{arguments.begin_with} has {found} channels: expected at least as many in --channels")
            model.widen(self.parameters, arguments.seed, arguments.channels or 0)
            model.deepen(self.parameters, arguments.seed, arguments.blocks or 0, pooled)
        else:
            blocks = arguments.blocks or BLOCKS
            self.parameters = model.initial(arguments.seed, arguments.channels or CHANNELS, blocks, pooled)
        self.parameters = jax.tree.map(jnp.asarray, self.parameters)
        self.average = jax.tree.map(jnp.copy, self.parameters)
        self.optimiser = make_optimiser()
        self.state = self.optimiser.init(self.parameters)
        self.samples = 0
        self.path = pathlib.Path(arguments.run) / "checkpoint.npz"

    def _tree(self):
        return (self.parameters, self.average, self.state)

    def save(self):
        leaves = jax.tree.leaves(self._tree())
        arrays = {f"leaf{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
        partial = self.path.with_suffix(".partial.npz")
        np.savez(partial, samples=self.samples, **arrays)
        partial.replace(self.path)

    def load(self):
        with np.load(self.path) as file:
            leaves, structure = jax.tree.flatten(self._tree())
            loaded = [jnp.asarray(file[f"leaf{i}"]) for i in range(len(leaves))]
            if any(one.shape != other.shape for one, other in zip(leaves, loaded)):
                raise SystemExit(f"{self.path} is of another network: give the same shape or another --run")
            self.parameters, self.average, self.state = jax.tree.unflatten(structure, loaded)
            self.samples = int(file["samples"])


def make_step(optimiser, weights):
    def step(parameters, average, state, inputs, labels, rate, keep, quantise):
        gradient, report = jax.grad(losses, has_aux=True)(parameters, inputs, labels, weights, quantise)
        state.hyperparams["learning_rate"] = rate
        updates, state = optimiser.update(gradient, state, parameters)
        parameters = optax.apply_updates(parameters, updates)
        average = jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, average, parameters)
        return parameters, average, state, report

    return jax.jit(step, static_argnums=7, donate_argnums=(0, 1, 2))


def evaluate(parameters, samples, count, weights, quantise):
    """Mean of the reports over `count` positions, spread evenly over the file."""
    run = jax.jit(lambda p, x, y: losses(p, x, y, weights, quantise)[1])
    indices = np.linspace(0, len(samples) - 1, count).astype(np.int64)
    batches = [indices[i : i + EVALUATION_BATCH] for i in range(0, count, EVALUATION_BATCH)]
    reports = [np.asarray(run(parameters, *samples.batch(batch))) * len(batch) for batch in batches]
    return sum(reports) / count


def train(arguments, run, training, validation):
    """Trains on `training`; both arguments have one `Samples` per folder. Returns True if a signal stopped it early."""
    weights = loss_weights(arguments)
    shares = np.array(arguments.shares or [1.0] * len(training))
    step = make_step(run.optimiser, weights)
    log = (pathlib.Path(arguments.run) / "log.csv").open("a")
    if log.tell() == 0:
        log.write("samples,seconds,rate,quantised,set,policy,top1,value,sign,score,owners\n")

    def report(name, numbers, seconds, rate, quantise):
        line = ",".join(f"{number:.4f}" for number in numbers)
        text = f"{run.samples},{seconds:.0f},{rate:.2e},{int(quantise)},{name},{line}"
        print(text, flush=True)
        log.write(text + "\n")
        log.flush()

    stop = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.append(True))
    seen, last_save = time.time(), time.time()
    sums, steps = np.zeros((len(training), REPORTED)), np.zeros(len(training))
    while run.samples < arguments.samples and not stop:
        random = np.random.default_rng([arguments.seed, run.samples])
        which = random.choice(len(training), p=shares / shares.sum())
        samples = training[which]
        indices = random.integers(len(samples), size=arguments.batch)
        symmetry = random.integers(len(samples.symmetries), size=arguments.batch)
        rate = rate_at(run.samples, arguments)
        quantise = run.samples >= arguments.quantise_from * arguments.samples
        keep = min(arguments.average, run.samples / (run.samples + 20_000))
        run.parameters, run.average, run.state, numbers = step(
            run.parameters, run.average, run.state, *samples.batch(indices, symmetry), rate, keep, quantise
        )
        before, run.samples = run.samples, run.samples + arguments.batch
        sums[which] += np.asarray(numbers)
        steps[which] += 1
        if before // arguments.report != run.samples // arguments.report:
            for it, sum_, count in zip(training, sums, steps):
                report(f"training {it.name}", sum_ / max(count, 1), time.time() - seen, rate, quantise)
            seen, sums[:], steps[:] = time.time(), 0, 0
        if before // arguments.evaluate != run.samples // arguments.evaluate:
            for it in validation:
                numbers = evaluate(run.average, it, min(arguments.positions, len(it)), weights, quantise)
                report(f"validation {it.name}", numbers, time.time() - seen, rate, quantise)
            seen = time.time()
        if time.time() - last_save > arguments.save_seconds:
            run.save()
            last_save = time.time()
    run.save()
    return bool(stop)


def loss_weights(arguments):
    of = arguments
    return Weights(of.value_weight, of.score_weight, of.owner_weight, of.searched_part, of.late_weight)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("data", nargs="+", help="folders with train.rows and validation.rows")
    add("--shares", type=float, nargs="*", help="parts of the steps that take their positions from each folder")
    add("--run", required=True, help="folder of this run: checkpoint and log")
    add("--samples", type=float, default=5e6, help="positions to train on in all")
    add("--export", help="write the weights file here at the end; with --samples 0, at once")
    add("--name", default="", help="name in the weights file, at most 16 bytes")
    add("--heads", default="policy", help="which heads are trained well enough to be used: policy,owners,score")
    add("--begin-with", help="weights file that a new run begins with; more --channels or --blocks than it has begin without effect")
    add("--channels", type=int, help=f"channels of a block (default: {CHANNELS}, or as many as --begin-with has)")
    add("--blocks", type=int, help=f"residual blocks (default: {BLOCKS}, or as many as --begin-with has)")
    add("--pooled", default="1,3", help="blocks with global pooling, from 0; those of --begin-with stay as they are")
    add("--batch", type=int, default=256)
    add("--rate", type=float, default=3e-3)
    add("--decay", type=float, default=0.4, help="part of the run in which the rate falls")
    add("--quantise-from", type=float, default=0.6, help="part of the run after which weights are rounded")
    add("--average", type=float, default=0.999, help="what the averaged weights keep each step")
    add("--value-weight", type=float, default=0.1)
    add("--score-weight", type=float, default=0.01)
    add("--owner-weight", type=float, default=0.0)
    add("--searched-part", type=float, default=0.5, help="part of the value's target that searches say, not the result")
    add("--late-weight", type=float, default=0.0, help="how much more the value counts where most points have stones")
    add("--seed", type=int, default=1)
    add("--report", type=int, default=20_000)
    add("--evaluate", type=int, default=200_000)
    add("--positions", type=int, default=10_000, help="positions of an evaluation")
    add("--final-positions", type=int, default=1_000_000, help="positions of the evaluation before an export")
    add("--save-seconds", type=float, default=120)
    return parser.parse_args()


def keep_memory():
    """Restarts the program with `MEMORY`, which glibc reads only at the start, unless it has settings already."""
    if sys.platform == "linux" and "GLIBC_TUNABLES" not in os.environ:
        settings = ":".join(f"glibc.malloc.{name}={value}" for name, value in MEMORY.items())
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"GLIBC_TUNABLES": settings})


def main():
    arguments = parse_arguments()
    keep_memory()
    folders = [pathlib.Path(folder) for folder in arguments.data]
    if arguments.shares and (len(arguments.shares) != len(folders) or min(arguments.shares) < 0):
        raise SystemExit(f"expected a share for each of {len(folders)} folders, found {arguments.shares}")
    try:
        training, validation = (
            [Samples(folder / f"{name}.rows") for folder in folders] for name in ("train", "validation")
        )
    except (OSError, BadSamples) as error:
        raise SystemExit(f"no games to train on: {error}") from None
    planes = {it.planes for it in training + validation}
    if len(planes) > 1:
        raise SystemExit(f"expected positions with the same planes, found {sorted(map(hex, planes))}: prepare them again")
    heads = sum(integers.HEADS[head] for head in arguments.heads.split(",") if head)
    pathlib.Path(arguments.run).mkdir(parents=True, exist_ok=True)
    run = Run(arguments)
    if run.path.exists():
        run.load()
    if train(arguments, run, training, validation):
        print(f"stopped after {run.samples} positions; the same command goes on", flush=True)
        return
    if arguments.export:
        for it in validation:
            count = min(arguments.final_positions, len(it))
            numbers = evaluate(run.average, it, count, loss_weights(arguments), True)
            numbers = " ".join(f"{number:.4f}" for number in numbers)
            print(f"as exported, {count} positions of {it.name} kept apart: {numbers}")
        network = integers.quantised(run.average)
        pathlib.Path(arguments.export).write_bytes(
            integers.weights_file(network, training[0].planes, run.samples, arguments.name, heads)
        )


if __name__ == "__main__":
    main()
