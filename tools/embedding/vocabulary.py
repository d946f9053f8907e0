"""Step 3: from pairs to a vocabulary and arrays of ids; pairs that would flatter the measurements are taken out.

Five packages are held out whole, and pairs that share text with the benchmarks given are dropped.
"""

import argparse
import json
import os
import pickle
import random
from collections import Counter

import numpy as np

from pairs import Kind, read_pairs
from preparing.arrays import write_arrays
from preparing.overlap import without_overlap
from preparing.tokens import SIZE, build_tokens
from sources import HELD_OUT
from words import Vocabulary

# Characters of a document by which two pairs with one question are the same.
COMPARED_CHARS = 160


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("pairs", help="pairs.tsv")
    arguments.add_argument("work", help="folder to fill")
    arguments.add_argument("benchmarks", nargs="*", help="code.jsonl, as evaluate.py reads it")
    options = arguments.parse_args()
    os.makedirs(options.work, exist_ok=True)
    mined = read_pairs(options.pairs)
    kept = without_overlap(mined, options.benchmarks)
    pairs = without_repetitions(kept)
    held = [pair for pair in pairs if pair.source.startswith(HELD_OUT) and pair.kind == Kind.DOC]
    pairs = [pair for pair in pairs if not pair.source.startswith(HELD_OUT)]
    tokens, coverage = build_tokens(pairs)
    if len(tokens) < SIZE:
        print(f"the vocabulary has {len(tokens)} tokens, not {SIZE}: too few pairs for a model that is kept")
    random.Random(1).shuffle(pairs)
    counts = write(options.work, pairs, held, tokens)
    stats = {
        "mined": len(mined),
        "dropped_overlap": len(mined) - len(kept),
        "train": len(pairs),
        "held_functions": len(held),
        "coverage": round(coverage, 4),
        "types": Counter(pair.kind for pair in pairs),
        "tokens": counts,
    }
    print(stats)
    # For SOURCES.tsv: how much each package gave.
    stats["pairs"] = Counter("wordnet" if pair.kind == Kind.WORDNET else pair.source for pair in pairs)
    with open(f"{options.work}/stats.json", "w", encoding="utf-8") as file:
        json.dump(stats, file)


def without_repetitions(pairs):
    """The first of equal pairs stays."""
    unique = {f"{pair.query}|{pair.document[:COMPARED_CHARS]}": pair for pair in reversed(pairs)}
    return list(unique.values())[::-1]


def write(work, pairs, held, tokens):
    """All that train.py reads; returns how many ids there are of each text."""
    with open(f"{work}/vocab.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(tokens) + "\n")
    numbers = {name: number for number, name in enumerate(sorted({pair.source for pair in pairs}))}
    vocabulary = Vocabulary(tokens)
    ids = write_arrays(f"{work}/train.npz", pairs, vocabulary, numbers)
    write_arrays(f"{work}/hold.npz", held, vocabulary, numbers)
    with open(f"{work}/hold_src.json", "w", encoding="utf-8") as file:
        json.dump([pair.source for pair in held], file)
    # The teacher has a tokenizer of its own, and so reads words.
    with open(f"{work}/train_txt.pkl", "wb") as file:
        pickle.dump(([pair.query for pair in pairs], [pair.document for pair in pairs]), file)
    frequency = sum(np.bincount(ids[text], minlength=len(tokens)) for text in "qdr")
    np.save(f"{work}/freq.npy", frequency.astype(np.float64))
    return {text: len(ids[text]) for text in "qdr"}


if __name__ == "__main__":
    main()
