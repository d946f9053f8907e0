"""The encoder in plain numpy: what the Rust must agree with.   encode.py MODEL TEXTS > VECTORS

TEXTS is a list in JSON; VECTORS has for each text its ids with the marks, and the first eight numbers of its vector.
"""

import json
import math
import pathlib
import sys

import numpy as np

from int8_file import HEADER, MAGIC, PANEL, VERSION

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "embedding"))
from words import split  # noqa: E402

START, END, UNKNOWN = range(3)
FIRST_NUMBERS = 8
EPSILON = 1e-12
erf = np.vectorize(math.erf)


class Encoder:
    def __init__(self, content):
        magic, version, tokens, width, layers, self.heads, hidden, positions, letters, dimensions = HEADER.unpack_from(
            content
        )
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError(f"cannot read {magic} {version}, not {MAGIC} {VERSION}")
        self.content, self.at = content, HEADER.size
        self.ids = {token: number for number, token in enumerate(self._take(letters).decode().split("\n"))}
        self.tokens, self.positions = self._table(tokens, width), self._table(positions, width)
        self.norm = self._floats(2, width)
        self.layers = [
            (
                self._product(width, 3 * width),
                self._product(width, width),
                self._floats(2, width),
                self._product(width, hidden),
                self._product(hidden, width),
                self._floats(2, width),
            )
            for _ in range(layers)
        ]
        self.projection = self._floats(dimensions, width) if dimensions else np.eye(width)

    def encode(self, text, most=256):
        ids = self.ids_of(text, most)
        state = normalised(self.tokens[ids] + self.positions[: len(ids)], self.norm)
        for query_key_value, output, output_norm, wide, narrow, narrow_norm in self.layers:
            state = normalised(state + times(self._attend(times(state, query_key_value)), output), output_norm)
            inner = times(state, wide)
            inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
            state = normalised(state + times(inner, narrow), narrow_norm)
        vector = self.projection @ state.mean(0)
        return vector / np.linalg.norm(vector)

    def ids_of(self, text, most):
        found = [START]
        for word in split(text):
            found += self._pieces(word)
        return [*found[: most - 1], END]

    def _pieces(self, word):
        found, start = [], 0
        while start < len(word):
            ends = range(len(word), start, -1)
            end = next((end for end in ends if ("##" if start else "") + word[start:end] in self.ids), None)
            if end is None:
                return [UNKNOWN]
            found.append(self.ids[("##" if start else "") + word[start:end]])
            start = end
        return found

    def _attend(self, three):
        count, size = len(three), three.shape[1] // (3 * self.heads)
        query, key, value = three.reshape(count, 3, self.heads, size).transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(size)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return (shares @ value).transpose(1, 0, 2).reshape(count, -1)

    def _take(self, count):
        self.at += count
        return self.content[self.at - count : self.at]

    def _floats(self, *shape):
        return np.frombuffer(self._take(4 * math.prod(shape)), "<f4").reshape(shape).astype(float)

    def _table(self, rows, width):
        scale = self._floats(rows)
        return np.frombuffer(self._take(rows * width), np.int8).reshape(rows, width) * scale[:, None]

    def _product(self, inputs, outputs):
        scale, bias = self._floats(outputs), self._floats(outputs)
        panels = np.frombuffer(self._take(inputs * outputs), np.int8).reshape(-1, inputs, PANEL)
        return panels.transpose(0, 2, 1).reshape(outputs, inputs) * scale[:, None], bias


def times(state, product):
    weight, bias = product
    return state @ weight.T + bias


def normalised(state, norm):
    state = state - state.mean(-1, keepdims=True)
    return state / np.sqrt((state**2).mean(-1, keepdims=True) + EPSILON) * norm[0] + norm[1]


def main():
    _, model, texts = sys.argv
    encoder = Encoder(pathlib.Path(model).read_bytes())
    cases = [
        {
            "text": text,
            "ids": encoder.ids_of(text, 256),
            "v8": [round(number, 6) for number in encoder.encode(text)[:FIRST_NUMBERS]],
        }
        for text in json.loads(pathlib.Path(texts).read_text())
    ]
    print("[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]")


if __name__ == "__main__":
    main()
