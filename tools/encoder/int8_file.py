"""Writes a trained network as the int8 file that inference reads.   int8_file.py IN OUT --projection FILE

All numbers are little-endian. Magic "EPEN"; u32: version, tokens, width, layers, heads, hidden, positions, bytes of the
vocabulary, dimensions. The vocabulary, a token a line; the first three are [CLS], [SEP] and [UNK]. Then tables and
products, each as f32 scales by row, for a product f32 biases by row, and i8 rows: tokens, positions, and in each layer
query-key-value, output, wide, narrow. The rows of a product are packed as they are used: panels of sixteen rows, and in
a panel for each input the weights of all sixteen. The f32 weights and biases of the norm stand behind the positions,
those of the two norms of a layer behind the product they follow (output, narrow). The file ends with the projection,
f32 rows as many as dimensions: a text's vector is the rows times the mean of its tokens, divided by its length.

Training writes a file without a projection (0 dimensions). Directions can be found only with a trained network, so the
command adds them to such a file; FILE has nothing but f32 rows.
"""

import argparse
import re
import struct

import numpy as np

MAGIC = b"EPEN"
VERSION = 2
HEADER = struct.Struct("<4s9I")
LARGEST = 127
POSITIONS = 256
HEADS = 12
PANEL = 16
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
        file.write(HEADER.pack(MAGIC, VERSION, len(tokens), width, layers, HEADS, hidden, POSITIONS, len(text), 0))
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
                    write_product(file, weight, bias)


def add_projection(content, projection):
    """A file that has no projection, with one; `projection` is the bytes of its rows."""
    magic, version, *numbers, dimensions = HEADER.unpack_from(content)
    if (magic, version, dimensions) != (MAGIC, VERSION, 0):
        raise ValueError(f"cannot add a projection to {magic} {version} of {dimensions} dimensions")
    width = numbers[1]
    dimensions, rest = divmod(len(projection), 4 * width)
    if rest or not dimensions:
        raise ValueError(f"cannot use a projection of {len(projection)} bytes: its rows have {width} numbers")
    return HEADER.pack(magic, version, *numbers, dimensions) + content[HEADER.size :] + projection


def write_rows(file, rows):
    rows, scale = quantised(rows)
    write_floats(file, scale)
    file.write(rows.tobytes())


def write_product(file, rows, bias):
    rows, scale = quantised(rows)
    write_floats(file, scale, bias)
    file.write(packed(rows).tobytes())


def quantised(rows):
    scale = np.maximum(np.abs(rows).max(1) / LARGEST, 1e-12).astype("<f4")
    return np.round(rows / scale[:, None]).clip(-LARGEST, LARGEST).astype(np.int8), scale


def packed(rows):
    return rows.reshape(-1, PANEL, rows.shape[1]).transpose(0, 2, 1)


def write_floats(file, *arrays):
    for array in arrays:
        file.write(array.astype("<f4").tobytes())


def main():
    arguments = argparse.ArgumentParser(description="Adds a projection to the file of a trained network.")
    arguments.add_argument("network", help="a file without a projection")
    arguments.add_argument("out")
    arguments.add_argument("--projection", required=True, help="f32 rows, little-endian")
    options = arguments.parse_args()
    with open(options.network, "rb") as network, open(options.projection, "rb") as projection:
        content = add_projection(network.read(), projection.read())
    with open(options.out, "wb") as file:
        file.write(content)


if __name__ == "__main__":
    main()
