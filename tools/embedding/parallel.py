"""A function over stretches of a long list, in processes that share it.

Forked, because the pairs are gigabytes: a forked process has them already, another kind would be sent a copy.
"""

import multiprocessing

INPUT = {}


def over_stretches(function, length, step, **given):
    """The results of `function(range, **given)` for stretches of a list, in order; an empty list has one."""
    INPUT.clear()
    INPUT.update(function=function, given=given)
    stretches = [range(start, min(length, start + step)) for start in range(0, max(1, length), step)]
    with multiprocessing.get_context("fork").Pool() as pool:
        yield from pool.imap(_call, stretches)


def _call(stretch):
    return INPUT["function"](stretch, **INPUT["given"])
