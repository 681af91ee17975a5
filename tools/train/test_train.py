"""python -m pytest tools/train, or python tools/train/test_train.py."""

import pathlib
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import convolution
import integers
import model
import train
from fixture import random_parameters
from samples import STONES, BadSamples, Samples, symmetries


def some_inputs(count, rows, columns):
    """Bytes like those of planes: mostly zeros, some ones, some numbers."""
    random = np.random.default_rng(5)
    inputs = random.choice([0, 0, 0, 64], size=(count, rows, columns, model.PLANES))
    inputs[..., 0] = 64
    inputs[..., 20] = random.integers(1, 127, size=(count, 1, 1))
    return inputs.astype(np.uint8)


def test_floats_with_rounding_are_the_integers():
    for rows, columns in ((19, 19), (9, 9), (5, 7), (1, 1)):
        parameters = random_parameters(3)
        inputs = some_inputs(4, rows, columns)
        moves, owners, mean, spread = model.forward(jax.tree.map(jnp.asarray, parameters), inputs, quantise=True)
        exact_moves, exact_owners, score = integers.forward(integers.quantised(parameters), inputs)
        # Biases and pooled numbers are rounded in the integers alone: a sum at a rounding limit may be rounded either
        # way, which changes an activation by one.
        scale = np.maximum(rows * columns / 4, 16)
        pairs = ((moves, exact_moves), (owners, exact_owners), (mean / scale, score[:, 0] / scale))
        for found, exact in (*pairs, (np.log2(spread), np.log2(score[:, 1] / 4096) * 4096)):
            error = np.abs(np.asarray(found) * 4096 - exact)
            assert np.median(error) < 80 and error.max() < 600, (rows, columns, error.max())


def test_a_run_that_begins_with_a_weights_file_has_its_network():
    network = integers.quantised(random_parameters(4))
    file = integers.weights_file(network, 2**model.PLANES - 1, 100, "test", 7)
    again = integers.quantised(integers.parameters_of(file))
    for (one, _), (other, _) in zip(integers._layers(network), integers._layers(again), strict=True):
        assert np.array_equal(one["w"], other["w"]) and np.array_equal(one["shift"], other["shift"])
        # Parameters have 24 bits.
        assert "b" not in one or np.allclose(one["b"], other["b"], rtol=1e-6, atol=1)
    for broken in (file[:-1], file[:70] + bytes([file[70] ^ 1]) + file[71:], b"TewariNN"):
        try:
            integers.parameters_of(broken)
            raise AssertionError("damaged weights were read")
        except ValueError:
            pass


def test_added_blocks_change_nothing_and_learn():
    parameters, deeper = random_parameters(6), random_parameters(6)
    present = len(parameters["blocks"])
    model.deepen(deeper, 1, present + 2, [present])
    assert len(deeper["blocks"]) == present + 2 and "pool" in deeper["blocks"][present]
    inputs = some_inputs(3, 9, 9)
    for quantise in (False, True):
        for one, other in zip(*(model.forward(it, inputs, quantise) for it in (parameters, deeper))):
            assert np.array_equal(one, other)
    gradient = jax.grad(lambda it: model.forward(it, inputs)[0].sum())(jax.tree.map(jnp.asarray, deeper))
    assert all(jnp.abs(block["b"]["w"]).max() > 0 for block in gradient["blocks"][present:])


def test_added_channels_change_nothing_and_learn_different_features():
    for channels in (64, 96):
        parameters, wider = random_parameters(7), random_parameters(7)
        model.widen(wider, 1, channels)
        assert jax.tree.map(np.shape, wider) == jax.tree.map(np.shape, model.initial(1, channels, 1, [0]))
        inputs = some_inputs(3, 9, 9)
        for one, other in zip(*(model.forward(it, inputs) for it in (parameters, wider))):
            # Sums of activations in bfloat16 are exact, those of weights are not.
            assert np.allclose(one, other, rtol=0.02, atol=0.1), np.abs(one - other).max()
        gradient = jax.grad(lambda it: model.forward(it, inputs)[0].sum())(jax.tree.map(jnp.asarray, wider))
        first, second = (gradient["blocks"][0]["a"]["w"][..., at : at + 32] for at in (0, 32))
        assert not np.allclose(first, second)


