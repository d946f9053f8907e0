"""Answers the bench, one JSON object a line: work trees and token counts as the folder of the data defines them, and semble."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
work = Path(sys.argv[2]).resolve()
os.environ["BENCH_WORK"] = str(work)
import common  # noqa: E402  (the definition of a work tree and of a token)

replies = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print must not stand between replies
index = None


def make_tree(asked):
    """The files of a commit, without the doc comments of functions where those are the questions; nothing where it is missing."""
    if common.git(asked["slug"], "cat-file", "-e", asked["commit"] + "^{commit}").returncode:
        return {}
    root = work / asked["set"] / asked["slug"].replace("/", "+")
    common.snapshot(asked["slug"], asked["commit"], root, common.stripped if asked["set"] == "functions" else None)
    return {"root": str(root)}


def count_tokens(asked):
    return {"counts": [common.tokens(text) for text in asked["texts"]]}


def index_chunks(asked):
    """Its chunks and its ranking by words: the vectors need a model that is not in the package."""
    global index
    try:
        import numpy
        import semble
        import semble.index.dense as dense
        import semble.search as search
    except ImportError as error:
        return {"missing": str(error)}

    class NoModel:
        dim = 4

        def encode(self, texts, **_):
            return numpy.ones((len(texts), self.dim), dtype=numpy.float32)

    dense._load_cached = lambda path: NoModel()
    search.resolve_alpha = lambda query, alpha: 0.0
    index = semble.SembleIndex.from_path(asked["root"])
    return {}


def find_chunks(asked):
    chunks = [result.chunk for result in index.search(asked["query"], top_k=asked["limit"])]
    path = lambda chunk: os.path.relpath(os.path.join(asked["root"], chunk.file_path), asked["root"])
    return {"regions": [[path(chunk), chunk.start_line, chunk.end_line] for chunk in chunks]}


for line in sys.stdin:
    request = json.loads(line)
    replies.write(json.dumps(globals()[request["do"]](request)) + "\n")
    replies.flush()
