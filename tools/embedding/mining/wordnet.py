"""Pairs out of WordNet 3.0: what words mean, so that a question may use others than the code does."""

import os
import random
import re

from pairs import Kind, Pair
from words import split

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
EXAMPLES = re.compile(r';\s*(?=")')
# Places and persons are a third of the nouns, and nobody asks code for them.
SKIPPED_NAMES = 0.75
QUERY_WORDS = 64
DOCUMENT_WORDS = 260
FEWEST_QUERY_WORDS = 2
FEWEST_DOCUMENT_WORDS = 3
# WordNet counts as many sources, because batches are filled with groups of one source.
PAIRS_TO_A_SOURCE = 4000


def wordnet_pairs(folder):
    for number, (query, document) in enumerate(texts(folder)):
        query, document = split(query, QUERY_WORDS), split(document, DOCUMENT_WORDS)
        if len(query) >= FEWEST_QUERY_WORDS and len(document) >= FEWEST_DOCUMENT_WORDS:
            source = f"wordnet:{number // PAIRS_TO_A_SOURCE}"
            yield Pair(source, Kind.WORDNET, " ".join(query), " ".join(document), "", "")


def texts(folder):
    """Words -> their meaning, and meaning -> examples, where there are any."""
    chance = random.Random(0)
    for words, meaning, examples in entries(folder):
        if words[0][0].isupper() and chance.random() < SKIPPED_NAMES:
            continue
        query = " ".join(words)
        # A word alone is too short for a pair.
        yield query if " " in query else f"{query} {query}", meaning
        if examples:
            yield meaning, examples


def entries(folder):
    """(words, meaning, examples) of each line of the database: `… n word id word id … | meaning; "example"; …`."""
    for part in PARTS_OF_SPEECH:
        with open(os.path.join(folder, f"data.{part}"), encoding="latin1") as file:
            # The licence stands above the entries, indented.
            for line in (each for each in file if not each.startswith("  ")):
                head, gloss = line.split("|", 1)
                fields = head.split()
                count = int(fields[3], 16)
                words = [field.replace("_", " ").split("(")[0] for field in fields[4 : 4 + 2 * count : 2]]
                meaning, *examples = EXAMPLES.split(gloss.strip())
                yield words, meaning, " ".join(each.strip('" ') for each in examples)
