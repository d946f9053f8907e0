"""Trains the encoder on one GPU, on the pairs first and then with hard negatives.

    train.py PAIRS BASE TOKENIZER QUESTIONS OUT                     six layers, then fewer that imitate them
    train.py PAIRS BASE TOKENIZER QUESTIONS OUT --alone             the fewer alone, from the published weights

Every stage has a number of seconds, because a lent machine has; the learning rate falls with the time that is left.
OUT gets NAME.bin (int8_file.py), some texts with their vectors to check inference by, and NAME.npz of scores for
compare.py. PAIRS is a folder of *.tsv.gz (pack_pairs.py).
"""

import argparse
import glob
import gzip
import os
import queue
import sys
import threading
import time
import zlib

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../embedding"))
from int8_file import write_encoder  # noqa: E402
from network import quantise, read_base, take_layers  # noqa: E402
from scores import by_vectors, read_questions, save  # noqa: E402
from words import split  # noqa: E402

DEVICE = "cuda"
START, END = 101, 102
# How often a pair of a kind is taken; commits are few and what issues look like.
WEIGHTS = {"d": 1, "g": 2, "n": 0.5, "c": 0.5, "W": 0.25, "h": 0.5, "s": 0.4, "x": 1, "t": 0.6, "m": 0.5, "f": 0.1}
LONG_QUERY_SHARE = 0.35
QUERY_TOKENS, LONG_QUERY_TOKENS = 48, 126
TEMPERATURE = 0.05
GROUP = 64
ROUND = 16
NEGATIVES = 8
# What a question may have in tokens when it is measured, and a region.
ASKED_TOKENS = {"edits": 254}
REGION_TOKENS = 254
# Shorter ones are enough to begin with, and faster.
FIRST_REGION_TOKENS = 190
STARTED = time.time()


def log(*words):
    print(f"{time.time() - STARTED:7.1f}", *words, flush=True)


