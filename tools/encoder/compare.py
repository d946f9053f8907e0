"""Tables out of the scores: each way of ranking alone, and z-scores added.

    compare.py QUESTIONS SCORES [NAME …]

SCORES holds NAME.npz as scores.py and train.py write them; bm25 and static must be there. A question counts once: MRR
and "any" by its best target, "all" only when every target is among the first ten.
"""

import argparse
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../embedding"))
from measuring.measures import gain  # noqa: E402
from scores import read_questions  # noqa: E402

DEPTHS = (1, 5, 10)
# Weights that are tried for an encoder beside the others, each of which counts 1.
WEIGHTS = (1, 2)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("questions")
    arguments.add_argument("scores")
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()
    _, groups = read_questions(options.questions)
    names = ["bm25", "static", *options.names]
    loaded = {name: np.load(f"{options.scores}/{name}.npz") for name in names}
    for kind, part in (("functions", 0), ("edits", 0), ("edits", 1), ("code", 0), ("chat", 0)):
        chosen = [number for number, group in enumerate(groups) if group["set"] == kind]
        if not chosen:
            continue
        rows, targets = {name: [] for name in names}, []
        for number in chosen:
            questions = groups[number]["questions"]
            matrices = {name: loaded[name][f"g{number}"] for name in names}
            for at, question in enumerate(questions):
                gold = [each for each in question["gold"] if each]
                if gold:
                    targets.append(gold)
                    for name in names:
                        rows[name].append(matrices[name][at + part * len(questions)])
        title = kind + (", title" if part else ", text" if kind == "edits" else "")
        print(f"\n## {title} ({len(targets)} questions)\n")
        print("| ranking | MRR | any @1 / 5 / 10 | all @10 | NDCG@10 |\n|---|---|---|---|---|")
        for label, ranking in rankings(rows, names):
            print(f"| {label} | " + " | ".join(measure(ranking, targets)) + " |")


def rankings(rows, names):
    """(what is said of it, a row of scores for each question)."""
    scaled = {name: [z_scores(row) for row in rows[name]] for name in names}
    for name in names:
        yield name, rows[name]
    yield "bm25 + static", added((1, scaled["bm25"]), (1, scaled["static"]))
    for weight in WEIGHTS[1:]:
        yield f"bm25 + {weight} static", added((1, scaled["bm25"]), (weight, scaled["static"]))
    for name in names[2:]:
        for weight in WEIGHTS:
            yield f"bm25 + {weight} {name}", added((1, scaled["bm25"]), (weight, scaled[name]))
        yield f"static + {name}", added((1, scaled["static"]), (1, scaled[name]))
        for weight in WEIGHTS:
            parts = (1, scaled["bm25"]), (1, scaled["static"]), (weight, scaled[name])
            yield f"bm25 + static + {weight} {name}", added(*parts)


def z_scores(row):
    return (row - row.mean()) / (row.std() + 1e-9)


def added(*parts):
    return [sum(weight * row for (weight, _), row in zip(parts, each)) for each in zip(*(rows for _, rows in parts))]


def measure(ranking, targets):
    best, every, gains = [], [], []
    for row, gold in zip(ranking, targets):
        ranks = [int((row > row[each].max()).sum()) for each in gold]
        best.append(min(ranks))
        every.append(max(ranks) < DEPTHS[-1])
        found = {rank + 1 for rank in ranks if rank < DEPTHS[-1]}
        gains.append(gain(found) / gain(range(1, min(DEPTHS[-1], len(gold)) + 1)))
    best = np.array(best)
    shares = " / ".join(f"{100 * (best < depth).mean():.1f}" for depth in DEPTHS)
    return f"{(1 / (1 + best)).mean():.3f}", shares, f"{100 * np.mean(every):.1f}", f"{np.mean(gains):.3f}"


if __name__ == "__main__":
    main()
