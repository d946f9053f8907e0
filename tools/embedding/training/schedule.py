"""The learning rate over the steps: up in a line, down in half a cosine."""

import math


def rate(full, step, steps, warm_up, floor):
    """The rate at a step; `floor` is the share of the full one that is left at the end."""
    decay = floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * step / steps))
    return full * min(1, (step + 1) / warm_up) * decay
