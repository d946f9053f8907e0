"""The student: a table of vectors, one for each token. vector(text) = sum of count^alpha * exp(weight) * row.

The loss, at all dimensions and at the first half of them (so that half can be used alone): which document belongs to a
question and the other way round, and how near the teacher finds all documents and all other questions of the batch.
"""

import torch
import torch.nn.functional as F

from encode import quantised
from pairs import Kind
from training.batches import MASKED, Batches, same_question
from training.device import DEVICE, log
from training.schedule import rate

DIMENSIONS = 256
STEPS = 800
BATCH = 8_192
GROUP = 64
# A word that is there twice says a little less than two words; .6 is as good for code and worse for chat.
ALPHA = 0.8
TEMPERATURE = 0.04
TEACHER_TEMPERATURE = 0.03
TEACHER_WEIGHT = 3.0
RATE = 0.003
WEIGHT_RATE = 2 * RATE
WARM_UP = 100
RATE_FLOOR = 0.02
# Share of a kind of pairs in an epoch: what is many and weak would drown doc comments.
SHARES = {Kind.WORDNET: 0.5, Kind.NAME: 0.4, Kind.COMMENT: 0.6, Kind.PATH: 0.5, Kind.TEST: 0.6}
QUERY_TOKENS, DOCUMENT_TOKENS, PATH_TOKENS, REST_TOKENS = 48, 480, 12, 90
# Path and rest of a comment are there for half of the documents, as in an index: some chunks have them, some do not.
BESIDE_SHARE = 0.5
TOKEN_DROP = 0.1
# How far a token's vector is moved from the teacher's at the start, so that seeds differ.
NOISE = 0.3
# Tokens more frequent than this start with less than half of the weight.
FREQUENT = 1e-3


def train_student(pairs, near, start, frequency, seed, steps):
    """The table in int8, and the scale of each row. `near` are the teacher's vectors of questions and documents."""
    torch.manual_seed(seed)
    table = torch.nn.Parameter(first_rows(start))
    weight = torch.nn.Parameter(first_weights(frequency))
    optimizer = torch.optim.Adam(
        [{"params": [table], "lr": RATE}, {"params": [weight], "lr": WEIGHT_RATE}], betas=(0.9, 0.99)
    )
    # With few pairs (to try it out) a batch is half of them.
    size = min(BATCH, pairs.count // (2 * GROUP) * GROUP)
    batches = Batches(pairs.sources, lambda: chosen(pairs), size, GROUP)
    for step in range(steps):
        batch = batches.next()
        for group, full in zip(optimizer.param_groups, (RATE, WEIGHT_RATE)):
            group["lr"] = rate(full, step, steps, WARM_UP, RATE_FLOOR)
        loss = batch_loss(pairs, near, table, weight, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 200 == 0 or step == steps - 1:
            log("student", seed, "step", step, f"{loss.item():.3f}")
    rows = (table * weight.exp()[:, None]).detach()
    # The unknown token is never produced.
    rows[0] = 0
    return quantised(rows.cpu().numpy())


def first_rows(start):
    """The teacher's vectors of the tokens, turned so that the first dimensions hold most."""
    centred = start.float() - start.float().mean(0)
    axes = torch.linalg.svd(centred, full_matrices=False)[2][:DIMENSIONS]
    rows = F.normalize(centred @ axes.T, dim=1)
    noise = torch.randn(len(rows), DIMENSIONS, device=DEVICE) / DIMENSIONS**0.5
    return F.normalize(rows + NOISE * noise, dim=1)


def first_weights(frequency):
    share = torch.tensor(frequency / frequency.sum(), device=DEVICE).float()
    return torch.log(FREQUENT / (FREQUENT + share) + 1e-6)


def chosen(pairs):
    share = torch.ones(256, device=DEVICE)
    for kind, value in SHARES.items():
        share[ord(kind)] = value
    kinds = torch.from_numpy(pairs.kinds).to(DEVICE).long()
    return torch.rand(pairs.count, device=DEVICE) < share[kinds]


def batch_loss(pairs, near, table, weight, batch):
    query = vectors(pairs.tokens("q", batch, QUERY_TOKENS), len(batch), table, weight)
    texts = [
        pairs.tokens("d", batch, DOCUMENT_TOKENS),
        pairs.tokens("p", batch, PATH_TOKENS, BESIDE_SHARE),
        pairs.tokens("r", batch, REST_TOKENS, BESIDE_SHARE),
    ]
    ids, place = (torch.cat(parts) for parts in zip(*texts))
    kept = torch.rand(len(ids), device=DEVICE) > TOKEN_DROP
    document = vectors((ids[kept], place[kept]), len(batch), table, weight)
    near_query, near_document = near[0][batch], near[1][batch]
    to_document = torch.softmax((near_query @ near_document.T).float() / TEACHER_TEMPERATURE, 1)
    between = (near_query @ near_query.T).float() / TEACHER_TEMPERATURE
    to_query = torch.softmax(between.fill_diagonal_(MASKED), 1)
    same = same_question(pairs.query_hashes[batch])
    widths = (DIMENSIONS, DIMENSIONS // 2)
    return sum(loss_at(query[:, :width], document[:, :width], same, to_document, to_query) for width in widths)


def vectors(tokens, count, table, weight):
    """The vector of each of `count` texts, not yet of length 1."""
    ids, place = tokens
    # One key for text and token: what is equal is counted together.
    keys, counts = torch.unique(place * len(table) + ids, return_counts=True)
    starts = torch.searchsorted(keys // len(table), torch.arange(count, device=DEVICE))
    ids = keys % len(table)
    weights = counts.float() ** ALPHA * weight[ids].exp()
    return F.embedding_bag(ids, table, starts, mode="sum", per_sample_weights=weights)


def loss_at(query, document, same, to_document, to_query):
    query, document = F.normalize(query, dim=1), F.normalize(document, dim=1)
    with torch.autocast(DEVICE, torch.bfloat16):
        scores, between = query @ document.T, query @ query.T
    scores = (scores.float() / TEMPERATURE).masked_fill(same, MASKED)
    between = between.float() / TEMPERATURE + torch.eye(len(query), device=DEVICE) * MASKED
    own = torch.arange(len(query), device=DEVICE)
    found = F.cross_entropy(scores, own) + 0.5 * F.cross_entropy(scores.T, own)
    agreed = agreement(to_document, scores) + 0.5 * agreement(to_query, between)
    return found - TEACHER_WEIGHT * agreed


def agreement(target, scores):
    return (target * torch.log_softmax(scores, 1)).sum(1).mean()
