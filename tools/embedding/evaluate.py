"""Step 6, second half: how well a model finds code and messages, alone and beside BM25.

code.jsonl, a repository a line: {"name", "chunks": [[path, first line, last line, text]], "tasks": [{"query",
"category", "primary": [[path, first line, last line]], "secondary": […]}]}. chats.json: [{"data", "msgs": [text],
"qs": [question], "gold": [[numbers of messages]]}]. benchmark.py writes both.
"""

import argparse
import functools
import json

import numpy as np

from encode import Encoder
from measuring.bm25 import Bm25
from measuring.measures import fused, score_chat, score_code
from parallel import over_stretches
from words import path_tail

# Places of a ranking that are fused.
RANKED = 100
# A file's path says more than its length in words.
PATH_COPIES = 2
# Weights of cosine beside BM25 (which is divided by its highest) in a linear sum.
LINEAR = (1, 2, 3)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("model", help="folder with model.bin and vocab.txt, or with a teacher (--teacher)")
    arguments.add_argument("code", help="code.jsonl")
    arguments.add_argument("chats", help="chats.json")
    arguments.add_argument("--dimensions", type=int, help="use only the first ones")
    arguments.add_argument("--teacher", action="store_true", help="measure the transformer; needs torch")
    options = arguments.parse_args()
    encode = teacher(options.model) if options.teacher else table(options.model, options.dimensions)
    with open(options.code, encoding="utf-8") as file:
        code = rows_of(measure_code, file.readlines(), encode, options.teacher)
    with open(options.chats, encoding="utf-8") as file:
        chats = rows_of(measure_chat, json.load(file), encode, options.teacher)
    report("code: chunk NDCG@10, file NDCG@10, file recall@10", code)
    for category in sorted({row["category"] for row in code}):
        rows = [row["dense"].file_ndcg for row in code if row["category"] == category]
        print(f"  dense, file NDCG@10, {category}: {np.mean(rows):.4f}")
    report("chat: message recall@10, NDCG@10", chats)


def table(folder, dimensions):
    return functools.partial(Encoder(folder).encode, dimensions=dimensions)


def teacher(folder):
    from training import teacher as minilm

    tokenizer, model = minilm.load(folder)
    return lambda texts: minilm.embed(model, tokenizer, texts, 256).float().cpu().numpy()


def rows_of(measure, items, encode, on_device):
    """The rows of all items; a table is measured in all processes, a transformer in the one that has the GPU."""
    if on_device:
        return measure(range(len(items)), items, encode)
    parts = over_stretches(measure, len(items), 1, items=items, encode=encode)
    return [row for rows in parts for row in rows]


def measure_code(stretch, items, encode):
    rows = []
    for repository in (json.loads(items[number]) for number in stretch):
        chunks, tasks = repository["chunks"], repository["tasks"]
        lexical = Bm25([f"{path} " * PATH_COPIES + text for path, _, _, text in chunks])
        documents = [f"{path_tail(path)}\n{text}" for path, _, _, text in chunks]
        rankings = rank([task["query"] for task in tasks], documents, lexical, encode)
        for task, ways in zip(tasks, rankings):
            scores = {way: score_code(task, ranking, chunks) for way, ranking in ways.items()}
            rows.append({"category": task["category"], **scores})
    return rows


def measure_chat(stretch, items, encode):
    rows = []
    for chat in (items[number] for number in stretch):
        rankings = rank(chat["qs"], chat["msgs"], Bm25(chat["msgs"]), encode)
        for gold, ways in zip(chat["gold"], rankings):
            rows.append({way: score_chat(set(gold), ranking) for way, ranking in ways.items()})
    return rows


def rank(queries, documents, lexical, encode):
    """For each question the rankings by name: dense, BM25, and both together."""
    cosines = encode(queries) @ encode(documents).T
    for query, cosine in zip(queries, cosines):
        scores = lexical.scores(query)
        relative = scores / max(scores.max(), 1e-9)
        ways = {"dense": best(cosine), "bm25": best(scores)}
        ways["bm25 + dense, fused"] = fused(ways["bm25"], ways["dense"])
        for weight in LINEAR:
            ways[f"bm25 + {weight} x dense"] = best(relative + weight * cosine)
        yield ways


def best(scores):
    return np.argsort(-scores, kind="stable")[:RANKED].tolist()


def report(title, rows):
    print(f"{title} ({len(rows)} questions)")
    for way in [key for key in rows[0] if key != "category"]:
        means = np.mean([row[way] for row in rows], 0)
        print(f"  {way:20}", *(f"{mean:.4f}" for mean in means))


if __name__ == "__main__":
    main()
