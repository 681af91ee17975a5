"""The network in the integers of the engine: the content of the weights file, and the same sums in numpy.

src/network/mod.rs describes the layers, src/network/weights.rs the file. tests/network/network_trainer.rs checks that the
engine and `forward` give the same bits.
"""

import numpy as np

import model

MAGIC = b"TewariNN"
VERSION = 2
# The previous version, in which the sum of the owners is not added to the mean of the score.
WITHOUT_COUNT = 1
HEADER_BYTES = 64
HEADS = {"policy": 1, "owners": 2, "score": 4}


def _quantise(layer, bias_places):
    """Weights as bytes, a shift for each output, and biases in units of 2^-(bias_places + shift)."""
    w = np.asarray(layer["w"], np.float32)
    shift = np.asarray(model.weight_shift(w)).astype(np.int64)
    rounded = np.clip(np.rint(w * 2.0**shift), -127, 127).astype(np.int64)
    quantised = {"w": rounded, "shift": shift}
    if "b" in layer:
        bias = np.rint(np.asarray(layer["b"], np.float64) * 2.0 ** (bias_places + shift))
        quantised["b"] = np.clip(bias, -(2**30), 2**30).astype(np.int64)
    return quantised


def quantised(parameters):
    """All layers of the parameters of `model.initial` in integers."""
    # Activations have 6 binary places, pooled numbers 14.
    network = {
        "input": _quantise(parameters["input"], 6),
        "blocks": [],
        "head": _quantise(parameters["head"], 6),
        "head_pool": _quantise(parameters["head_pool"], 14),
        "policy": _quantise(parameters["policy"], 6),
        "owner": _quantise(parameters["owner"], 6),
        "hidden": _quantise(parameters["hidden"], 14),
        "outputs": _quantise(parameters["outputs"], 6),
    }
    for block in parameters["blocks"]:
        layers = {"a": _quantise(block["a"], 6), "b": _quantise(block["b"], 6)}
        if "pool" in block:
            layers["pool"] = _quantise(block["pool"], 14)
        network["blocks"].append(layers)
    return network


def _shift_right(value, places):
    """`value` divided by 2^places and rounded; multiplied if `places` is negative."""
    right, left = np.maximum(places, 0), np.maximum(-places, 0)
    return (value + np.where(right > 0, 1 << np.maximum(right - 1, 0), 0) >> right) << left


def _activation(sums, shift, residual=0):
    return np.clip(_shift_right(sums, shift) + residual, 0, 127)


def _convolution(layer, x):
    count, rows, columns, _ = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    sums = np.zeros((count, rows, columns, layer["w"].shape[2]), np.int64) + layer["b"]
    for tap in range(9):
        down, right = divmod(tap, 3)
        sums += padded[:, down : down + rows, right : right + columns] @ layer["w"][tap]
    return sums


