"""The encoder in plain numpy: what the Rust must agree with, to the last digits of a float."""

import struct
from collections import Counter

import numpy as np

from words import Vocabulary, split

MAGIC = b"SEMB"
VERSION = 1
# Magic, version, rows, dimensions, alpha, and zeros up to 32 bytes.
HEADER = struct.Struct("<4sIIIfI8x")
# The largest of an int8 that has a negative of its own.
LARGEST = 127
# What is divided by at least.
TINY = 1e-12


class Encoder:
    """A table of vectors; a text is the sum of those of its tokens, each weighted by its count to the power alpha."""

    def __init__(self, folder):
        with open(f"{folder}/model.bin", "rb") as file:
            content = file.read()
        magic, version, self.rows, self.dimensions, self.alpha, _ = HEADER.unpack_from(content)
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError(f"cannot read {folder}/model.bin: {magic} {version}, not {MAGIC} {VERSION}")
        self.scale = np.frombuffer(content, "<f4", self.rows, HEADER.size)
        table = np.frombuffer(content, np.int8, self.rows * self.dimensions, HEADER.size + 4 * self.rows)
        self.table = table.reshape(self.rows, self.dimensions)
        self.vocabulary = Vocabulary.read(f"{folder}/vocab.txt")

    def ids(self, text):
        return self.vocabulary.ids_of_words(split(text))

    def encode(self, texts, dimensions=None):
        """One row of length 1 for each text; zeros for a text without ids."""
        dimensions = dimensions or self.dimensions
        return np.stack([self.vector(text, dimensions) for text in texts])

    def vector(self, text, dimensions):
        counts = Counter(self.ids(text))
        if not counts:
            return np.zeros(dimensions, np.float32)
        ids = np.fromiter(counts.keys(), np.int64)
        weights = np.fromiter(counts.values(), np.float32) ** self.alpha * self.scale[ids]
        vector = weights @ self.table[ids, :dimensions].astype(np.float32)
        return vector / (np.linalg.norm(vector) + TINY)


def quantised(rows):
    """Rows of floats as int8, and the scale of each row."""
    scale = (np.abs(rows).max(1) / LARGEST).astype("<f4")
    table = np.round(rows / np.maximum(scale, TINY)[:, None]).clip(-LARGEST, LARGEST).astype(np.int8)
    return table, scale


def write_model(path, table, scale, alpha):
    with open(path, "wb") as file:
        file.write(HEADER.pack(MAGIC, VERSION, *table.shape, alpha, 0))
        file.write(scale.astype("<f4").tobytes())
        file.write(table.tobytes())
