"""The network in floating point, with the clipping and, on demand, the rounding of the engine.

src/network/mod.rs describes the layers. Activations are 0 to 127 in units of 1/64; weights have 8 bits and a power of
two as scale for each output. So both are exact in bfloat16, and sums are exact in float32.
"""

import jax
import jax.numpy as jnp
import numpy as np

from convolution import convolution

PLANES = 32
UNIT = 64.0
LARGEST = 127.0
MOST_SHIFT = 12
HEAD = 32
# Deviation of the noise of widened weights, in deviations of the weights.
WIDENING_NOISE = 0.5
HIDDEN = 64
# Units of the score head: points of its mean, and points of its spread at exponent 0.
MEAN_POINTS = 16.0
SPREAD_POINTS = 8.0
# Range of the exponent of two in its spread.
SPREAD_RANGE = (-6, 5)


def initial(seed, channels, blocks, pooled):
    """Initial parameters. `pooled`: the blocks with global pooling."""
    random = np.random.default_rng(seed)

    def weights(shape, fan_in, gain=1.0):
        return (random.normal(size=shape) * gain * np.sqrt(2 / fan_in)).astype(np.float32)

    def conv(inputs, outputs, gain=1.0):
        return {"w": weights((9, inputs, outputs), 9 * inputs, gain), "b": np.zeros(outputs, np.float32)}

    def dense(inputs, outputs, gain=1.0):
        return {"w": weights((inputs, outputs), inputs, gain), "b": np.zeros(outputs, np.float32)}

    def pooling(outputs):
        # No bias: the layer to which it is added has one.
        return {"w": weights((3 * channels, outputs), 3 * channels, 0.3)}

    parameters = {
        # Few planes are not 0 at a point.
        "input": conv(PLANES, channels, 2.0),
        "blocks": [],
        "head": {"w": weights((1, channels, 2 * HEAD), channels), "b": np.zeros(2 * HEAD, np.float32)},
        "head_pool": pooling(2 * HEAD),
        "policy": dense(HEAD, 1),
        "owner": dense(HEAD, 1),
        "hidden": dense(3 * channels, HIDDEN, 0.5),
        "outputs": dense(HIDDEN, 3, 0.3),
    }
    for block in range(blocks):
        layers = {"a": conv(channels, channels), "b": conv(channels, channels, 1 / blocks)}
        if block in pooled:
            layers["pool"] = pooling(channels)
        parameters["blocks"].append(layers)
    return parameters


def deepen(parameters, seed, blocks, pooled):
    """Adds blocks up to the number `blocks`. They change nothing until they have learned something.

    Source: Chen, Goodfellow & Shlens, "Net2Net", ICLR 2016, section 3.2.
    """
    present = len(parameters["blocks"])
    if blocks <= present:
        return
    channels = parameters["input"]["w"].shape[2]
    for block in initial(seed, channels, blocks, pooled)["blocks"][present:]:
        block["b"]["w"][:] = 0
        if "pool" in block:
            block["pool"]["w"][:] = 0
        parameters["blocks"].append(block)


def widen(parameters, seed, channels):
    """Gives the trunk more channels: copies of the present ones, which together change nothing.

    The weights of the copies of an input add up to the weight of the input, with noise, so that copies learn different
    features. Source: Chen, Goodfellow & Shlens, "Net2Net", ICLR 2016, section 3.1.
    """
    present = parameters["input"]["w"].shape[2]
    if channels <= present:
        return
    random = np.random.default_rng(seed)
    source = np.arange(channels) % present
    copies = np.bincount(source)

    def outputs(layer):
        return {name: np.asarray(value)[..., source] for name, value in layer.items()}

    def inputs(layer, groups=1):
        """Widens the next to last axis, which has `groups` times the channels."""
        w = np.asarray(layer["w"])
        w = w.reshape(*w.shape[:-2], groups, present, w.shape[-1])
        shares = w[..., source, :] / copies[source][:, None]
        noise = WIDENING_NOISE * shares.std() * random.normal(size=shares.shape)
        for channel in range(present):
            of_channel = source == channel
            noise[..., of_channel, :] -= noise[..., of_channel, :].mean(axis=-2, keepdims=True)
        w = (shares + noise).reshape(*w.shape[:-3], groups * channels, w.shape[-1])
        return layer | {"w": w.astype(np.float32)}

    parameters["input"] = outputs(parameters["input"])
    parameters["head"] = inputs(parameters["head"])
    for name in ("head_pool", "hidden"):
        parameters[name] = inputs(parameters[name], 3)
    for block in parameters["blocks"]:
        for name in ("a", "b"):
            block[name] = outputs(inputs(block[name]))
        if "pool" in block:
            block["pool"] = outputs(inputs(block["pool"], 3))


