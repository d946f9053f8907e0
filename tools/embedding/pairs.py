"""What is trained on: pairs of a question and the text that answers it, one a line of `pairs.tsv`.

Words are split and lower-cased before they are written, so that no later step has to know how the text looked.
"""

import enum
from typing import NamedTuple


class Kind(enum.StrEnum):
    """What a pair was found as: question -> document."""

    DOC = "d"  # first sentence of a doc comment -> the definition
    WINDOW = "W"  # the same -> the 50 lines around it, without the comment
    COMMENT = "c"  # comment inside code -> the lines below
    NAME = "n"  # words of a name -> the body
    TEST = "t"  # title of a test -> its body
    MODULE = "m"  # doc of a module -> the head of its file
    PATH = "f"  # path of a file -> some lines of it
    HEADING = "h"  # heading -> its section
    SENTENCE = "s"  # first sentence of a paragraph -> the rest
    EXAMPLE = "x"  # sentence before a code block -> the block
    WORDNET = "w"  # words -> their meaning, meaning -> examples


class Pair(NamedTuple):
    source: str  # registry:package@version, or wordnet:part
    kind: str
    query: str
    document: str
    path: str  # words of the path: what an index adds to a document
    rest: str  # what a doc comment says after its first sentence

    def line(self):
        return "\t".join(self) + "\n"


def read_pairs(path):
    with open(path, encoding="utf-8") as file:
        return [Pair(*line.rstrip("\n").split("\t")) for line in file]
