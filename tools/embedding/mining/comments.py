"""Comments and docstrings: where they stand, what of them is a sentence, and what is no documentation at all."""

import re
from typing import NamedTuple

from mining.families import BRACES, LINE_COMMENT

QUOTES = ('"""', "'''")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`@])|\n\s*\n")
# Marks of unfinished work. The letters in brackets keep them from being taken for marks of this file's own.
UNFINISHED = "TOD[O]|FIXM[E]|XX[X]"
# Lines from which a comment speaks to tools or lists parameters.
TAG = re.compile(
    r"^\s*(@(?!code|link)\w+|:param|:return|:raises|:type|Args:|Arguments:|Returns?:|Raises:|Parameters|Examples?:?"
    r"|# (Examples?|Errors|Panics|Safety)|Usage:|>>>|```|<param|<returns|Note:|See also|- [Pp]arameter|iex>"
    rf"|\\param|\\return|{UNFINISHED})"
)
MARKUP = re.compile(r"</?[a-zA-Z][^>]{0,60}>|\{@\w+\s|\}|https?://\S+|`+|\[\[?|\]\]?(?:\([^)]*\))?")
NOT_DOC = re.compile(
    r"copyright|licensed|spdx|all rights reserved|permission is hereby|eslint|prettier-ignore|clang-format|noqa|nolint"
    r"|pylint|istanbul|rubocop:|todo|fixme|generated|phpcs|phpstan|type: ignore|swiftlint|coding:|@license|!/usr",
    re.IGNORECASE,
)
CODE = re.compile(r"[;{}]|==|=>|->|::\w+\(|\)\s*$|= ")
LINE_MARK = re.compile(r"^\s*(/{2,}!?|#+|--+)\s?[|^>]?\s?")
STAR_MARK = re.compile(r"(?m)^\s*(/\*+!?|\*+/?)\s?")
# A comment that is not closed by then is not one.
LONGEST_COMMENT = 150
FEWEST_PROSE_WORDS = 4
# Below so many words, signs of code outweigh them.
FEWEST_WORDS_BESIDE_CODE = 8
ASCII_SHARE = 0.9


class Docstring(NamedTuple):
    text: str
    last: int  # the line it ends on


def comment_at(lines, start, family):
    """The text of the comment that starts at a line and the line behind it, or (None, start)."""
    line = lines[start].strip()
    mark = LINE_COMMENT[family]
    if line.startswith(mark) and not line.startswith("#!"):
        end = start
        while end < len(lines) and lines[end].strip().startswith(mark):
            end += 1
        return "\n".join(LINE_MARK.sub("", each) for each in lines[start:end]), end
    if family in BRACES and line.startswith("/*"):
        end = behind(lines, start, "*/")
        return STAR_MARK.sub("", "\n".join(lines[start:end])).replace("*/", ""), end
    if family == "hs" and line.startswith("{-") and not line.startswith("{-#"):
        end = behind(lines, start, "-}")
        return "\n".join(lines[start:end]).replace("{-", "").replace("-}", "").lstrip(" |"), end
    return None, start


def behind(lines, start, close):
    """The line behind the one that closes a comment."""
    for number in range(start, len(lines)):
        if close in lines[number] or number - start >= LONGEST_COMMENT:
            return number + 1
    return len(lines)


def docstring(lines, start, quote, first, limit):
    """The docstring whose first line, behind its quote, is `first`."""
    text, last = [first], start
    if quote not in first:
        last += 1
        while last < len(lines) and quote not in lines[last] and last - start < limit:
            text.append(lines[last].strip())
            last += 1
    return Docstring("\n".join(text).replace(quote, ""), last)


def split_doc(text):
    """The first sentence of a comment and the rest, both without markup."""
    head, tags = [], []
    for line in text.split("\n"):
        (tags if tags or TAG.match(line) else head).append(line)
    first, *others = SENTENCE_END.split("\n".join(head).strip(), maxsplit=1)
    rest = (others[0] if others else "") + "\n" + "\n".join(tags)
    return MARKUP.sub(" ", first).strip(), MARKUP.sub(" ", rest).strip()


def is_prose(text):
    """Whether it reads like an English sentence rather than like code that was commented out."""
    words = len(re.findall(r"[A-Za-z']+", text))
    if words < FEWEST_PROSE_WORDS or (CODE.search(text) and words < FEWEST_WORDS_BESIDE_CODE):
        return False
    return sum(char.isascii() for char in text) > ASCII_SHARE * len(text)
