"""Whether documents are found by their titles: folders of repositories -> a table and, asked for, a run as JSON.

Every document of a repository (below its `docs` where it has one, or below what is named: FOLDER:docs/en,guides) that has
a heading is asked for by its first heading, once as it stands and once as a question, `how do I use TITLE`; the place of its first
region among the results of `search`, as they are returned, is what counts.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from collect import Server

ENDINGS = (".rst", ".md", ".adoc", ".asciidoc", ".org", ".txt")
SIGNS = re.compile(r"^([=\-~^\"'`*+#:.<>_])\1{2,}\s*$")
FIRST = 10
ASKED = {"plain": "{}", "question": "how do I use {}"}


def heading(path):
    """The first heading of a document, without markup."""
    lines = open(path, encoding="utf-8", errors="replace").read().splitlines()
    marks = {".md": "#", ".adoc": "=", ".asciidoc": "=", ".org": "*"}.get(os.path.splitext(path)[1])
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.startswith("```")
        if fenced:
            continue
        if marks and re.match(rf"{re.escape(marks)}{{1,6}}\s", line):
            return plain(line.strip(marks + " \t"))
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if SIGNS.match(below) and re.search(r"\w", line) and not line.startswith((" ", "..", "|")):
            return plain(line)
        if SIGNS.match(line) and at + 2 < len(lines) and SIGNS.match(lines[at + 2]):
            return plain(lines[at + 1])
    return None


def plain(title):
    title = re.sub(r"\{[^}]*\}|<[^>]*>|:\w+:", " ", title)
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return " ".join(re.sub(r"[`*_]+", " ", title).split())


def documents(root, under):
    """Documents with their titles."""
    tracked = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True).stdout.splitlines()
    if not tracked:
        walked = ((os.path.relpath(folder, root), name) for folder, _, names in os.walk(root) for name in names)
        tracked = sorted(os.path.normpath(os.path.join(folder, name)) for folder, name in walked)
    paths = [path for path in tracked if path.endswith(ENDINGS) and os.path.isfile(f"{root}/{path}")]
    folders = tuple(under.split(",")) if under else ("docs/", "doc/", "guides/source/", "Documentation/")
    below = [path for path in paths if path.startswith(folders)]
    titled = [(path, heading(f"{root}/{path}")) for path in below or paths]
    return [(path, title) for path, title in titled if title]


def place(server, query, path, strategy):
    arguments = {"query": query, "limit": 80, "strategy": strategy}
    found = server.call("tools/call", {"name": "search", "arguments": arguments})["structuredContent"]["results"]
    return next((at for at, hit in enumerate(found, 1) if hit["path"] == path), None)


def summary(places):
    share = lambda most: round(sum(place is not None and place <= most for place in places) / len(places), 3)
    reciprocal = sum(1 / place for place in places if place is not None) / len(places)
    return {"at_1": share(1), "at_5": share(5), "at_10": share(FIRST), "mrr": round(reciprocal, 3)}


def measure(root, under, strategy, verbose):
    asked = documents(root, under)
    places = {form: [] for form in ASKED}
    with tempfile.TemporaryDirectory() as home:
        server = Server(root, home)
        for path, title in asked:
            for form, wording in ASKED.items():
                at = place(server, wording.format(title), path, strategy)
                places[form].append(at)
                if verbose and (at is None or at > FIRST):
                    print(f"{form}: {title!r} leads to {path} at {at}", file=sys.stderr)
        server.close()
    return {"documents": len(asked), **{form: summary(found) for form, found in places.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", nargs="+", metavar="FOLDER[:BELOW,…]")
    parser.add_argument("--strategy", default="linear")
    parser.add_argument("--json", metavar="FILE", help="also write the figures, by the name of the folder")
    parser.add_argument("--verbose", action="store_true", help="name every document that is not among the first ten")
    options = parser.parse_args()
    figures = {}
    print("| repository | documents | asked | @1 | @5 | @10 | MRR |\n| --- | --- | --- | --- | --- | --- | --- |")
    for root in options.roots:
        root, _, under = root.partition(":")
        found = measure(os.path.abspath(root), under, options.strategy, options.verbose)
        name = os.path.basename(os.path.normpath(root))
        figures[name] = found
        for form in ASKED:
            row = found[form]
            print(f"| {name} | {found['documents']} | {form} | {row['at_1']:.3f} | {row['at_5']:.3f} | {row['at_10']:.3f} | {row['mrr']:.3f} |", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(figures, out, indent=2)


if __name__ == "__main__":
    main()
