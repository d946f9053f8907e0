"""The questions to measure with, as one file that measure.py reads where there is no repository.

    prepare_questions.py functions BENCH MIRRORS OUT
    prepare_questions.py edits BENCH MIRRORS OUT
    prepare_questions.py code BENCH CHECKOUTS OUT
    prepare_questions.py chat BENCH - OUT

BENCH is the folder of the benchmarks (lines, code, memory), MIRRORS holds bare repositories as OWNER+NAME/repo,
CHECKOUTS the repositories of BENCH/code by name; OUT is a folder. What comes out is {"texts": [words], "groups":
[{"set", "name", "candidates": [number of a text], "questions": [{"text", "title", "gold": [[candidate, …], …]}]}]}:
each target of a question is a list of candidates any of which will do. Code by file has "files", the number of the
file of each candidate, and its targets are files.
"""

import argparse
import json
import lzma
import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../embedding"))
import benchmark  # noqa: E402
from mine_history import Repository  # noqa: E402
from regions import find_regions, is_source  # noqa: E402
from words import path_tail, split  # noqa: E402

# Words of a region that BM25 sees; encoders take fewer.
TEXT_WORDS = 500
# Shorter than a page, so that a unit fits an encoder's 256 tokens.
benchmark.CHUNK_LINES = 30
benchmark.OVERLAP = 5


class Texts:
    def __init__(self):
        self.numbers = {}

    def add(self, text):
        return self.numbers.setdefault(" ".join(split(text, TEXT_WORDS)), len(self.numbers))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("set", choices=("functions", "edits", "code", "chat"))
    arguments.add_argument("bench")
    arguments.add_argument("repositories")
    arguments.add_argument("out", help="folder")
    options = arguments.parse_args()
    texts = Texts()
    if options.set == "code":
        groups = of_code(f"{options.bench}/code", options.repositories, texts)
    elif options.set == "chat":
        groups = of_chats(f"{options.bench}/memory/data/locomo10.json", texts)
    else:
        os.environ["BENCH_MIRROR"] = options.repositories
        sys.path.insert(0, os.path.join(options.bench, "lines"))
        rows = benchmark.read_json(f"{options.bench}/lines/data/{options.set}-open.json")
        groups = of_lines(options.set, rows, options.repositories, texts)
    groups = list(groups)
    os.makedirs(options.out, exist_ok=True)
    with lzma.open(f"{options.out}/{options.set}.json.xz", "wt", preset=1, encoding="utf-8") as file:
        json.dump({"texts": list(texts.numbers), "groups": groups}, file)
    print(options.set, "texts", len(texts.numbers), "questions", sum(len(group["questions"]) for group in groups))


def of_lines(kind, rows, mirrors, texts):
    """A group for each commit that is asked about; a blob is parsed once, whatever commits have it."""
    from common import git, stripped

    by_commit = {}
    for row in rows:
        by_commit.setdefault((row["slug"], row["commit"]), []).append(row)
    known = {}
    for (slug, commit), asked in by_commit.items():
        if git(slug, "cat-file", "-e", commit).returncode:
            print("not there:", slug, commit, len(asked), file=sys.stderr, flush=True)
            continue
        candidates, places = [], []
        repository = Repository(os.path.join(mirrors, slug.replace("/", "+"), "repo"), slug)
        for line in git(slug, "ls-tree", "-r", commit, text=True).stdout.splitlines():
            head, path = line.split("\t", 1)
            blob = head.split()[2]
            if not is_source(path):
                continue
            if (blob, path) not in known:
                content = repository.read(blob) or b""
                known[blob, path] = regions_of(path, stripped(path, content) if kind == "functions" else content, texts)
            for text, start, end in known[blob, path]:
                candidates.append(text)
                places.append((path, start, end))
        questions = []
        for row in asked:
            wanted = [(file["path"], each) for file in row["gold"] for each in file["functions"]]
            gold = [
                [at for at, (p, a, b) in enumerate(places) if p == path and a <= each["end"] and each["start"] <= b]
                for path, each in wanted
            ]
            questions.append({"id": row["id"], "text": row["question"], "title": row.get("title", ""), "gold": gold})
        repository.close()
        yield {"set": kind, "name": slug, "candidates": candidates, "questions": questions}


def regions_of(path, content, texts):
    lines = content.decode("utf-8", "replace").split("\n")
    found = []
    for region in find_regions(path, content):
        body = "\n".join(lines[region.start - 1 : region.end])
        found.append((texts.add(f"{path_tail(path)} {region.owner} {region.name} {body}"), region.start, region.end))
    return found


def of_code(bench, checkouts, texts):
    for row in benchmark.read_json(f"{bench}/repos.json"):
        annotations = next(Path(bench).glob(f"annotations/**/{row['name']}.json"))
        row.setdefault("benchmark_root", "")
        repository = benchmark.repository(row, benchmark.read_json(annotations), checkouts)
        chunks = repository["chunks"]
        paths = {path: number for number, path in enumerate(dict.fromkeys(chunk[0] for chunk in chunks))}
        questions = []
        for task in repository["tasks"]:
            wanted = {target[0] for target in task["primary"] + task["secondary"]}
            gold = [[paths[path]] if path in paths else [] for path in sorted(wanted)]
            questions.append({"text": task["query"], "title": "", "gold": gold})
        yield {
            "set": "code",
            "name": row["name"],
            "candidates": [texts.add(f"{path_tail(path)} {text}") for path, _, _, text in chunks],
            "files": [paths[chunk[0]] for chunk in chunks],
            "questions": questions,
        }


def of_chats(locomo, texts):
    for number, sample in enumerate(benchmark.read_json(locomo)):
        chat = benchmark.conversation(sample)
        yield {
            "set": "chat",
            "name": f"chat {number}",
            "candidates": [texts.add(message) for message in chat["msgs"]],
            "questions": [
                {"text": question, "title": "", "gold": [[each] for each in gold]}
                for question, gold in zip(chat["qs"], chat["gold"])
            ],
        }


if __name__ == "__main__":
    main()
