"""Writes a trained network as the int8 file that inference reads.

All numbers are little-endian. Magic "EPEN"; u32: version, tokens, width, layers, heads, hidden, positions, bytes of the
vocabulary. The vocabulary, a token a line; the first three are [CLS], [SEP] and [UNK]. Then tables and products, each
as f32 scales by row, for a product f32 biases by row, and i8 rows: tokens, positions, and in each layer
query-key-value, output, wide, narrow. The f32 weights and biases of the norm stand behind the positions, those of the
two norms of a layer behind the product they follow (output, narrow).
"""

import re
import struct

import numpy as np

MAGIC = b"EPEN"
VERSION = 1
HEADER = struct.Struct("<4s8I")
LARGEST = 127
POSITIONS = 256
HEADS = 12
MARKS = ["[CLS]", "[SEP]", "[UNK]"]
# Texts are split into words of these before they are encoded: no other token can occur.
TOKEN = re.compile(r"(##)?[a-z0-9]+")


def write_encoder(path, network, vocabulary):
    """`vocabulary` is token -> row of the network's table."""
    tokens = MARKS + sorted((each for each in vocabulary if TOKEN.fullmatch(each)), key=vocabulary.get)
    state = {key: value.detach().float().cpu().numpy() for key, value in network.state_dict().items()}
    text = "\n".join(tokens).encode()
    layers = len(network.layers)
    width, hidden = state["words.weight"].shape[1], len(state["layers.0.wide.bias"])
    with open(path, "wb") as file:
        file.write(HEADER.pack(MAGIC, VERSION, len(tokens), width, layers, HEADS, hidden, POSITIONS, len(text)))
        file.write(text)
        write_rows(file, state["words.weight"][[vocabulary[token] for token in tokens]])
        write_rows(file, state["positions.weight"][:POSITIONS])
        write_floats(file, state["norm.weight"], state["norm.bias"])
        for at in range(layers):
            for name in ("query_key_value", "output", "output_norm", "wide", "narrow", "narrow_norm"):
                weight, bias = state[f"layers.{at}.{name}.weight"], state[f"layers.{at}.{name}.bias"]
                if name.endswith("norm"):
                    write_floats(file, weight, bias)
                else:
                    write_rows(file, weight, bias)


def write_rows(file, rows, bias=None):
    scale = np.maximum(np.abs(rows).max(1) / LARGEST, 1e-12).astype("<f4")
    write_floats(file, scale, *([] if bias is None else [bias]))
    file.write(np.round(rows / scale[:, None]).clip(-LARGEST, LARGEST).astype(np.int8).tobytes())


def write_floats(file, *arrays):
    for array in arrays:
        file.write(array.astype("<f4").tobytes())
