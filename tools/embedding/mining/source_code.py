"""Pairs out of a source file: what its comments, docstrings, names and tests say about the code they stand at."""

import re

from mining.collected import WINDOW_WORDS
from mining.comments import NOT_DOC, QUOTES, comment_at, docstring, is_prose, split_doc
from mining.definitions import BLOCK_LINES, block, definition
from mining.families import family
from pairs import Kind
from words import path_tail, split

TEST_FAMILIES = ("js", "rb", "ex", "c")
TEST = re.compile(
    r"^\s*(?:it|test|describe|specify|context|scenario|should|TEST_CASE|SECTION|test\s*\()\s*"
    r"""[\( ]\s*["'`]([^"'`]{12,140})["'`]"""
)
# What may stand between a comment and the definition it describes.
ATTRIBUTE = re.compile(
    r"^\s*(#\[|@[\w.]+|\[[\w(]|#!\[|template\s*<|@spec|#\s*pylint|//go:|#if|#endif|\w+_API\b\s*$|#pragma|@impl"
    r"|@doc false)"
)
MOST_ATTRIBUTES = 6
# Longer files are tables.
MOST_LINES = 6000
# Characters of a sentence that is a question; longer ones are not what somebody asks.
QUERY_CHARS = 400
WINDOW_LINES = 50
# How far a window may start above: the answer is not always at the top of a chunk.
WINDOW_LEAD = 36
HEAD_LINES = 60
# Where a comment or a docstring can still be the one of the whole file.
MODULE_COMMENT_LINES = 8
MODULE_DOCSTRING_LINES = 6
MODULE_DOCSTRING_LENGTH = 120
DOCSTRING_LENGTH = 150
SIGNATURE_LINES = 14
TEST_LINES = 35
PATH_LINES = 40
# Shares that keep frequent, weak kinds from outnumbering doc comments.
WINDOW_SHARE = 0.5
COMMENT_SHARE = 0.6
PATH_SHARE = 0.5
NAME_WORDS = 10
LONG_NAME_SHARE = 0.35
SHORT_NAME_SHARE = 0.12


def mine_code(path, text, collected, chance):
    file = SourceFile(path, text, collected, chance)
    at = 0
    while at < len(file.lines):
        at = file.mine(at)
    file.mine_path()


