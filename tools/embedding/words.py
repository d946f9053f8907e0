"""Text to words, and words to ids of the vocabulary: the part of the encoder that everything here agrees on.

Whoever encodes (`encode.py`, and the Rust in `crates/providers/src/vendors/builtin`) must do exactly this: a table that
was trained on other words than it is asked with is noise.
"""

import itertools
import re

# parseHTTPHeader2 -> parse HTTP Header 2; a run of letters outside ASCII is a word of its own.
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
# Longer ones are hashes, keys and encoded bytes: they never come back.
LONGEST_WORD = 24
LONGEST_NUMBER = 4
# Folders that say where a language keeps its sources, not what a file is about.
MUTE_PARTS = {"src", "lib", "main", "java", "org", "com", "kotlin", "scala", "Sources", "packages", "index", "mod"}
# How many parts of a path say what a file is about.
TAIL_PARTS = 3


def split(text, limit=None):
    """The first `limit` words of a text, lower-cased."""
    return list(itertools.islice(_words(text), limit))


def path_tail(path):
    """The last parts of a path that say something, without the extension."""
    parts = [part for part in path.split("/") if part not in MUTE_PARTS]
    return re.sub(r"\.\w+$", "", "/".join(parts[-TAIL_PARTS:]))


class Vocabulary:
    """Words to ids. A word that is not listed becomes the longest pieces that are; `##` marks all but its first."""

    def __init__(self, tokens):
        self.ids = {token: number for number, token in enumerate(tokens)}
        self.known = {}

    @classmethod
    def read(cls, path):
        return cls(read_tokens(path))

    def ids_of_word(self, word):
        if word not in self.known:
            self.known[word] = self._look_up(word)
        return self.known[word]

    def ids_of_words(self, words):
        return [number for word in words for number in self.ids_of_word(word)]

    def _look_up(self, word):
        if word in self.ids:
            return [self.ids[word]]
        # There are no pieces for other scripts, so half a word would stand for all of it.
        return self._pieces(word) if word.isascii() else []

    def _pieces(self, word):
        found, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self.ids.get(mark + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                start += 1
        return found


def read_tokens(path):
    """The lines of a vocabulary file; the number of a line is the id of its token."""
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def _words(text):
    for match in WORD.finditer(text):
        word = match.group()
        is_number = word[0] in "0123456789"
        if len(word) <= (LONGEST_NUMBER if is_number else LONGEST_WORD):
            yield word.lower()
