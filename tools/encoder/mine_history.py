"""Pairs out of bare repositories: commit message -> the functions it changed, doc comment -> function.

    mine_history.py FOLDER OUT OWNER+NAME …

The functions are those before the change, as whoever reads an issue finds them. Repositories that are measured with
must not be named. Lines are those of ../embedding/pairs.py; a commit's kind is "g", what its message says below the
subject is its rest.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../embedding"))
from mining.comments import NOT_DOC, is_prose, split_doc  # noqa: E402
from pairs import Kind, Pair  # noqa: E402
from regions import GRAMMARS, extension, find_regions, is_source, region_text  # noqa: E402
from words import path_tail, split  # noqa: E402

COMMIT = "g"
# The newest commits of a repository that are looked at.
MOST_COMMITS = 1200
# A commit that touches more has no one place.
MOST_FILES = 4
MOST_FUNCTIONS = 3
LARGEST_FILE = 400_000
QUERY_WORDS = 48
DOCUMENT_WORDS = 260
PATH_WORDS = 14
REST_WORDS = 120
FEWEST_WORDS = 4
FEWEST_LINES = 3
MOST_DOC_PAIRS = 9_000
SEPARATOR = "\x01commit "
# Subjects that say nothing of what the code does.
MUTE = re.compile(
    r"^(merge|bump|release|version|update (changelog|dependenc|version|docs|readme)|revert|prepare|chore|docs?[:( ]"
    r"|ci[:( ]|build[:( ]|typo|fix(ed)? typo|lint|format|wip|backport|style[:( ]|news|changelog"
    r"|pre-commit|black|rename|move)",
    re.IGNORECASE,
)
TRAILER = re.compile(
    r"^\s*(signed-off-by|co-authored-by|reviewed-by|change-id|cherry.picked|fixes:?|closes:?|references:?|refs:?"
    r"|pull request|reported-by|piperorigin|relnotes|git-svn-id|---).*$",
    re.IGNORECASE | re.MULTILINE,
)
NUMBER = re.compile(r"\(?\[?#\d+\]?\)?|https?://\S+")
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("mirrors", help="folder with OWNER+NAME/repo, bare")
    arguments.add_argument("out", help="folder to write OWNER+NAME.tsv to")
    arguments.add_argument("names", nargs="+")
    options = arguments.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for name in options.names:
        repository = Repository(os.path.join(options.mirrors, name, "repo"), "git:" + name.replace("+", "/"))
        rows = dict.fromkeys([*repository.doc_pairs(), *repository.commit_pairs()])
        with open(os.path.join(options.out, name + ".tsv"), "w", encoding="utf-8") as file:
            file.writelines(pair.line() for pair in rows)
        commits = sum(pair.kind == COMMIT for pair in rows)
        print(name, "pairs:", len(rows), "of commits:", commits, flush=True)


class Repository:
    def __init__(self, folder, source):
        self.folder, self.source = folder, source
        self.chance = random.Random(zlib.crc32(source.encode()))
        self.reader = subprocess.Popen(
            ["git", f"--git-dir={folder}", "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self):
        self.reader.stdin.close()
        self.reader.wait()

    def git(self, *command):
        run = subprocess.run(["git", f"--git-dir={self.folder}", *command], capture_output=True, check=False)
        return run.stdout.decode("utf-8", "replace")

    def read(self, name):
        """The bytes of a blob; none where the snapshot lacks it."""
        self.reader.stdin.write(name.encode() + b"\n")
        self.reader.stdin.flush()
        head = self.reader.stdout.readline().split()
        if len(head) != 3:
            return None
        content = self.reader.stdout.read(int(head[2]) + 1)[:-1]
        return content if head[1] == b"blob" and len(content) < LARGEST_FILE else None

    def pair(self, kind, query, path, region, lines, rest=""):
        place = f"{path_tail(path)} {region.owner} {region.name}"
        document = split(region_text(lines, region), DOCUMENT_WORDS)
        words = " ".join(split(query, QUERY_WORDS)), " ".join(document), " ".join(split(place, PATH_WORDS))
        return Pair(self.source, kind, *words, " ".join(split(rest, REST_WORDS)))

    def doc_pairs(self):
        found = []
        for path in filter(is_source, self.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()):
            content = self.read(f"HEAD:{path}")
            if content is None:
                continue
            lines = content.decode("utf-8", "replace").split("\n")
            for region in find_regions(path, content):
                if region.doc is None or region.end - region.start < FEWEST_LINES:
                    continue
                first, rest = split_doc(region.doc[2])
                if is_prose(first) and not NOT_DOC.search(first):
                    # In Go every doc comment begins with the name.
                    first = re.sub(rf"^{re.escape(region.name)}\b", "", first) if path.endswith(".go") else first
                    found.append(self.pair(Kind.DOC, first, path, region, lines, rest))
        return self.chance.sample(found, min(len(found), MOST_DOC_PAIRS))

    def commit_pairs(self):
        kinds = [f"*.{each}" for each in GRAMMARS]
        form = f"--format={SEPARATOR}%H%n%B%x02"
        log = self.git(
            "log", "--no-merges", f"-n{MOST_COMMITS}", form, "-p", "-U0", "--no-renames", "HEAD", "--", *kinds
        )
        for entry in log.split(SEPARATOR)[1:]:
            head, _, patch = entry.partition("\x02")
            commit, _, message = head.partition("\n")
            yield from self.of_commit(commit, message, patch)

    def of_commit(self, commit, message, patch):
        message = NUMBER.sub(" ", TRAILER.sub("", message)).strip()
        subject, _, body = message.partition("\n")
        changed = {path: lines for path, lines in changed_lines(patch).items() if is_source(path)}
        if (
            MUTE.match(subject)
            or len(split(subject, FEWEST_WORDS)) < FEWEST_WORDS
            or not 0 < len(changed) <= MOST_FILES
        ):
            return
        found = []
        for path, touched in changed.items():
            content = self.read(f"{commit}~1:{path}")
            if content is None or extension(path) not in GRAMMARS:
                continue
            lines = content.decode("utf-8", "replace").split("\n")
            for region in find_regions(path, content):
                is_touched = any(region.start <= a and b <= region.end for a, b in touched)
                if is_touched and region.end - region.start >= FEWEST_LINES:
                    found.append((path, region, lines))
        if 0 < len(found) <= MOST_FUNCTIONS:
            for path, region, lines in found:
                yield self.pair(COMMIT, subject, path, region, lines, body)


def changed_lines(patch):
    """path -> stretches of lines that go, or the two around an insertion, in the file before the change."""
    found, path = {}, None
    for line in patch.splitlines():
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") else None
        elif path and (match := HUNK.match(line)):
            start, count = int(match[1]), int(match[2] or 1)
            found.setdefault(path, []).append((start, start + count - 1) if count else (start, start + 1))
    return found


if __name__ == "__main__":
    main()
