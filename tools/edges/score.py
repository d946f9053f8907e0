#!/usr/bin/env python3
"""Compares call edges with those of a compiler: precision, recall, and precision by confidence.

  score.py GOLD EDGES [--paths PREFIX] [--show N]

EDGES is what `epitome relations --export --json` prints. An edge is one caller and one callee; its lines are those of
the names. Neither right nor wrong are: edges with an end that the compiler did not read, what the compiler knows as
another use of the same thing (a declaration, a constructor), calls that it does not know itself, and edges to
macros and constants.
"""

import argparse
import collections
import json

TOLERANCE = 3
STEPS = [(1.0, 1.0), (0.9, 0.999), (0.8, 0.899), (0.6, 0.799), (0.0, 0.599)]


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def last_name(name):
    return name.replace("::", ".").rsplit(".", 1)[-1]


class Gold:
    def __init__(self, path):
        self.lines = collections.defaultdict(set)
        gold = rows(path)
        self.files = {row["path"]: set(row.get("skipped", ())) for row in gold if row["kind"] == "file"}
        for row in gold:
            for end in [row] if row["kind"] == "def" else [row.get("caller"), row.get("callee")]:
                if end:
                    self.lines[end["path"], end["name"]].add(end["line"])
        self.calls, self.soft, self.unknown = set(), set(), set()
        self.types = {self.find(row) for row in gold if row["kind"] == "def" and row["type"] == "class"}
        for row in gold:
            if row["kind"] in ("calls", "uses"):
                (self.calls if row["kind"] == "calls" else self.soft).add((self.find(row["caller"]), self.find(row["callee"])))
            elif row["kind"] == "unknown":
                self.unknown.add((self.find(row["caller"]), row["name"]))

        # Some compilers' calls are read in functions only, not in what a type starts its fields with.
        self.reads_types = any(edge[0] in self.types for edge in self.calls)

    def find(self, end):
        name = last_name(end["name"])
        near = min(self.lines.get((end["path"], name), ()), key=lambda line: (abs(line - end["line"]), line), default=None)
        return None if near is None or abs(near - end["line"]) > TOLERANCE else (end["path"], name, near)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gold")
    parser.add_argument("edges")
    parser.add_argument("--paths", default="", help="only callers and callees below this path")
    parser.add_argument("--show", type=int, default=0, help="so many wrong and missed edges")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    gold, told = Gold(arguments.gold), rows(arguments.edges)
    values = {(row["path"], last_name(row["name"]), row["line"]) for row in told if row["kind"] == "def" and row["type"] in ("macro", "constant")}
    right, wrong, unjudged = {}, {}, 0
    for row in told:
        if row["kind"] != "calls":
            continue
        caller, callee = row["caller"], row["callee"]
        if any(end["path"] not in gold.files or not end["path"].startswith(arguments.paths) for end in (caller, callee)):
            continue
        ends = [(end["path"], last_name(end["name"]), end["line"]) for end in (caller, callee)]
        edge = (gold.find(caller), gold.find(callee))
        sites = row.get("sites") or [row["site"]] if row.get("site") else []
        is_skipped = bool(sites) and gold.files[caller["path"]].issuperset(sites)
        if any(end in values for end in ends) or None in edge or (is_skipped and edge not in gold.calls):
            unjudged += 1
        elif edge[0] in gold.types and not gold.reads_types:
            unjudged += 1
        elif edge in gold.calls:
            right[edge] = max(row["confidence"], right.get(edge, 0))
        elif edge in gold.soft or (edge[0], edge[1][1]) in gold.unknown:
            unjudged += 1
        else:
            wrong[edge] = max(row["confidence"], wrong.get(edge, 0))
    wanted = {edge for edge in gold.calls if all(end and end[0].startswith(arguments.paths) for end in edge)}
    share = lambda part, whole: round(part / whole, 4) if whole else None
    result = {
        "gold": len(wanted), "right": len(right), "wrong": len(wrong), "unjudged": unjudged,
        "precision": share(len(right), len(right) + len(wrong)), "recall": share(len(right.keys() & wanted), len(wanted)),
        "by_confidence": {},
    }
    for low, high in STEPS:
        good, bad = (sum(low <= sure <= high for sure in edges.values()) for edges in (right, wrong))
        if good + bad:
            result["by_confidence"][f"{low}"] = {"right": good, "wrong": bad, "precision": share(good, good + bad)}
    print(json.dumps(result) if arguments.json else json.dumps(result, indent=1))
    for title, edges in (("wrong", sorted(wrong)), ("missed", sorted(wanted - right.keys()))):
        for edge in edges[:: max(1, len(edges) // arguments.show)] if arguments.show else []:
            (path, name, line), (other, callee, at) = edge
            print(title, wrong.get(edge, ""), f"{path}:{line} {name} -> {other if other != path else ''}:{at} {callee}")


main()
