#!/usr/bin/env python3
"""Reads measurements from CSV files and writes a summary per station."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Iterable, Iterator

# Stations that are known to report nonsense.
BROKEN_STATIONS = frozenset({"attic", "cellar"})
MINIMUM_READINGS = 3
DEFAULT_UNITS: dict[str, str] = {
    "temperature": "°C",
    "pressure": "hPa",
    "humidity": "%",
}


class MeasurementError(ValueError):
    """A row that cannot be understood."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(f"{path}:{line}: {why}")
        self.path = path
        self.line = line


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """One reading of one sensor.

    The value is kept as it was measured; units are looked up when it is shown.
    """

    station: str
    sensor: str
    value: float

    @property
    def unit(self) -> str:
        return DEFAULT_UNITS.get(self.sensor, "")

    @classmethod
    def from_row(
        cls,
        row: dict[str, str],  # as csv gives it
        path: Path,
        line: int,
    ) -> "Reading":
        """Make a reading of a row, or raise ``MeasurementError``."""
        try:
            return cls(row["station"].strip(), row["sensor"].strip(), float(row["value"]))
        except KeyError as missing:
            raise MeasurementError(path, line, f"no column {missing}") from missing
        except ValueError as wrong:
            raise MeasurementError(path, line, str(wrong)) from wrong

    def __str__(self) -> str:
        return f"{self.station}/{self.sensor}: {self.value}{self.unit}"


def read_file(path: Path, *, strict: bool = False) -> Iterator[Reading]:
    """Yield the readings of one file.

    Rows that cannot be understood are skipped, unless ``strict`` is set.
    """
    with path.open(newline="", encoding="utf-8") as handle:
        for line, row in enumerate(csv.DictReader(handle), start=2):
            try:
                yield Reading.from_row(row, path, line)
            except MeasurementError:
                if strict:
                    raise


# Grouping keeps the order in which stations were met, so that two runs
# over the same files print the same report.
def group(readings: Iterable[Reading]) -> dict[tuple[str, str], list[float]]:
    grouped: dict[tuple[str, str], list[float]] = defaultdict(list)
    for reading in readings:
        if reading.station not in BROKEN_STATIONS:
            grouped[reading.station, reading.sensor].append(reading.value)
    return dict(grouped)


def summarize(values: list[float]) -> dict[str, float]:
    def quantile(share: float) -> float:
        ordered = sorted(values)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    return {
        "count": len(values),
        "mean": statistics.fmean(values),
        "low": quantile(0.05),
        "high": quantile(0.95),
    }


class Report:
    """The summary of all stations, as text or as rows."""

    width = 40

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, dict[str, float]]] = []

    def add(self, station: str, sensor: str, summary: dict[str, float]) -> None:
        self._rows.append((station, sensor, summary))

    @property
    def rows(self):
        return tuple(self._rows)

    @rows.setter
    def rows(self, rows) -> None:
        self._rows = list(rows)

    def render(self) -> str:
        lines = []
        for station, sensor, summary in self._rows:
            title = f"{station} {sensor}".ljust(self.width)
            lines.append(f"{title} {summary['mean']:8.2f} ({summary['count']:.0f})")
        return "\n".join(lines)

    async def publish(self, client) -> None:
        """Send the report to a server, row by row."""
        for station, sensor, summary in self._rows:
            await client.post("/report", json={"station": station, "sensor": sensor, **summary})


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--strict", action="store_true", help="stop at the first bad row")
    parser.add_argument("--minimum", type=int, default=MINIMUM_READINGS)
    return parser.parse_args(arguments)


def main() -> int:
    options = parse_arguments()
    readings: list[Reading] = []
    for path in options.files:
        if not path.exists():
            print(f"no such file: {path}", file=sys.stderr)
            return 2
        readings.extend(read_file(path, strict=options.strict))

    report = Report()
    for (station, sensor), values in group(readings).items():
        if len(values) < options.minimum:
            continue
        report.add(station, sensor, summarize(values))

    print(report.render())
    return 0


try:
    import uvloop
except ImportError:

    def install_loop() -> None:
        """Without the faster loop there is nothing to install."""

else:

    def install_loop() -> None:
        uvloop.install()


if __name__ == "__main__":
    install_loop()
    sys.exit(main())
