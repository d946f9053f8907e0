"""Fits a linear score to candidates.jsonl and says how well it does on repositories it has not seen."""

import json
import math
import random
import sys

import numpy as np
from scipy.optimize import minimize

# What can only speak against a file.
PENALTIES = {"test", "example", "vendored", "generated", "legacy", "internal", "header", "passes_on", "prose", "data"}
# How strongly weights are pulled towards zero: penalties are rare, so the data has to be able to say much with little.
PULL, PULL_OF_PENALTIES = 0.03, 0.003
FOLDS = 5


class Question:
    def __init__(self, row, names):
        relevant = set(row["relevant"])
        self.root, self.count = row["root"], len(relevant)
        self.values = np.array([[has.get(name, 0.0) for name in names] for _, has in row["candidates"]])
        self.is_relevant = np.array([float(path in relevant) for path, _ in row["candidates"]])

    def ndcg(self, weights, depth=10):
        if not len(self.values):
            return 0.0
        order = np.argsort(-(self.values @ weights), kind="stable")[:depth]
        gain = sum(self.is_relevant[at] / math.log2(place + 2) for place, at in enumerate(order))
        return gain / sum(1 / math.log2(place + 2) for place in range(min(self.count, depth)))


def fit(questions, names, scale):
    useful = [(q.values / scale, q.is_relevant / q.is_relevant.sum()) for q in questions if q.is_relevant.sum() > 0]
    pull = np.array([PULL_OF_PENALTIES if name in PENALTIES else PULL for name in names])

    def loss(weights):
        total, slope = 0.0, np.zeros_like(weights)
        for values, target in useful:
            scores = values @ weights
            scores -= scores.max()
            powers = np.exp(scores)
            total += math.log(powers.sum()) - target @ scores
            slope += values.T @ (powers / powers.sum() - target)
        return total / len(useful) + (pull * weights**2).sum() / 2, slope / len(useful) + pull * weights

    bounds = [(None, 0) if name in PENALTIES else (0, None) for name in names]
    start = np.zeros(len(names))
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 300}).x / scale


def main(path):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    names = sorted({name for row in rows for _, has in row["candidates"] for name in has})
    questions = [Question(row, names) for row in rows]
    scale = np.concatenate([q.values for q in questions if len(q.values)]).std(0) + 1e-9
    roots = sorted({q.root for q in questions})
    random.Random(0).shuffle(roots)
    unseen = []
    for fold in range(FOLDS):
        held = set(roots[fold::FOLDS])
        weights = fit([q for q in questions if q.root not in held], names, scale)
        unseen += [q.ndcg(weights) for q in questions if q.root in held]
    weights = fit(questions, names, scale)
    print(f"NDCG@10 {np.mean([q.ndcg(weights) for q in questions]):.4f}, cross-validated {np.mean(unseen):.4f}")
    for name, weight in zip(names, weights):
        print(f"{name:16} {weight:7.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
