"""Where tensors live, and a line on the terminal with the seconds since the start."""

import time

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
START = time.time()


def log(*words):
    print(f"[{time.time() - START:.0f}s]", *words, flush=True)


def release():
    """Gives back what a deleted model took of the GPU's memory."""
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