def _pool(x):
    """Mean, scaled mean and maximum with 14 binary places."""
    points = x.shape[1] * x.shape[2]
    mean = (x.sum(axis=(1, 2)) * 256 + points // 2) // points
    scaled = mean * model.side_factor(points) >> 8
    return np.concatenate([mean, scaled, x.max(axis=(1, 2)) << 8], axis=1)


def _pooled_bias(pooling, pooled, shift):
    """The addend from pooled numbers to sums with `shift` and 6 binary places."""
    return _shift_right(pooled @ pooling["w"], 8 + pooling["shift"] - shift)[:, None, None]


def _output(layer, x):
    """The output of a layer with 12 binary places."""
    return _shift_right(x @ layer["w"] + layer["b"], layer["shift"] - 6)


STEPS = 256
POWERS = np.rint(np.exp2(-np.arange(STEPS + 1) / STEPS) * 2.0**30).astype(np.int64)


def _power(x):
    """2^-x with 30 binary places, for x >= 0 with 12: linear between the steps of a table."""
    whole, (step, between) = x >> 12, np.divmod(x & 4095, 4096 // STEPS)
    part = POWERS[step] - (POWERS[step] - POWERS[step + 1]) * between // (4096 // STEPS)
    return np.where(whole > 62, 0, part >> np.minimum(whole, 62))


def _logistic(x):
    """1 / (1 + e^-x) in units of 1 / (2^32 - 1), for x with 12 binary places."""
    most = 2**32 - 1
    winning = (most << 30) // ((1 << 30) + _power(np.abs(x) * 5909 >> 12))
    return np.where(x < 0, most - winning, winning)


def _score(owner, numbers):
    """Mean and spread of the score in points with 12 binary places, from the owners and the two outputs of the head."""
    counted = _shift_right((2 * _logistic(owner) - (2**32 - 1)).sum(axis=(1, 2)), 20)
    least, most = model.SPREAD_RANGE
    above = np.clip(numbers[:, 1], least << 12, most << 12)
    spread = int(model.SPREAD_POINTS) * 2**most * _power((most << 12) - above) >> 18
    return np.stack([numbers[:, 0] * int(model.MEAN_POINTS) + counted, spread], axis=1)


def forward(network, inputs):
    """Logits of all moves and of owners, and mean and spread of the score in points, all with 12 binary places."""
    layer = network["input"]
    x = _activation(_convolution(layer, inputs.astype(np.int64)), layer["shift"])
    for block in network["blocks"]:
        y = _activation(_convolution(block["a"], x), block["a"]["shift"])
        sums = _convolution(block["b"], y)
        if "pool" in block:
            sums = sums + _pooled_bias(block["pool"], _pool(y), block["b"]["shift"])
        x = _activation(sums, block["b"]["shift"], x)
    pooled = _pool(x)
    head = network["head"]
    sums = x @ head["w"][0] + head["b"] + _pooled_bias(network["head_pool"], pooled, head["shift"])
    sums = _activation(sums, head["shift"])
    policy = _output(network["policy"], sums[..., : model.HEAD])[..., 0]
    owner = _output(network["owner"], sums[..., model.HEAD :])[..., 0]
    hidden = network["hidden"]
    inner = _activation(pooled @ hidden["w"] + hidden["b"], 8 + hidden["shift"])
    outputs = _output(network["outputs"], inner)
    moves = np.concatenate([policy.reshape(len(inputs), -1), outputs[:, :1]], axis=1)
    return moves, owner, _score(owner, outputs[:, 1:])


def _layer_bytes(layer):
    data = layer["w"].astype(np.int8).tobytes() + layer["shift"].astype(np.uint8).tobytes()
    return data + (layer["b"].astype("<i4").tobytes() if "b" in layer else b"")


def _checksum(data):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def _layers(network):
    """All layers in the order of the file, each with the binary places of its input."""
    yield network["input"], 6
    for block in network["blocks"]:
        yield block["a"], 6
        if "pool" in block:
            yield block["pool"], 14
        yield block["b"], 6
    for part, places in (("head", 6), ("head_pool", 14), ("policy", 6), ("owner", 6), ("hidden", 14), ("outputs", 6)):
        yield network[part], places


def parameters_of(data):
    """Parameters from the bytes of a weights file; `quantised` gives the integers of the file again."""
    version = int.from_bytes(data[8:12], "little")
    if data[:8] != MAGIC or version not in (WITHOUT_COUNT, VERSION):
        raise ValueError(f"expected a weights file of version {WITHOUT_COUNT} or {VERSION}, found something else")
    if _checksum(data[:40] + bytes(8) + data[48:]) != int.from_bytes(data[40:48], "little"):
        raise ValueError("the weights file is damaged (its checksum does not match): copy it again")
    channels, blocks = (int.from_bytes(data[at : at + 2], "little") for at in (12, 14))
    pooled = int.from_bytes(data[20:24], "little")
    parameters = model.initial(0, channels, blocks, [block for block in range(blocks) if pooled >> block & 1])
    at = HEADER_BYTES

    def read(kind, count):
        nonlocal at
        numbers = np.frombuffer(data, kind, count, at)
        at += numbers.nbytes
        return numbers.astype(np.float64)

    for layer, places in _layers(parameters):
        shape = layer["w"].shape
        w, shift = read(np.int8, np.prod(shape)).reshape(shape), read(np.uint8, shape[-1])
        layer["w"] = (w / 2.0**shift).astype(np.float32)
        if "b" in layer:
            layer["b"] = (read("<i4", shape[-1]) / 2.0 ** (places + shift)).astype(np.float32)
    planes = int.from_bytes(data[16:20], "little")
    unseen = [plane for plane in range(model.PLANES) if not planes >> plane & 1]
    # What was drawn for a plane that this network never saw would be noise to one that sees it.
    parameters["input"]["w"][:, unseen] = 0
    if version == WITHOUT_COUNT:
        # Owners count what this output said: it begins anew as nothing.
        parameters["outputs"]["w"][:, 1] = 0
        parameters["outputs"]["b"][1] = 0
    return parameters


def weights_file(network, planes, samples, name, trained):
    """The bytes of a weights file."""
    blocks = network["blocks"]
    pooled = sum(1 << i for i, block in enumerate(blocks) if "pool" in block)
    body = b"".join(_layer_bytes(layer) for layer, _ in _layers(network))
    header = bytearray(HEADER_BYTES)
    header[:8] = MAGIC
    header[8:12] = VERSION.to_bytes(4, "little")
    header[12:14] = network["input"]["w"].shape[2].to_bytes(2, "little")
    header[14:16] = len(blocks).to_bytes(2, "little")
    header[16:20] = planes.to_bytes(4, "little")
    header[20:24] = pooled.to_bytes(4, "little")
    header[24:28] = trained.to_bytes(4, "little")
    header[32:40] = int(samples).to_bytes(8, "little")
    header[48:64] = name.encode()[:16].ljust(16, b"\0")
    header[40:48] = _checksum(bytes(header) + body).to_bytes(8, "little")
    return bytes(header) + body
