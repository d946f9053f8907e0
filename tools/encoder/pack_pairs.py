"""Pairs as what travels to a GPU: fewer of the weak kinds, shorter texts, compressed.

pack_pairs.py OUT.tsv.gz PAIRS.tsv …
"""

import gzip
import random
import sys

# The share of a kind (../embedding/pairs.py) that is kept; of the others all.
KEPT = {"W": 0.15, "c": 0.7, "n": 0.7, "f": 0}
DOCUMENT_WORDS = 200
REST_WORDS = 80


def main():
    chance = random.Random(0)
    with gzip.open(sys.argv[1], "wt", compresslevel=4, encoding="utf-8") as out:
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    source, kind, query, document, place, rest = line.rstrip("\n").split("\t")
                    if chance.random() >= KEPT.get(kind, 1):
                        continue
                    document, rest = first(document, DOCUMENT_WORDS), first(rest, REST_WORDS)
                    out.write("\t".join((source, kind, query, document, place, rest)) + "\n")


def first(words, count):
    return " ".join(words.split(" ", count)[:count])


if __name__ == "__main__":
    main()
