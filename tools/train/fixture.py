"""Makes the files that tests/network/network_trainer.rs compares the engine with.

    tewari network prepare tests/data/network/games.txt --validation 1 --out DATA
    python tools/train/fixture.py DATA tests/data/network

Writes random weights and, for a few positions, the output of integers.py.
"""

import argparse
import pathlib

import jax
import numpy as np

import integers
import model
from samples import Samples

POSITIONS = 6
KO = 9


def random_parameters(seed):
    """One block of 32 channels, pooled, with biases of all sizes."""
    parameters = model.initial(seed, 32, 1, [0])
    random = np.random.default_rng(seed)
    return jax.tree.map(lambda a: a + random.normal(size=a.shape).astype(np.float32) * 0.05, parameters)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    samples = Samples(arguments.data / "train.rows")
    network = integers.quantised(random_parameters(1))
    file = integers.weights_file(network, samples.planes, 0, "fixture", sum(integers.HEADS.values()))
    (arguments.out / "weights.bin").write_bytes(file)
    everything, _ = samples.batch(np.arange(len(samples)))
    with_ko = np.flatnonzero(everything[..., KO].any(axis=(1, 2)))[:2]
    indices = np.unique([*np.linspace(0, len(samples) - 1, POSITIONS).astype(np.int64), *with_ko])
    inputs = everything[indices]
    moves, owners, score = integers.forward(network, inputs)
    with (arguments.out / "expected.txt").open("w") as out:
        out.write("# moves played, then logits of all moves, of owners, and mean and spread of the score\n")
        for index, *parts in zip(indices, moves, owners.reshape(len(indices), -1), score):
            out.write(" ".join(str(int(number)) for number in [index, *np.concatenate(parts)]) + "\n")


if __name__ == "__main__":
    main()
