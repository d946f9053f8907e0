"""How much of what is asked for is in a packed answer: questions.jsonl -> a table.

Against it stands what an agent does without: ripgrep for each word of the question, then the files that hold most of them,
rare words counting for more, at most 1,000 tokens of each read from the top until the budget is spent. It is flattered
twice: tokens of files are counted as bytes / 4, fewer than there are, and a file that is only begun counts as read.
"""

import collections
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from collect import Server

BUDGETS = [500, 1000, 2000, 4000]
STOP = set("a an and are as at be by do does for from how in is it of on or that the this to what when where which with".split())


def packed(server, query, budget):
    arguments = {"query": query, "budget": budget, "anyway": True}
    reply = server.call("tools/call", {"name": "context", "arguments": arguments})["structuredContent"]
    assert reply["tokens"] <= budget, (query, budget, reply["tokens"])
    return {item["source"].rsplit(":", 1)[0] for item in reply["items"]}


def grepped(root, query, files):
    """The files of a repository by the words they hold, best first."""
    words = {word.lower() for word in re.findall(r"\w+", query) if word.lower() not in STOP and len(word) > 1}
    scores = collections.Counter()
    for word in words:
        found = subprocess.run(["rg", "-ciF", "--", word], cwd=root, capture_output=True, text=True, errors="replace").stdout
        counts = [line.rsplit(":", 1) for line in found.splitlines()]
        for path, count in counts:
            scores[path] += math.log(files / len(counts)) * (1 + math.log(int(count)) / 10)
    return [path for path, _ in scores.most_common()]


def read(root, ranked, budget):
    spent, begun = 0, set()
    for path in ranked:
        if spent >= budget:
            break
        spent += min(os.path.getsize(f"{root}/{path}") / 4, 1000)
        begun.add(path)
    return begun


def main(questions):
    rows = [json.loads(line) for line in open(questions, encoding="utf-8")]
    found = {budget: [0.0, 0.0] for budget in BUDGETS}
    for root, group in itertools.groupby(rows, key=lambda row: row["root"]):
        with tempfile.TemporaryDirectory() as home:
            server = Server(root, home)
            files = len(subprocess.run(["rg", "--files"], cwd=root, capture_output=True).stdout.splitlines())
            for row in group:
                relevant, ranked = set(row["relevant"]), grepped(root, row["query"], files)
                for budget in BUDGETS:
                    for at, answer in enumerate([packed(server, row["query"], budget), read(root, ranked, budget)]):
                        found[budget][at] += len(relevant & answer) / len(relevant)
            server.close()
        print(root, file=sys.stderr)
    print("| tokens | packed | ripgrep and reading |\n| --- | --- | --- |")
    for budget, (ours, theirs) in found.items():
        print(f"| {budget} | {ours / len(rows):.3f} | {theirs / len(rows):.3f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
