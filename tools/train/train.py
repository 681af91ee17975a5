"""Trains a network: prepared positions in, a weights file out.

    tewari network prepare GAMES --out DATA
    python tools/train/train.py DATA --run RUN --samples 5000000 --export src/network/weights.bin

It may be stopped at any moment and goes on from RUN/checkpoint.npz when it is started again.
"""

import argparse
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

import integers
import model
from samples import BadSamples, Samples

WARM_UP = 20_000
EVALUATION_BATCH = 256


def losses(parameters, inputs, labels, weights, quantise):
    """The loss to minimise, and what to report: of the policy, of the result, and how often each was right."""
    moves, _, mean, spread = model.forward(parameters, inputs, quantise)
    played = labels["move"]
    policy = optax.softmax_cross_entropy_with_integer_labels(moves, played).mean()
    hits = (moves.argmax(axis=1) == played).mean()
    winning = (mean + labels["komi"]) / spread
    has_result, result = labels["has_result"], labels["result"]
    known = jnp.maximum(has_result.sum(), 1)
    value = (optax.sigmoid_binary_cross_entropy(winning, result) * has_result).sum() / known
    right = (((winning > 0) == (result > 0.5)) * has_result).sum() / known
    # The score as a logistic distribution, so that the same two numbers give the chance to win at any komi.
    error = (labels["score"] - mean) / spread
    density = error + 2 * jax.nn.softplus(-error) + jnp.log(spread)
    has_score = labels["has_score"]
    score = (density * has_score).sum() / jnp.maximum(has_score.sum(), 1)
    total = policy + weights[0] * value + weights[1] * score
    return total, jnp.stack([policy, hits, value, right, score])


def rate_at(samples, arguments):
    """The learning rate: a short warm-up, constant, and a cosine to nothing at the end."""
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
    """Everything that a run remembers."""

    def __init__(self, arguments):
        pooled = [int(block) for block in arguments.pooled.split(",") if block]
        self.parameters = model.initial(arguments.seed, arguments.channels, arguments.blocks, pooled)
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
    weights = (arguments.value_weight, arguments.score_weight)
    step = make_step(run.optimiser, weights)
    log = (pathlib.Path(arguments.run) / "log.csv").open("a")
    if log.tell() == 0:
        log.write("samples,seconds,rate,quantised,set,policy,top1,value,sign,score\n")

    def report(name, numbers, seconds, rate, quantise):
        line = ",".join(f"{number:.4f}" for number in numbers)
        text = f"{run.samples},{seconds:.0f},{rate:.2e},{int(quantise)},{name},{line}"
        print(text, flush=True)
        log.write(text + "\n")
        log.flush()

    seen, last_save, sum_, steps = time.time(), time.time(), 0, 0
    while run.samples < arguments.samples:
        random = np.random.default_rng([arguments.seed, run.samples])
        indices = random.integers(len(training), size=arguments.batch)
        symmetry = random.integers(len(training.symmetries), size=arguments.batch)
        rate = rate_at(run.samples, arguments)
        quantise = run.samples >= arguments.quantise_from * arguments.samples
        keep = min(arguments.average, run.samples / (run.samples + 20_000))
        run.parameters, run.average, run.state, numbers = step(
            run.parameters, run.average, run.state, *training.batch(indices, symmetry), rate, keep, quantise
        )
        before, run.samples = run.samples, run.samples + arguments.batch
        sum_, steps = sum_ + np.asarray(numbers), steps + 1
        if before // arguments.report != run.samples // arguments.report:
            report("training", sum_ / steps, time.time() - seen, rate, quantise)
            seen, sum_, steps = time.time(), 0, 0
        if before // arguments.evaluate != run.samples // arguments.evaluate:
            numbers = evaluate(run.average, validation, arguments.positions, weights, quantise)
            report("validation", numbers, time.time() - seen, rate, quantise)
            seen = time.time()
        if time.time() - last_save > arguments.save_seconds:
            run.save()
            last_save = time.time()
    run.save()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("data", help="folder with train.rows and validation.rows")
    add("--run", required=True, help="folder of this run: checkpoint and log")
    add("--samples", type=float, default=5e6, help="positions to train on in all")
    add("--export", help="write the weights file here at the end; with --samples 0, at once")
    add("--name", default="", help="name in the weights file, at most 16 bytes")
    add("--heads", default="policy", help="which heads are trained well enough to be used: policy,owners,score")
    add("--channels", type=int, default=32)
    add("--blocks", type=int, default=5)
    add("--pooled", default="1,3", help="blocks with global pooling, from 0")
    add("--batch", type=int, default=256)
    add("--rate", type=float, default=3e-3)
    add("--decay", type=float, default=0.4, help="part of the run in which the rate falls")
    add("--quantise-from", type=float, default=0.6, help="part of the run after which weights are rounded")
    add("--average", type=float, default=0.999, help="what the averaged weights keep each step")
    add("--value-weight", type=float, default=0.1)
    add("--score-weight", type=float, default=0.01)
    add("--seed", type=int, default=1)
    add("--report", type=int, default=20_000)
    add("--evaluate", type=int, default=200_000)
    add("--positions", type=int, default=10_000, help="positions of an evaluation")
    add("--final-positions", type=int, default=1_000_000, help="positions of the evaluation before an export")
    add("--save-seconds", type=float, default=120)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    folder = pathlib.Path(arguments.data)
    try:
        training, validation = (Samples(folder / f"{name}.rows") for name in ("train", "validation"))
    except (OSError, BadSamples) as error:
        raise SystemExit(f"no games to train on: {error}") from None
    heads = sum(integers.HEADS[head] for head in arguments.heads.split(",") if head)
    pathlib.Path(arguments.run).mkdir(parents=True, exist_ok=True)
    run = Run(arguments)
    if run.path.exists():
        run.load()
    train(arguments, run, training, validation)
    weights = (arguments.value_weight, arguments.score_weight)
    if arguments.export:
        count = min(arguments.final_positions, len(validation))
        numbers = evaluate(run.average, validation, count, weights, True)
        print(f"as exported, {count} positions kept apart:", *(f"{number:.4f}" for number in numbers))
        network = integers.quantised(run.average)
        pathlib.Path(arguments.export).write_bytes(
            integers.weights_file(network, training.planes, run.samples, arguments.name, heads)
        )


if __name__ == "__main__":
    main()