def straight_through(exact, rounded):
    """`rounded`, with the gradient of `exact`."""
    return exact + jax.lax.stop_gradient(rounded - exact)


def weight_shift(w):
    """The exponent of two for each output (last axis): the largest with which its weights fit 8 bits."""
    largest = jnp.maximum(jnp.abs(w).max(axis=tuple(range(w.ndim - 1))), 1e-9)
    return jnp.clip(jnp.floor(jnp.log2(LARGEST / largest)), 0, MOST_SHIFT)


def rounded_weights(w, quantise):
    if not quantise:
        return w
    scale = jax.lax.stop_gradient(jnp.exp2(weight_shift(w)))
    return straight_through(w, jnp.clip(jnp.round(w * scale), -LARGEST, LARGEST) / scale)


def activation(x, quantise):
    clipped = jnp.clip(x, 0, LARGEST / UNIT)
    if not quantise:
        return clipped
    return straight_through(clipped, jnp.clip(jnp.floor(x * UNIT + 0.5), 0, LARGEST) / UNIT)


def pool(x):
    """Mean, mean scaled with the size of the board, and maximum of each channel."""
    points = x.shape[1] * x.shape[2]
    mean = x.mean(axis=(1, 2), dtype=jnp.float32)
    return jnp.concatenate([mean, mean * (side_factor(points) / 256), largest(x)], axis=1)


@jax.custom_vjp
def largest(x):
    """The maximum of each channel. Its gradient is shared by all points with the maximum: a tenth of the cost of XLA's."""
    return x.max(axis=(1, 2))


def _largest_forward(x):
    maximum = x.max(axis=(1, 2))
    return maximum, (x, maximum)


def _largest_backward(saved, gradient):
    x, maximum = saved
    is_it = x == maximum[:, None, None]
    share = gradient / jnp.maximum(is_it.sum(axis=(1, 2)), 1)
    return (jnp.where(is_it, share[:, None, None], 0).astype(x.dtype),)


largest.defvjp(_largest_forward, _largest_backward)


def side_factor(points):
    """(side - 14) / 10 in units of 1/256, where the side of a board is the square root of its area."""
    return (int(np.floor(np.sqrt(points * 65536.0))) - 14 * 256) // 10


def forward(parameters, inputs, quantise=False):
    """Logits of all moves, logits of owners, and mean and spread of the score in points.

    `inputs`: bytes [n, rows, columns, PLANES].
    """

    def conv(layer, x):
        return convolution(x, rounded_weights(layer["w"], quantise)) + layer["b"]

    def dense(layer, x):
        return x @ rounded_weights(layer["w"], quantise) + layer.get("b", 0.0)

    def point(layer, x):
        return dense(layer, x.reshape(-1, HEAD).astype(jnp.float32)).reshape(x.shape[:3])

    def act(x):
        return activation(x, quantise).astype(jnp.bfloat16)

    x = act(conv(parameters["input"], inputs.astype(jnp.bfloat16) / UNIT))
    for block in parameters["blocks"]:
        y = act(conv(block["a"], x))
        z = conv(block["b"], y) + x
        if "pool" in block:
            z = z + dense(block["pool"], pool(y))[:, None, None]
        x = act(z)
    pooled = pool(x)
    head = act(conv(parameters["head"], x) + dense(parameters["head_pool"], pooled)[:, None, None])
    policy = point(parameters["policy"], head[..., :HEAD])
    owner = point(parameters["owner"], head[..., HEAD:])
    outputs = dense(parameters["outputs"], act(dense(parameters["hidden"], pooled)))
    moves = jnp.concatenate([policy.reshape(len(inputs), -1), outputs[:, :1]], axis=1)
    # The sum of the owners: the mean owner of each point, from -1 (opponent) to 1 (player).
    mean = outputs[:, 1] * MEAN_POINTS + jnp.tanh(owner / 2).sum(axis=(1, 2))
    return moves, owner, mean, SPREAD_POINTS * jnp.exp2(jnp.clip(outputs[:, 2], *SPREAD_RANGE))
