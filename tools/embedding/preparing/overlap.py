"""Leaves out pairs whose document is, in large part, text of a benchmark: a model that has read the answers is not
measured by it."""

import json
import sys

from parallel import over_stretches
from words import split

# So many words in a row are not equal by chance.
RUN = 10
# Of a document every fifth run is looked up; one that has more than the share in a benchmark is dropped.
STRIDE = 5
MOST_SHARED = 0.3
CHUNK_WORDS = 2000
STEP = 20_000


def without_overlap(pairs, benchmarks):
    if not benchmarks:
        return pairs
    lines = []
    for path in benchmarks:
        with open(path, encoding="utf-8") as file:
            lines += file.readlines()
    runs = set()
    for found in over_stretches(runs_of, len(lines), 1, lines=lines):
        runs |= found
    parts = over_stretches(differ, len(pairs), STEP, pairs=pairs, runs=runs)
    keep = [each for part in parts for each in part]
    kept = [pair for pair, is_kept in zip(pairs, keep) if is_kept]
    print(f"{len(runs)} runs of {RUN} words in the benchmarks, {len(pairs) - len(kept)} pairs dropped", file=sys.stderr)
    return kept


def runs_of(stretch, lines):
    """The hashes of all runs of words in the chunks of repositories. Python's own hash will do: all processes are forks
    of one, so they have one seed."""
    found = set()
    for number in stretch:
        for _, _, _, text in json.loads(lines[number])["chunks"]:
            words = split(text, CHUNK_WORDS)
            found.update(hash(tuple(words[at : at + RUN])) for at in range(len(words) - RUN + 1))
    return found


def differ(stretch, pairs, runs):
    """Of each pair, whether it is other text."""
    return [is_other(pairs[number].document.split(), runs) for number in stretch]


def is_other(words, runs):
    hits = [hash(tuple(words[at : at + RUN])) in runs for at in range(0, len(words) - RUN, STRIDE)]
    return sum(hits) <= MOST_SHARED * len(hits)
