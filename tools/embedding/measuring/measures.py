"""How good a ranking is. Every target counts once, at the first result that covers it."""

import math
from typing import NamedTuple

DEPTH = 10
# Chunks that are looked at until ten different files are together.
FILE_DEPTH = 50
# How much the first places count more than the next, in reciprocal rank fusion.
FUSION = 60


class CodeScore(NamedTuple):
    chunk_ndcg: float
    file_ndcg: float
    file_recall: float


class ChatScore(NamedTuple):
    recall: float
    ndcg: float


def score_code(task, ranking, chunks):
    targets = task["primary"] + task["secondary"]
    spans = [chunks[number][:3] for number in ranking[:FILE_DEPTH]]
    paths = list(dict.fromkeys(path for path, _, _ in spans))[:DEPTH]
    wanted = {target[0] for target in targets}
    chunk_ranks = [first_rank([covers(span, target) for span in spans[:DEPTH]]) for target in targets]
    file_ranks = [first_rank([path == target for path in paths]) for target in wanted]
    recall = sum(path in paths for path in wanted) / len(wanted)
    return CodeScore(ndcg(chunk_ranks, len(targets)), ndcg(file_ranks, len(wanted)), recall)


def score_chat(gold, ranking):
    hits = [rank for rank, number in enumerate(ranking[:DEPTH], 1) if number in gold]
    return ChatScore(len(hits) / len(gold), ndcg(hits, len(gold)))


def fused(*rankings):
    """Reciprocal rank fusion."""
    scores = {}
    for ranking in rankings:
        for place, number in enumerate(ranking, 1):
            scores[number] = scores.get(number, 0) + 1 / (FUSION + place)
    return sorted(scores, key=lambda number: -scores[number])


def ndcg(ranks, targets):
    """Two targets that one result covers share its place."""
    found = {rank for rank in ranks if rank is not None}
    return gain(found) / gain(range(1, min(DEPTH, targets) + 1))


def gain(ranks):
    return sum(1 / math.log2(rank + 1) for rank in ranks)


def first_rank(hits):
    return hits.index(True) + 1 if True in hits else None


def covers(span, target):
    path, first, last = target
    if span[0] != path:
        return False
    return first is None or (span[2] >= first and span[1] <= last)
