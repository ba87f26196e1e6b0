"""Rounds of all products in turns, and their medians as rows."""

import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bench.peers.crosswalk import Crosswalk
from bench.peers.label_studio import LabelStudio
from bench.peers.measure import CALLS, posted, quantile, worked
from bench.peers.product import Product
from bench.rows import Row

PRODUCTS: tuple[type[Product], ...] = (Crosswalk, LabelStudio)
CREWS = (1, 8)
PART = "side by side"
_numbers = count(1)


class Figure(NamedTuple):
    """One measured figure; `quantile` is None where it is no time of a call."""

    case: str
    unit: str


def measured(*, sizes: Sequence[int], cycles: int, rounds: int) -> list[Row]:
    """Measure every product that is here, in turns; the ratio of a row is to the last product."""
    here = [product for product in PRODUCTS if not product.missing()]
    absent = [Row(PART, f"{one.name}: {one.missing()}", 0.0, None, "", 0.0, "") for one in PRODUCTS if one.missing()]
    found: dict[type[Product], dict[Figure, list[float]]] = {one: defaultdict(list) for one in here}
    with tempfile.TemporaryDirectory(prefix="crosswalk-peers-") as folder:
        products = [product(Path(folder) / str(number)) for number, product in enumerate(here)]
        for product in products:
            product.prepare()
        for round_number in range(rounds):
            # One server at a time: an idle one beside it would take memory, and work in the background.
            for product in products:
                _say(f"{product.name}, round {round_number + 1} of {rounds}, load {os.getloadavg()[0]:.1f}")
                _round(product, sizes, cycles, found[type(product)])
    return absent + _rows(found)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def _round(product: Product, sizes: Sequence[int], cycles: int, found: dict[Figure, list[float]]) -> None:
    found[Figure("until it answers", "s")].append(product.start())
    try:
        found[Figure("memory after the start", "MB")].append(product.memory_mb())
        for size in sizes:
            _one_size(product, size, cycles, found)
        found[Figure("memory after the work", "MB")].append(product.memory_mb())
    finally:
        product.stop()


def _one_size(product: Product, size: int, cycles: int, found: dict[Figure, list[float]]) -> None:
    project = product.project(f"peers-{size}-{next(_numbers)}")
    of = f"{size:,} tasks"
    before_s = product.processor_s()
    found[Figure(f"{of}: import", "/s")].append(posted(product, project, size))
    spent_s = product.processor_s() - before_s
    found[Figure(f"{of}: import, processor time of 1,000 tasks", "ms")].append(spent_s * 1000 / (size / 1000))
    alone = 0.0
    for crew in CREWS:
        people = [product.annotator(project, f"a{next(_numbers)}") for _ in range(crew)]
        before_s = product.processor_s()
        work = worked(people, cycles * (4 if crew == 1 else 1))
        spent_s = product.processor_s() - before_s
        who = f"{of}, {crew} annotator{'s' if crew > 1 else ''}"
        found[Figure(f"{who}: processor time of an answer", "ms")].append(spent_s * 1000 / len(work.seconds["submit"]))
        found[Figure(f"{who}: answers", "/s")].append(work.answers_a_second)
        alone = alone or work.answers_a_second
        if crew > 1:
            found[Figure(f"{who}: answers, to one's", "x")].append(work.answers_a_second / alone)
        for call in CALLS:
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99.9", 0.999)):
                found[Figure(f"{who}: {call} {name}", "ms")].append(quantile(work.seconds[call], share))
        found[Figure(f"{who}: errors", "")].append(float(sum(work.errors.values())))
        found[Figure(f"{who}: tasks given twice", "")].append(float(work.twice))
        if work.errors:
            _say(f"{product.name}, {who}: {dict(work.errors)}")
    first_s, seconds, _ = product.export(project)
    found[Figure(f"{of}: export, first byte", "ms")].append(first_s * 1000)
    found[Figure(f"{of}: export, last byte", "ms")].append(seconds * 1000)


def _rows(found: dict[type[Product], dict[Figure, list[float]]]) -> list[Row]:
    """A row for each figure and product; the case names the smallest and the largest value of the rounds."""
    *_, against = found
    rows = []
    for figure in found[against]:
        base = statistics.median(found[against][figure])
        for product, figures in found.items():
            values = figures[figure]
            rows.append(
                Row(
                    part=PART,
                    case=f"{figure.case}, {product.name} ({min(values):,.4g}-{max(values):,.4g})",
                    median=statistics.median(values),
                    p95=None,
                    unit=figure.unit,
                    ratio=statistics.median(values) / base if base else 0.0,
                    against=against.name,
                )
            )
    return rows