class Tokens:
    """Token lists on the device, end to end."""

    def __init__(self, lists):
        lengths = np.array([len(each) for each in lists])
        self.lengths = torch.from_numpy(lengths).to(DEVICE)
        self.starts = torch.from_numpy(np.concatenate([[0], lengths.cumsum()[:-1]])).to(DEVICE)
        self.flat = torch.from_numpy(np.concatenate([np.array(each, np.int32) for each in lists])).to(DEVICE)

    def batch(self, numbers, most, lengths=None):
        """Ids with start and end marks, and how many each row has."""
        lengths = (self.lengths[numbers] if lengths is None else lengths).clamp(max=most)
        width = -(-(int(lengths.max()) + 2) // ROUND) * ROUND
        place = torch.arange(width, device=DEVICE) - 1
        at = (self.starts[numbers][:, None] + place).clamp(0, len(self.flat) - 1)
        inside = (place >= 0) & (place < lengths[:, None])
        ids = torch.where(inside, self.flat[at].long(), 0)
        ids[:, 0] = START
        ids[torch.arange(len(ids), device=DEVICE), lengths + 1] = END
        return ids, lengths + 2


def tokenise(tokenizer, texts):
    found = []
    for start in range(0, len(texts), 50_000):
        found += [each.ids for each in tokenizer.encode_batch(texts[start : start + 50_000], add_special_tokens=False)]
    return found


class Pairs:
    def __init__(self, folder, tokenizer, forbidden):
        rows = []
        for path in sorted(glob.glob(f"{folder}/*.tsv.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                rows += [line.rstrip("\n").split("\t") for line in file]
        rows = [row for row in rows if row[1] in WEIGHTS and row[2] not in forbidden]
        queries = tokenise(tokenizer, [row[2] for row in rows])
        rests = tokenise(tokenizer, [row[5] for row in rows])
        self.documents = Tokens(
            [each[:REGION_TOKENS] for each in tokenise(tokenizer, [f"{row[4]} {row[3]}" for row in rows])]
        )
        short = [len(each[:QUERY_TOKENS]) for each in queries]
        self.short = torch.tensor(short, device=DEVICE)
        self.queries = Tokens([(q[:QUERY_TOKENS] + rest)[:LONG_QUERY_TOKENS] for q, rest in zip(queries, rests)])
        self.query_keys = torch.tensor([zlib.crc32(row[2].encode()) for row in rows], device=DEVICE)
        self.document_keys = torch.tensor([zlib.crc32(row[3][:150].encode()) for row in rows], device=DEVICE)
        self.weights = np.array([WEIGHTS[row[1]] for row in rows])
        names = {name: number for number, name in enumerate(sorted({row[0] for row in rows}))}
        self.sources = np.array([names[row[0]] for row in rows])
        self.by_source = [np.flatnonzero(self.sources == number) for number in range(len(names))]
        self.hard = None
        kinds = {kind: sum(row[1] == kind for row in rows) for kind in WEIGHTS}
        log("pairs", len(rows), "sources", len(names), kinds)

    def query_batch(self, numbers, long):
        full = self.queries.lengths[numbers]
        return self.queries.batch(numbers, LONG_QUERY_TOKENS, torch.where(long, full, self.short[numbers]))

    def sampler(self, size, seed):
        """Batches: a quarter from everywhere, the rest in groups of one source, whose pairs are hard for each other."""
        rng = np.random.default_rng(seed)
        everywhere = self.weights / self.weights.sum()
        cumulated = everywhere.cumsum()
        shares = [self.weights[rows] / self.weights[rows].sum() for rows in self.by_source]
        size_of = np.sqrt([self.weights[rows].sum() for rows in self.by_source])
        size_of /= size_of.sum()
        while True:
            taken = list(np.searchsorted(cumulated, rng.random(size // 4)).clip(0, len(cumulated) - 1))
            while len(taken) < size:
                at = rng.choice(len(size_of), p=size_of)
                rows = self.by_source[at]
                taken += list(rng.choice(rows, min(len(rows), GROUP), replace=False, p=shares[at]))
            taken = np.unique(taken)
            rng.shuffle(taken)
            yield taken[:size], rng.random(min(size, len(taken))) < LONG_QUERY_SHARE


def prefetch(items):
    ready = queue.Queue(8)
    threading.Thread(target=lambda: [ready.put(item) for item in items], daemon=True).start()
    while True:
        yield ready.get()


def encode(network, ids, lengths, parts):
    """In stretches of like length, so that little of a batch is padding."""
    order = lengths.argsort()
    found = []
    for part in order.chunk(parts):
        width = -(-int(lengths[part].max()) // ROUND) * ROUND
        found.append(network(ids[part, :width], lengths[part]))
    return torch.cat(found)[order.argsort()]


def train(network, pairs, seconds, size, rate, region_tokens, teacher=None, seed=0):
    network.train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01, fused=True)
    start, step, losses = time.time(), 0, []
    for numbers, long in prefetch(pairs.sampler(size, seed)):
        done = (time.time() - start) / seconds
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * max(0.02, 1 - done)
        numbers, long = torch.from_numpy(numbers).to(DEVICE), torch.from_numpy(long).to(DEVICE)
        documents = numbers
        if pairs.hard is not None:
            columns = torch.randint(0, NEGATIVES, (len(numbers),), device=DEVICE)
            documents = torch.cat([numbers, pairs.hard[numbers, columns]])
        asked = pairs.query_batch(numbers, long)
        texts = pairs.documents.batch(documents, region_tokens)
        a, b = encode(network, *asked, 2), encode(network, *texts, 6)
        same = pairs.query_keys[numbers][:, None] == pairs.query_keys[documents]
        same |= pairs.document_keys[numbers][:, None] == pairs.document_keys[documents]
        same.fill_diagonal_(False)
        scores = (a @ b.T / TEMPERATURE).masked_fill(same, -1e4)
        square = scores[:, : len(numbers)]
        aim = torch.arange(len(numbers), device=DEVICE)
        loss = (functional.cross_entropy(scores, aim) + functional.cross_entropy(square.T, aim)) / 2
        if teacher is not None:
            with torch.no_grad():
                c, d = encode(teacher, *asked, 2), encode(teacher, *texts, 6)
                wanted = (c @ d.T / TEMPERATURE).masked_fill(same, -1e4)
            apart = functional.kl_div(scores.log_softmax(1), wanted.softmax(1), reduction="batchmean")
            near = (1 - (a * c).sum(1)).mean() + (1 - (b * d).sum(1)).mean()
            loss = 0.3 * loss + apart + 2 * near
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 25 == 0:
            losses.append(loss.item())
        if step % 200 == 0 or step == 25:
            log("step", step, "loss", round(float(np.mean(losses[-8:])), 3), "pairs", len(numbers))
    log("steps", step, "in", round(time.time() - start), "s")
    return network


@torch.no_grad()
def embed(network, tokens, numbers, most, lengths=None, size=1024):
    network.eval()
    all_lengths = tokens.lengths[numbers] if lengths is None else lengths
    order = all_lengths.argsort()
    found = torch.empty(len(numbers), 384, device=DEVICE, dtype=torch.float16)
    for part in order.split(size):
        found[part] = network(*tokens.batch(numbers[part], most, all_lengths[part])).half()
    return found


@torch.no_grad()
def find_hard(network, pairs):
    """For each question the documents of its source that are nearest without being the answer, or as good as it."""
    everything = torch.arange(len(pairs.sources), device=DEVICE)
    asked = embed(network, pairs.queries, everything, QUERY_TOKENS, pairs.short)
    texts = embed(network, pairs.documents, everything, REGION_TOKENS)
    hard = torch.randint(0, len(everything), (len(everything), NEGATIVES), device=DEVICE)
    for rows in pairs.by_source:
        rows = torch.from_numpy(rows).to(DEVICE)
        if len(rows) <= 4 * NEGATIVES:
            continue
        for part in rows.split(4096):
            scores = (asked[part] @ texts[rows].T).float()
            gold = (asked[part].float() * texts[part].float()).sum(1, keepdim=True)
            near = pairs.query_keys[part][:, None] == pairs.query_keys[rows]
            near |= pairs.document_keys[part][:, None] == pairs.document_keys[rows]
            # What is nearer than the answer by much is often an answer, too.
            near |= scores > gold + 0.05
            hard[part] = rows[scores.masked_fill(near, -2).topk(NEGATIVES + 2, 1).indices[:, 2:]]
    return hard


def measure(network, name, texts, groups, tokenizer, out):
    everything = torch.arange(len(texts.lengths), device=DEVICE)
    table = embed(network, texts, everything, REGION_TOKENS).float().cpu().numpy()

    def asked(questions, kind):
        tokens = Tokens(tokenise(tokenizer, [" ".join(split(each)) or "nothing" for each in questions]))
        numbers = torch.arange(len(questions), device=DEVICE)
        return embed(network, tokens, numbers, ASKED_TOKENS.get(kind, 62)).float().cpu().numpy()

    matrices = list(by_vectors(groups, table, asked))
    save(f"{out}/{name}.npz", groups, matrices)
    for kind in ("functions", "edits"):
        ranks = []
        for group, matrix in zip(groups, matrices):
            for question, row in zip(group["questions"], matrix):
                gold = [at for each in question["gold"] for at in each]
                if group["set"] == kind and gold:
                    ranks.append((row > row[gold].max()).sum())
        ranks = np.array(ranks)
        if len(ranks):
            log(
                name,
                kind,
                len(ranks),
                [round(100 * (ranks < k).mean(), 1) for k in (1, 5, 10)],
                round((1 / (1 + ranks)).mean(), 3),
            )


def save_vectors(network, texts, regions, path):
    """Some regions with their vectors: what another inference has to agree with."""
    numbers = torch.arange(0, len(regions), max(1, len(regions) // 256), device=DEVICE)
    vectors = embed(network, texts, numbers, REGION_TOKENS).float().cpu().numpy()
    np.savez_compressed(path, texts=np.array([regions[number] for number in numbers.tolist()]), vectors=vectors)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("pairs", "base", "tokenizer", "questions", "out"):
        arguments.add_argument(name)
    arguments.add_argument("--seconds", type=int, nargs=3, default=(270, 200, 330), help="of each stage")
    arguments.add_argument("--layers", type=int, nargs="+", default=(0, 2, 5), help="that the small one starts from")
    arguments.add_argument("--size", type=int, default=1024, help="pairs in a batch")
    arguments.add_argument("--alone", action="store_true", help="train only the small one, without a teacher")
    options = arguments.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(options.tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    regions, groups = read_questions(options.questions)
    forbidden = {" ".join(split(question["text"])) for group in groups for question in group["questions"]}
    texts = Tokens([each[:REGION_TOKENS] for each in tokenise(tokenizer, regions)])
    log("regions", len(regions))
    pairs = Pairs(options.pairs, tokenizer, forbidden)

    def tune(network, rate):
        pairs.hard = None
        train(network, pairs, options.seconds[0], options.size, rate, FIRST_REGION_TOKENS)
        pairs.hard = find_hard(network, pairs)
        log("hard negatives found")
        train(network, pairs, options.seconds[1], options.size // 2, rate / 3, REGION_TOKENS, seed=1)

    def finish(network, name):
        write_encoder(f"{options.out}/{name}.bin", network, tokenizer.get_vocab())
        save_vectors(network, texts, regions, f"{options.out}/{name}.vectors.npz")
        measure(network, name, texts, groups, tokenizer, options.out)
        measure(quantise(network), f"{name}-int8", texts, groups, tokenizer, options.out)

    if options.alone:
        small = read_base(options.base, options.layers).to(DEVICE)
        tune(small, 4e-4)
    else:
        six = read_base(options.base, range(6)).to(DEVICE)
        measure(six, "minilm", texts, groups, tokenizer, options.out)
        tune(six, 3e-4)
        finish(six, "six")
        small = take_layers(six, options.layers).to(DEVICE)
        train(small, pairs, options.seconds[2], options.size // 2, 4e-4, REGION_TOKENS, teacher=six.eval(), seed=2)
    finish(small, f"layers-{len(options.layers)}")
    log("done")


if __name__ == "__main__":
    main()
