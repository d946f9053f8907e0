"""Scores of every candidate for every question of prepare_questions.py: by words, by the static table, by a network.

    scores.py QUESTIONS TABLE OUT      bm25.npz and static.npz, without a GPU

An .npz holds one matrix a group, in order: a row for each question; for `edits` first the rows of the whole texts, then
those of the titles. Code is scored by file: the best of its units. compare.py reads them.
"""

import argparse
import glob
import json
import lzma
import math
import os
import sys
from collections import Counter

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../embedding"))
from encode import Encoder  # noqa: E402
from measuring.bm25 import K1, STOP, B  # noqa: E402
from parallel import over_stretches  # noqa: E402
from words import split  # noqa: E402

# Of a long question the first line says most.
FIRST_LINE = 3


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("questions")
    arguments.add_argument("table", help="folder with model.bin and vocab.txt")
    arguments.add_argument("out", help="folder")
    options = arguments.parse_args()
    texts, groups = read_questions(options.questions)
    counts = [row for rows in over_stretches(count_words, len(texts), 4000, texts=texts) for row in rows]
    matrices = [row for rows in over_stretches(by_words, len(groups), 1, groups=groups, counts=counts) for row in rows]
    save(f"{options.out}/bm25.npz", groups, matrices)
    encoder = Encoder(options.table)
    table = np.concatenate(list(over_stretches(by_table, len(texts), 2000, texts=texts, encoder=encoder)))
    save(f"{options.out}/static.npz", groups, by_vectors(groups, table, lambda asked, _: encoder.encode(asked)))


def read_questions(folder):
    """The texts and groups of all files of a folder."""
    texts, groups = [], []
    for path in sorted(glob.glob(f"{folder}/*.json.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            content = json.load(file)
        for group in content["groups"]:
            group["candidates"] = [number + len(texts) for number in group["candidates"]]
        groups += content["groups"]
        texts += content["texts"]
    return texts, groups


def count_words(stretch, texts):
    return [Counter(texts[number].split()) for number in stretch]


def asked_texts(group):
    """The questions of a group, and their titles below where there are any."""
    questions = group["questions"]
    found = [question["text"] for question in questions]
    return found + [question["title"] for question in questions] if group["set"] == "edits" else found


def by_words(stretch, groups, counts):
    return [bm25(groups[number], counts) for number in stretch]


def bm25(group, counts):
    documents = [counts[number] for number in group["candidates"]]
    lengths = np.array([sum(each.values()) for each in documents])
    norms = K1 * (1 - B + B * lengths / max(1.0, lengths.mean()))
    columns, rows = {}, []
    for text in asked_texts(group):
        weights = Counter(set(split(text)) - STOP)
        if "\n" in text:
            weights.update({word: FIRST_LINE - 1 for word in set(split(text.split("\n")[0])) - STOP})
        row = np.zeros(len(documents))
        for word, weight in weights.items():
            if word not in columns:
                column = np.array([each.get(word, 0) for each in documents])
                known = np.count_nonzero(column)
                rarity = math.log(1 + (len(documents) - known + 0.5) / (known + 0.5))
                columns[word] = rarity * column * (K1 + 1) / (column + norms)
            row += weight * columns[word]
        rows.append(row)
    return np.stack(rows)


def by_table(stretch, texts, encoder):
    return encoder.encode([texts[number] for number in stretch])


def by_vectors(groups, table, encode):
    """Cosines; `encode` is given the questions of a group and its set."""
    for group in groups:
        yield encode(asked_texts(group), group["set"]) @ table[group["candidates"]].T


def save(path, groups, matrices):
    kept = {}
    for number, (group, matrix) in enumerate(zip(groups, matrices)):
        if "files" in group:
            best = np.full((len(matrix), max(group["files"]) + 1), -np.inf)
            np.maximum.at(best, (slice(None), np.array(group["files"])), matrix)
            matrix = best
        kept[f"g{number}"] = matrix.astype(np.float32)
    np.savez_compressed(path, **kept)


if __name__ == "__main__":
    main()
