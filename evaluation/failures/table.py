"""The table of a sample: how many failures are of each kind, and how far both people agreed (paper 000, table 1)."""

from collections import Counter
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.models import Project
from evaluation.models import FailureSample, SampledFailure, Suite
from lib.statistics.intervals import wilson
from lib.statistics.kappa import Kappa, cohen_kappa


class TableRow(NamedTuple):
    """A category: how many of the failures that count are of it, and their share with its 95 % interval."""

    source: str
    name: str
    n: int
    share: float | None
    low: float | None
    high: float | None


class FailureTable(NamedTuple):
    """A sample in numbers. `settled` failures have a category that counts; `open` ones wait for a decision."""

    sample: FailureSample
    rows: list[TableRow]
    drawn: int
    settled: int
    open: list[SampledFailure]
    kappa: Kappa

    def as_json(self) -> dict[str, Any]:
        sample = self.sample
        return {
            "sample": sample.pk,
            "project": sample.project.slug,
            "version": sample.version.slug if sample.version else None,
            "kind": sample.kind,
            "seed": sample.seed,
            "failures": sample.failures,
            "drawn": self.drawn,
            "settled": self.settled,
            "open": len(self.open),
            "kappa": self.kappa._asdict(),
            "categories": [row._asdict() for row in self.rows],
            "made_at": sample.created_at,
        }


def samples_of(suite: Suite, *, among: QuerySet[Project]) -> QuerySet[FailureSample]:
    """The samples of this suite in these projects, newest first."""
    theirs = FailureSample.objects.filter(suite=suite, project__in=among)
    return theirs.select_related("project", "version").order_by("-created_at", "-pk")


def table_of(sample: FailureSample) -> FailureTable:
    """The table. 1 query."""
    sampled = list(sample.sampled.select_related("episode").order_by("pk"))
    both = [one for one in sampled if one.is_coded]
    counts = Counter(one.final for one in sampled if one.final)
    settled = counts.total()
    rows = []
    for category, name in zip(sample.categories, sample.names, strict=True):
        n = counts[name]
        low, high = wilson(n, settled) if settled else (None, None)
        rows.append(TableRow(category["source"], category["name"], n, n / settled if settled else None, low, high))
    return FailureTable(
        sample,
        rows,
        len(sampled),
        settled,
        [one for one in both if not one.final],
        cohen_kappa([one.first_code for one in both], [one.second_code for one in both]),
    )
