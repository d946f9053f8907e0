"""The pinned packages of `sources.tsv`."""

import os
from typing import NamedTuple

# Never trained on, by name up to the version: finding their functions by docstring is a test that costs nothing.
HELD_OUT = ("crates:tower@", "pypi:marshmallow@", "npm:bullmq@", "pypi:tornado@", "npm:date-fns@")


class Source(NamedTuple):
    registry: str  # crates, npm or pypi
    package: str
    version: str
    archive: str  # the file's name as the registry gives it
    seed: int  # which of its files are taken, when they are too many
    licence: str  # as the package declares it

    @property
    def name(self):
        return f"{self.registry}:{self.package}@{self.version}"

    def path(self, packages):
        return os.path.join(packages, self.registry, self.archive)


def read_sources(table):
    with open(table, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [Source(*row[:4], int(row[4]), row[5]) for row in rows]
