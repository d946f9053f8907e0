"""Step 4: fine-tunes the teacher on the pairs, and trains tables that agree with it. Needs a GPU to be done in minutes.

The teacher is all-MiniLM-L6-v2, a small transformer. A table (the student) learns twice from each batch: which document
belongs to a question, and how near the teacher finds all others.
"""

import argparse
import os
import pickle
import shutil

import numpy as np
import torch

from training import teacher
from training.batches import PairArrays
from training.device import log, release
from training.student import ALPHA, STEPS, train_student
from words import read_tokens

# Tokens of a question and of a document that the teacher reads when it says how near they are.
QUERY_TOKENS = 64
DOCUMENT_TOKENS = 256
TOKEN_TOKENS = 16


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("work", help="folder that vocabulary.py filled; students and teacher are put there too")
    arguments.add_argument("minilm", help="folder with config.json, model.safetensors and tokenizer.json")
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="a student for each")
    arguments.add_argument("--teacher-steps", type=int, default=teacher.STEPS, help="fewer, to try it out")
    arguments.add_argument("--teacher-pairs", type=int, default=teacher.PAIRS, help="fewer, to try it out")
    arguments.add_argument("--student-steps", type=int, default=STEPS, help="fewer, to try it out")
    options = arguments.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(0)
    work = options.work
    tokenizer, model = teacher.load(options.minilm)
    tokens = read_tokens(f"{work}/vocab.txt")
    # Where a table starts from: what the teacher, not yet tuned, makes of each token alone.
    start = teacher.embed(model, tokenizer, [token.lstrip("#") or token for token in tokens], TOKEN_TOKENS)
    pairs = PairArrays(f"{work}/train.npz")
    with open(f"{work}/train_txt.pkl", "rb") as file:
        queries, documents = pickle.load(file)
    log("pairs", pairs.count, "vocabulary", len(tokens))
    model = teacher.fine_tune(
        model, tokenizer, queries, documents, pairs, options.teacher_steps, options.teacher_pairs
    ).half()
    save(model, options.minilm, f"{work}/teacher")
    near = (
        teacher.embed(model, tokenizer, queries, QUERY_TOKENS),
        teacher.embed(model, tokenizer, documents, DOCUMENT_TOKENS),
    )
    log("pairs embedded")
    del model
    release()
    frequency = np.load(f"{work}/freq.npy")
    for seed in options.seeds:
        table, scale = train_student(pairs, near, start, frequency, seed, options.student_steps)
        np.savez(f"{work}/student-{seed}.npz", q=table, scale=scale, alpha=np.float32(ALPHA))
        log("saved student", seed)


def save(model, minilm, folder):
    """The tuned teacher, so that it can be measured like a student."""
    os.makedirs(folder, exist_ok=True)
    model.save_pretrained(folder)
    shutil.copy(f"{minilm}/tokenizer.json", folder)
    log("teacher saved")


if __name__ == "__main__":
    main()