class SourceFile:
    def __init__(self, path, text, collected, chance):
        self.lines = text.split("\n")[:MOST_LINES]
        self.family = family(path)
        self.tail = path_tail(path)
        self.collected = collected
        self.chance = chance

    def mine(self, at):
        """Takes what starts at a line, and says which line is next."""
        line = self.lines[at]
        start = line.strip()
        if not start:
            return at + 1
        comment, behind = comment_at(self.lines, at, self.family)
        if comment is not None:
            if not NOT_DOC.search(comment):
                self.mine_comment(comment, at, behind)
            return max(behind, at + 1)
        if self.family == "py" and at < MODULE_DOCSTRING_LINES and start[:3] in QUOTES:
            return self.mine_module_docstring(at)
        if self.family in TEST_FAMILIES and (match := TEST.match(line)):
            self.mine_test(match.group(1), at)
            return at + 1
        name = definition(line, self.family) if start[0].isalpha() or start[0] in "_@" else None
        if name and self.family == "py" and (last := self.mine_docstring(at)) is not None:
            return max(last, at) + 1
        if name:
            self.mine_name(name, at)
        return at + 1

    def mine_comment(self, comment, start, behind):
        lines, at = self.lines, behind
        while at < min(len(lines), behind + MOST_ATTRIBUTES) and lines[at].strip() and ATTRIBUTE.match(lines[at]):
            at += 1
        first, rest = split_doc(comment)
        if at >= len(lines) or not is_prose(first):
            return
        if not lines[at].strip():
            if start < MODULE_COMMENT_LINES:
                head = "\n".join(lines[at : at + HEAD_LINES])
                self.collected.put(Kind.MODULE, first, head, self.tail, rest)
            return
        code = block(lines, at)
        query = first[:QUERY_CHARS]
        if definition(lines[at], self.family):
            self.collected.put(Kind.DOC, query, "\n".join(code), self.tail, rest)
            self.put_window(query, start, behind)
        elif len(code) >= 2 and self.chance.random() < COMMENT_SHARE:
            self.collected.put(Kind.COMMENT, query, "\n".join(code), self.tail, rest)

    def mine_module_docstring(self, at):
        start = self.lines[at].strip()
        doc = docstring(self.lines, at, start[:3], start[3:], MODULE_DOCSTRING_LENGTH)
        first, rest = split_doc(doc.text)
        if is_prose(first) and not NOT_DOC.search(doc.text):
            head = "\n".join(self.lines[doc.last + 1 : doc.last + HEAD_LINES])
            self.collected.put(Kind.MODULE, first, head, self.tail, rest)
        return doc.last + 1

    def mine_test(self, title, at):
        body = block(self.lines, at, TEST_LINES)[1:]
        if len(body) >= 2:
            self.collected.put(Kind.TEST, title, "\n".join(body), self.tail)

    def mine_docstring(self, at):
        """Takes the docstring of the definition at a line, and says where it ends; None where there is none."""
        lines, signature = self.lines, at
        while signature < min(len(lines), at + SIGNATURE_LINES) and not lines[signature].rstrip().endswith(":"):
            signature += 1
        start = signature + 1
        if start >= len(lines) or lines[start].strip()[:3] not in (*QUOTES, 'r""'):
            return None
        line = lines[start].strip()
        quote = '"""' if '"""' in line else "'''"
        opening = line.split(quote, 1)[1] if quote in line else line
        doc = docstring(lines, start, quote, opening, DOCSTRING_LENGTH)
        first, rest = split_doc(doc.text)
        if is_prose(first) and not NOT_DOC.search(first):
            query = first[:QUERY_CHARS]
            code = self.without_docstring(at, signature, start, doc.last)
            self.collected.put(Kind.DOC, query, "\n".join(code[:BLOCK_LINES]), self.tail, rest)
            self.put_window(query, start, doc.last + 1)
        return doc.last

    def without_docstring(self, at, signature, start, last):
        """The definition at a line, without its docstring from `start` to `last`."""
        code = block(self.lines, at, BLOCK_LINES + last - start)
        # Empty lines are not in a block, so that it can be shorter than the docstring is far.
        if len(code) > last - at:
            return code[: signature - at + 1] + code[last - at + 1 :]
        return self.lines[at : signature + 1] + self.lines[last + 1 : last + 30]

    def mine_name(self, name, at):
        words = split(name.split(".")[-1], NAME_WORDS)
        if len(words) < 2:
            return
        share = LONG_NAME_SHARE if len(words) > 2 else SHORT_NAME_SHARE
        if self.chance.random() >= share:
            return
        code = block(self.lines, at)
        if len(code) >= 4:
            # A body that begins with the answer teaches nothing.
            code[0] = code[0].replace(name, " ")
            self.collected.put_words(Kind.NAME, words, "\n".join(code), self.tail)

    def mine_path(self):
        if len(self.lines) <= 25 or self.chance.random() >= PATH_SHARE:
            return
        start = self.chance.randrange(0, max(1, len(self.lines) - PATH_LINES))
        self.collected.put(Kind.PATH, self.tail, "\n".join(self.lines[start : start + PATH_LINES]))

    def put_window(self, query, start, behind):
        """The lines around a comment, without it: what a chunk of a file looks like that has to be found."""
        if self.chance.random() > WINDOW_SHARE:
            return
        top = max(0, start - self.chance.randrange(0, WINDOW_LEAD))
        bottom = min(len(self.lines), top + WINDOW_LINES + (behind - start))
        around = "\n".join(self.lines[top:start] + self.lines[behind:bottom])
        self.collected.put(Kind.WINDOW, query, around, self.tail, most_words=WINDOW_WORDS)
