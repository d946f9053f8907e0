"""How much of what is asked for is in a packed answer: questions.jsonl -> a table.

Against it stands what an agent does without: ripgrep for the words of the question, then the files with most matches read
from the top until the budget is spent. Tokens of both are counted as bytes / 4 for the baseline, which flatters it: code
has fewer bytes to a token.
"""

import collections
import itertools
import json
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


def grepped(root, query, budget):
    words = [word for word in re.findall(r"\w+", query) if word.lower() not in STOP and len(word) > 1]
    matches = collections.Counter()
    for word in words:
        found = subprocess.run(["rg", "-ciF", "--", word], cwd=root, capture_output=True, text=True, errors="replace").stdout
        for line in found.splitlines():
            path, count = line.rsplit(":", 1)
            matches[path] += 1 + min(int(count), 50) / 1000
    spent, read = 0, set()
    for path, _ in matches.most_common():
        if spent >= budget:
            break
        spent += len(open(f"{root}/{path}", "rb").read()) / 4
        # Begun is read: what is asked for may stand at the top.
        read.add(path)
    return read


def main(questions):
    rows = [json.loads(line) for line in open(questions, encoding="utf-8")]
    found = {budget: [0.0, 0.0] for budget in BUDGETS}
    for root, group in itertools.groupby(rows, key=lambda row: row["root"]):
        with tempfile.TemporaryDirectory() as home:
            server = Server(root, home)
            for row in group:
                relevant = set(row["relevant"])
                for budget in BUDGETS:
                    for at, answer in enumerate([packed(server, row["query"], budget), grepped(root, row["query"], budget)]):
                        found[budget][at] += len(relevant & answer) / len(relevant)
            server.close()
        print(root, file=sys.stderr)
    print("| tokens | packed | ripgrep and reading |\n| --- | --- | --- |")
    for budget, (ours, theirs) in found.items():
        print(f"| {budget} | {ours / len(rows):.3f} | {theirs / len(rows):.3f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
