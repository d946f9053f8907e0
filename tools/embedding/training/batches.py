"""The pairs on the device, and batches of them.

A batch is made of groups of pairs of one source. Their documents are alike, so that a question must be told from near
misses: with pairs drawn one by one, knowing the package would be enough.
"""

import numpy as np
import torch

from training.device import DEVICE

# What a score that must not count is set to, or lowered by.
MASKED = -1e4


class PairArrays:
    """What preparing/arrays.py wrote."""

    def __init__(self, path):
        arrays = np.load(path)
        self.count = len(arrays["typ"])
        self.kinds = arrays["typ"]
        self.ids = {key: torch.from_numpy(arrays[key].astype(np.int32)).to(DEVICE) for key in "qdpr"}
        self.starts = {key: torch.from_numpy(arrays[key + "o"]).to(DEVICE) for key in "qdpr"}
        self.sources = torch.from_numpy(arrays["src"]).to(DEVICE)
        self.query_hashes = torch.from_numpy(arrays["qh"]).to(DEVICE)

    def tokens(self, text, rows, limit, share=None):
        """The ids of one text of some pairs and, for each id, the place of its pair among them. A text is cut at
        `limit`, and with a share it is left out of the other pairs, at random."""
        start = self.starts[text][rows]
        length = torch.clamp(self.starts[text][rows + 1] - start, max=limit)
        if share is not None:
            length = length * (torch.rand(len(rows), device=DEVICE) < share).long()
        place = torch.repeat_interleave(torch.arange(len(rows), device=DEVICE), length)
        offset = torch.arange(len(place), device=DEVICE) - torch.repeat_interleave(length.cumsum(0) - length, length)
        return self.ids[text][offset + torch.repeat_interleave(start, length)].long(), place


class Batches:
    """Batches without end, each of `size` // `group` groups; `choose` says which pairs an epoch has."""

    def __init__(self, sources, choose, size, group):
        self.sources, self.choose, self.group = sources, choose, group
        self.groups_to_a_batch = size // group
        self.begin_epoch()

    def begin_epoch(self):
        self.groups = grouped(self.sources, self.choose(), self.group)
        self.at = 0

    def next(self):
        if self.at + self.groups_to_a_batch > len(self.groups):
            self.begin_epoch()
        batch = self.groups[self.at : self.at + self.groups_to_a_batch]
        self.at += self.groups_to_a_batch
        return batch.reshape(-1)


def grouped(sources, chosen, size):
    """Groups of `size` chosen pairs of (nearly always) one source, in random order."""
    rows = torch.nonzero(chosen).ravel()
    # A random fraction behind the number of the source shuffles within it.
    fraction = torch.rand(len(rows), device=DEVICE).double() * 0.999
    rows = rows[torch.argsort(sources[rows].double() + fraction)]
    groups = rows[: len(rows) // size * size].view(-1, size)
    return groups[torch.randperm(len(groups), device=DEVICE)]


def same_question(hashes):
    """Which pairs of a batch have the question of another: their documents answer it too."""
    same = hashes[:, None] == hashes[None]
    return same.fill_diagonal_(False)
