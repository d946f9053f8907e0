"""The published weights of all-MiniLM-L6-v2 as one small file: words int8, the rest fp16.

pack_base.py model.safetensors base.npz
"""

import sys

import numpy as np
from safetensors.numpy import load_file

NAMES = {
    "attention.output.dense": "output",
    "attention.output.LayerNorm": "output_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "narrow_norm",
}


def main():
    weights = {key.removeprefix("bert."): value for key, value in load_file(sys.argv[1]).items()}
    words = weights["embeddings.word_embeddings.weight"]
    scale = np.abs(words).max(1) / 127
    # Every token is of the first kind, so that its vector can be part of the positions.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    packed = {
        "words": np.round(words / scale[:, None]).astype(np.int8),
        "words_scale": scale.astype(np.float32),
        "positions.weight": positions.astype(np.float16),
        "norm.weight": weights["embeddings.LayerNorm.weight"].astype(np.float32),
        "norm.bias": weights["embeddings.LayerNorm.bias"].astype(np.float32),
    }
    for at in range(6):
        old, new = f"encoder.layer.{at}.", f"layers.{at}."
        for part in ("weight", "bias"):
            three = [weights[f"{old}attention.self.{each}.{part}"] for each in ("query", "key", "value")]
            packed[f"{new}query_key_value.{part}"] = np.concatenate(three).astype(np.float16)
            for long, short in NAMES.items():
                packed[f"{new}{short}.{part}"] = weights[f"{old}{long}.{part}"].astype(np.float16)
    np.savez_compressed(sys.argv[2], **packed)


if __name__ == "__main__":
    main()
