"""Step 2: pairs of a question and the text that answers it, out of the packages and of WordNet.

File choice and sampling are seeded by package, so the result does not depend on the number of processes.
"""

import argparse
import multiprocessing
import os
import random
import sys
import zlib

from mining.archive import read_package
from mining.collected import Collected
from mining.families import PROSE, family
from mining.prose import mine_prose
from mining.source_code import mine_code
from mining.wordnet import wordnet_pairs
from pairs import Kind, Pair
from sources import read_sources

# Most pairs of a kind from one package, so that a few large ones do not set the tone.
MOST_PAIRS = {
    Kind.DOC: 14_000,
    Kind.WINDOW: 8_000,
    Kind.COMMENT: 5_000,
    Kind.NAME: 3_500,
    Kind.HEADING: 3_500,
    Kind.SENTENCE: 3_500,
    Kind.TEST: 3_000,
    Kind.EXAMPLE: 2_500,
    Kind.MODULE: 2_500,
    Kind.PATH: 1_500,
}
SHORTEST_FILE = 120
# Characters to a line, on average, over which a file is minified or data.
WIDEST_LINES = 160


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("sources", help="sources.tsv")
    arguments.add_argument("packages", help="folder that download.py filled")
    arguments.add_argument("pairs", help="file to write, pairs.tsv")
    options = arguments.parse_args()
    jobs = [(source, options.packages) for source in sorted(read_sources(options.sources), key=lambda each: each.name)]
    wordnet = os.path.join(options.packages, "wordnet/usr/share/wordnet")
    with multiprocessing.Pool() as pool, open(options.pairs, "w", encoding="utf-8") as out:
        out.writelines(pool.imap(mine_source, jobs, chunksize=1))
        out.writelines(pair.line() for pair in wordnet_pairs(wordnet))


def mine_source(job):
    """The lines of one package; none, and a word about it, where it could not be downloaded."""
    source, packages = job
    archive = source.path(packages)
    if not os.path.exists(archive):
        print(f"cannot mine {source.name}: {source.archive} is not there", file=sys.stderr, flush=True)
        return ""
    return "".join(pair.line() for pair in mine_files(source.name, read_package(archive, source)))


def mine_files(name, files):
    chance = random.Random(zlib.crc32(name.encode()))
    collected = Collected()
    for path, content in files:
        text = content.decode("utf-8", "ignore")
        if len(text) < SHORTEST_FILE or len(text) / (text.count("\n") + 1) > WIDEST_LINES:
            continue
        if family(path) == PROSE:
            mine_prose(path, text, collected)
        else:
            mine_code(path, text, collected, chance)
    for kind in sorted({row[0] for row in collected.rows}):
        rows = [row for row in collected.rows if row[0] == kind]
        if len(rows) > MOST_PAIRS[kind]:
            rows = chance.sample(rows, MOST_PAIRS[kind])
        for row in rows:
            yield Pair(name, *row)


if __name__ == "__main__":
    main()