def test_own_convolution_and_its_gradients_are_xlas():
    random = np.random.default_rng(2)
    for taps, rows, columns in ((9, 19, 19), (1, 19, 19), (9, 3, 5), (9, 1, 1)):
        x = jnp.asarray(random.integers(0, 127, size=(3, rows, columns, 32)), jnp.bfloat16)
        w = jnp.asarray(random.integers(-127, 127, size=(taps, 32, 64)), jnp.bfloat16)
        d = jnp.asarray(random.integers(-2, 3, size=(3, rows, columns, 64)), jnp.float32)
        own, back = jax.vjp(convolution.convolution, x, w)
        xla, xla_back = jax.vjp(
            convolution._xla_convolution, x.astype(jnp.float32), w.astype(jnp.float32)
        )
        assert np.array_equal(own, xla)
        for one, other in zip(back(d), xla_back(d)):
            assert np.array_equal(one, other.astype(jnp.bfloat16))


def test_late_positions_count_more_and_stones_are_counted():
    late = np.zeros((2, 3, 3, model.PLANES), np.uint8)
    late[0, :2, :, STONES.start] = 64
    late[0, 2, 0, STONES.stop - 1] = 64
    late[:, :, :, STONES.stop] = 64
    assert np.allclose(train.stones_per_point(late), [7 / 9, 0])
    parameters = jax.tree.map(jnp.asarray, model.initial(3, 32, 1, []))
    labels = {
        "policy": np.ones((2, 10), np.float32) / 10,
        "owners": np.zeros((2, 9), np.float32),
        "komi": np.array([0.5, -0.5], np.float32),
        "result": np.array([1, 0], np.float32),
    }
    ones = ("has_policy", "has_owners", "has_result", "has_value", "has_score", "value", "score", "deviation")
    labels |= {name: np.ones(2, np.float32) for name in ones}

    def total(which, late_weight):
        chosen = jax.tree.map(lambda it: it[which], labels)
        weights = train.Weights(1.0, 0.0, 0.0, 0.25, late_weight)
        value = train.losses(parameters, late[which], chosen, weights, False)
        return float(value[0] - value[1][0])

    first, second = total(slice(0, 1), 2.0), total(slice(1, 2), 2.0)
    assert np.isclose(total(slice(0, 2), 0.0), (first + second) / 2, atol=1e-5)
    assert np.isclose(total(slice(0, 2), 2.0), (3 * first + second) / 4, atol=1e-5)


def test_a_file_that_was_cut_off_in_a_row_is_refused():
    header = b"TewariPS" + bytes([2, 0, 0, 0, 3, 3, 0, 0]) + (20).to_bytes(4, "little") + bytes(108)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "train.rows"
        path.write_bytes(header + bytes(40))
        assert len(Samples(path)) == 2
        for size in (1, 19, 39):
            path.write_bytes(header + bytes(size))
            try:
                Samples(path)
                raise AssertionError("a row was left out")
            except BadSamples:
                pass


def test_labels_of_an_evaluator_are_distributions():
    # One plane, of a point.
    kinds = (1 << 10).to_bytes(4, "little") + bytes(10) + bytes([1]) + bytes(93)
    header = b"TewariPS" + bytes([2, 0, 0, 0, 2, 1, 2, 0]) + (2 + 12 + 2 + 3 + 2).to_bytes(4, "little") + kinds
    # Komi -6.5, score 4, win rate 0.8, no result; owners, policy, and a deviation of 1.5 points.
    fixed = bytes([255, 255, 255, 255]) + (-13).to_bytes(2, "little", signed=True) + bytes([8, 0, 255, 200]) + bytes(4)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "train.rows"
        path.write_bytes(header + fixed + bytes([255, 51, 255, 0, 85, 12, 0]))
        _, labels = Samples(path).batch(np.array([0]), np.array([1]))
    expected = {"komi": -6.5, "score": 4, "deviation": 1.5, "result": 0.8, "has_result": 1, "has_owners": 1}
    assert all(np.allclose(labels[name], value) for name, value in expected.items())
    # The symmetry exchanges the points.
    assert np.allclose(labels["owners"], [[0.2, 1]]) and np.allclose(labels["policy"], [[0, 0.75, 0.25]])


def test_symmetries_are_different_and_keep_neighbours():
    for columns, rows, count in ((19, 19, 8), (3, 2, 4)):
        sources = symmetries(columns, rows)
        assert len(sources) == count and len({tuple(source) for source in sources}) == count
        for source in sources:
            row, column = np.divmod(source.reshape(rows, columns), columns)
            for axis in (0, 1):
                assert (np.abs(np.diff(row, axis=axis)) + np.abs(np.diff(column, axis=axis)) == 1).all()


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name, "ok")
