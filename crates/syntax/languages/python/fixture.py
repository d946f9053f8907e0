"""A module's docstring is nobody's."""

from __future__ import annotations

import functools

LIMIT = 3
# <- constant LIMIT
retries: int = 5
# <- constant retries
a, b = 1, 2
counter = 0
# <- constant counter
counter += 1

type Pair = tuple[int, int]
#    ^^^^ type Pair
type Box[T] = list[T]
#    ^^^ type Box


def parse(text: str, *, strict: bool = False) -> dict:
#   ^^^^^ function parse
    """Parse it."""
    inner_value = 1

    def convert(part):
#       ^^^^^^^ function parse.convert
        return int(part) + inner_value

    return {part: convert(part) for part in text.split()}


async def fetch(url): return url
#         ^^^^^ function fetch


@functools.cache
def cached(n):
#   ^^^^^^ function cached
    return n


class Session(Base, metaclass=Meta):
#     ^^^^^^^ class Session
    """A session."""

    timeout = 30

    def __init__(self, name):
#       ^^^^^^^^ method Session.__init__
        self.name = name

    @property
    def value(self):
#       ^^^^^ method Session.value
        return self._value

    @value.setter
    def value(self, new):
#       ^^^^^ method Session.value~c6c2
        self._value = new

    @staticmethod
    def make(): return Session("x")
#       ^^^^ method Session.make

    class Meta:
#         ^^^^ class Session.Meta
        def describe(self):
#           ^^^^^^^^ method Session.Meta.describe
            class Local:
#                 ^^^^^ class Session.Meta.describe.Local
                pass


if LIMIT > 2:
    GUARDED = 1

    def conditional():
#       ^^^^^^^^^^^ function conditional
        pass
else:

    def conditional():
#       ^^^^^^^^^^^ function conditional~b5f1
        raise NotImplementedError
