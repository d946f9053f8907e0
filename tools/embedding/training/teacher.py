"""The teacher: MiniLM, its vectors, and its fine-tuning on our pairs."""

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import BertModel

from pairs import Kind
from training.batches import MASKED, Batches, same_question
from training.device import DEVICE, log
from training.schedule import rate

WIDTH = 384
STEPS = 420
PAIRS = 500_000
# Not code: the teacher knows English, and paths are too easy.
LEFT_OUT = [ord(Kind.WORDNET), ord(Kind.PATH)]
BATCH = 2_048
GROUP = 32
RATE = 1e-4
WARM_UP = 40
RATE_FLOOR = 0.05
TEMPERATURE = 0.05
QUERY_TOKENS = 40
DOCUMENT_TOKENS = 128
# Texts of similar length are embedded together, as many as fit.
EMBED_TOKENS = 400_000
EMBED_FEWEST, EMBED_MOST = 256, 4_096
TOKENIZED_TOGETHER = 100_000


def load(folder):
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    return tokenizer, BertModel.from_pretrained(folder, dtype=torch.float32).to(DEVICE).eval()


@torch.no_grad()
def embed(model, tokenizer, texts, limit):
    """A vector for each text, fp16."""
    ids = token_ids(tokenizer, texts, limit)
    lengths = (ids != 0).sum(1)
    order = torch.argsort(lengths)
    ids = ids.to(DEVICE)
    out = torch.empty(len(texts), WIDTH, dtype=torch.float16, device=DEVICE)
    at = 0
    while at < len(order):
        longest = int(lengths[order[min(len(order), at + EMBED_MOST) - 1]])
        count = min(EMBED_MOST, max(EMBED_FEWEST, EMBED_TOKENS // max(1, longest)))
        rows = order[at : at + count].to(DEVICE)
        out[rows] = pooled(model, ids[rows]).half()
        at += count
    return out


def fine_tune(model, tokenizer, queries, documents, pairs, steps, most_pairs):
    """Teaches it which document belongs to which question."""
    use = np.where(~np.isin(pairs.kinds, LEFT_OUT))[0]
    if len(use) > most_pairs:
        use = np.sort(np.random.RandomState(0).choice(use, most_pairs, replace=False))
    query_ids = token_ids(tokenizer, [queries[row] for row in use], QUERY_TOKENS).to(DEVICE)
    document_ids = token_ids(tokenizer, [documents[row] for row in use], DOCUMENT_TOKENS).to(DEVICE)
    log("tokenised", len(use))
    rows = torch.from_numpy(use).to(DEVICE)
    hashes = pairs.query_hashes[rows]
    every = torch.ones(len(rows), dtype=torch.bool, device=DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    model.train()
    batches = Batches(pairs.sources[rows], lambda: every, BATCH, GROUP)
    for step in range(steps):
        batch = batches.next()
        for group in optimizer.param_groups:
            group["lr"] = rate(RATE, step, steps, WARM_UP, RATE_FLOOR)
        with torch.autocast(DEVICE, torch.bfloat16):
            query, document = pooled(model, query_ids[batch]), pooled(model, document_ids[batch])
        loss = contrast(query @ document.T, same_question(hashes[batch]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 60 == 0:
            log("teacher step", step, f"{loss.item():.3f}")
    return model.eval()


def contrast(scores, same):
    scores = (scores / TEMPERATURE).masked_fill(same, MASKED)
    own = torch.arange(len(scores), device=DEVICE)
    return F.cross_entropy(scores, own) + 0.5 * F.cross_entropy(scores.T, own)


def pooled(model, ids):
    """The mean over the tokens of each text, of length 1."""
    ids = ids[:, : int((ids != 0).sum(1).max())].long()
    mask = (ids != 0).long()
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    weight = mask[..., None].to(hidden.dtype)
    return F.normalize(((hidden * weight).sum(1) / weight.sum(1)).float(), dim=1)


def token_ids(tokenizer, texts, limit):
    """The teacher's own ids, filled up with zeros."""
    tokenizer.enable_truncation(limit)
    tokenizer.no_padding()
    out = np.zeros((len(texts), limit), np.int32)
    for start in range(0, len(texts), TOKENIZED_TOGETHER):
        for row, encoding in enumerate(tokenizer.encode_batch_fast(texts[start : start + TOKENIZED_TOGETHER]), start):
            out[row, : len(encoding.ids)] = encoding.ids
    return torch.from_numpy(out)
