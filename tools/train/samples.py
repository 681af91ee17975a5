"""Prepared positions: reads the output of `tewari network prepare` (src/lab/training/samples.rs has the format)."""

import pathlib

import numpy as np

PLANES = 32
ONE = 64
# The planes of own and opponent's chains: src/network/planes.rs.
STONES = slice(1, 9)
BITS, POINT, WHOLE = 0, 1, 2
NO_POINT = 65535
NO_SCORE = -32768
NO_RESULT = 255
NO_VALUE = 255
MOST_VALUE = 250
HEADER_BYTES = 128
LABEL_BYTES = 12
DEVIATION_BYTES = 2
# Sources of labels.
RECORD, SELFPLAY, EVALUATOR = 0, 1, 2


class BadSamples(Exception):
    """A file without valid prepared positions."""


class Samples:
    """The rows of one file, on disk."""

    def __init__(self, path):
        path = pathlib.Path(path)
        header = path.open("rb").read(HEADER_BYTES)
        if len(header) < HEADER_BYTES or header[:8] != b"TewariPS":
            raise BadSamples(f"{path} has no prepared positions: make them with tewari network prepare")
        version = int.from_bytes(header[8:12], "little")
        if version != 2:
            raise BadSamples(f"{path}: expected version 2, found {version}: prepare the games again")
        self.columns, self.rows, self.source = header[12], header[13], header[14]
        self.points = self.columns * self.rows
        row_bytes = int.from_bytes(header[16:20], "little")
        self.planes = int.from_bytes(header[20:24], "little")
        count, rest = divmod(path.stat().st_size - HEADER_BYTES, row_bytes)
        if rest != 0:
            raise BadSamples(f"{path} was cut off in a row: prepare the games again")
        if count == 0:
            raise BadSamples(f"{path} has no positions: prepare more games")
        self.name = path.parent.name
        self.data = np.memmap(path, np.uint8, "r", HEADER_BYTES, (count, row_bytes))
        kinds = header[24:56]
        has = [plane for plane in range(PLANES) if self.planes >> plane & 1]
        self.of_kind = [[plane for plane in has if kinds[plane] == kind] for kind in (BITS, POINT, WHOLE)]
        self.symmetries = symmetries(self.columns, self.rows)

    def __len__(self):
        return len(self.data)

    def batch(self, indices, symmetry=None):
        """Inputs [n, rows, columns, PLANES] as bytes, and labels, under `symmetry`, one number for each position."""
        rows = self.data[indices]
        inputs = self._inputs(rows)
        labels = self._labels(rows)
        if symmetry is not None:
            sources = self.symmetries[symmetry]
            each = np.arange(len(rows))[:, None]
            inputs = inputs[each, sources]
            labels["owners"] = labels["owners"][each, sources]
            policy = labels["policy"]
            labels["policy"] = np.concatenate([policy[each, sources], policy[:, -1:]], axis=1)
        return inputs.reshape(-1, self.rows, self.columns, PLANES), labels

    def _inputs(self, rows):
        count = len(rows)
        inputs = np.zeros((count, self.points, PLANES), np.uint8)
        bits, points, wholes = self.of_kind
        width = (self.points + 7) // 8
        packed = rows[:, : len(bits) * width].reshape(count, len(bits), width)
        unpacked = np.unpackbits(packed, axis=2, count=self.points, bitorder="little")
        inputs[:, :, bits] = unpacked.transpose(0, 2, 1) * ONE
        start = len(bits) * width
        numbers = rows[:, start : start + 2 * len(points)].copy().view("<u2")
        which, column = np.nonzero(numbers != NO_POINT)
        inputs[which, numbers[which, column], np.array(points)[column]] = ONE
        start += 2 * len(points)
        inputs[:, :, wholes] = rows[:, None, start : start + len(wholes)]
        return inputs

    def _labels(self, rows):
        width = (self.points + 7) // 8
        owners = self.points if self.source == EVALUATOR else 2 * width
        policy = 0 if self.source == RECORD else self.points + 1
        rest = DEVIATION_BYTES if self.source == EVALUATOR else 0
        start = rows.shape[1] - rest - policy - owners - LABEL_BYTES
        bytes_, owners, policy, rest = np.split(rows[:, start:], np.cumsum([LABEL_BYTES, owners, policy]), axis=1)
        words = bytes_.copy().view("<i2")
        value = bytes_[:, 7]
        labels = {
            "value": value.astype(np.float32) / MOST_VALUE,
            "has_value": (value != NO_VALUE).astype(np.float32),
            "komi": words[:, 1].astype(np.float32) / 2,
            "score": words[:, 2].astype(np.float32) / 2,
            "has_score": (words[:, 2] != NO_SCORE).astype(np.float32),
            "deviation": np.zeros(len(rows), np.float32),
            "result": bytes_[:, 6].astype(np.float32) / 2,
            "has_result": (bytes_[:, 6] != NO_RESULT).astype(np.float32),
        }
        if self.source == EVALUATOR:
            # The win rate takes the place of the result.
            labels |= {"result": labels["value"], "has_result": labels["has_value"]}
            labels["deviation"] = rest.copy().view("<u2")[:, 0].astype(np.float32) / 8
            labels |= {"owners": owners.astype(np.float32) / 255, "has_owners": np.ones(len(rows), np.float32)}
        else:
            labels |= self._owners(owners)
        return labels | (self._played(words[:, 0].view("<u2")) if self.source == RECORD else self._shares(policy))

    def _played(self, moves):
        """The policy target of a recorded game: the move played."""
        policy = np.zeros((len(moves), self.points + 1), np.float32)
        policy[np.arange(len(moves)), moves] = 1
        return {"policy": policy, "has_policy": np.ones(len(moves), np.float32)}

    def _shares(self, bytes_):
        """The policy target of a search or an evaluator: the share of visits, or the probability, of each move."""
        shares = bytes_.astype(np.float32)
        sums = shares.sum(axis=1, keepdims=True)
        return {"policy": shares / np.maximum(sums, 1), "has_policy": (sums[:, 0] > 0).astype(np.float32)}

    def _owners(self, bytes_):
        """The final owner of each point: 1 the player, 0 the opponent, 1/2 neither."""
        planes = bytes_.reshape(len(bytes_), 2, -1)
        planes = np.unpackbits(planes, axis=2, count=self.points, bitorder="little").astype(np.float32)
        return {
            "owners": (planes[:, 0] - planes[:, 1] + 1) / 2,
            "has_owners": planes.any(axis=(1, 2)).astype(np.float32),
        }


def symmetries(columns, rows):
    """The source of each point under each symmetry: eight symmetries on a square board, four on a rectangle."""
    numbers = np.arange(columns * rows).reshape(rows, columns)
    turned = [numbers[::up, ::right] for up in (1, -1) for right in (1, -1)]
    if columns == rows:
        turned += [board.T for board in turned]
    return np.stack([board.ravel() for board in turned])
