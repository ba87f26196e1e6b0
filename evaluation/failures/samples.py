"""Drawing a sample of failures, coding it by two people, and deciding where they differ."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from django.db import transaction

from audit.log import Subject, record
from evaluation.figures.rank_intervals import Asked
from evaluation.models import EpisodeTask, FailureSample, SampledFailure, Suite
from lib.faults import Conflict, Invalid, NotFound

MOST = 1000
MOST_CATEGORIES = 40
MOST_LETTERS = 90
USUAL = (
    "players: imprecise",
    "players: out of time",
    "players: empty",
    "players: control issues",
    "annotators: annotation mistake",
    "annotators: rigidity",
    "annotators: ambiguity",
)
"""The categories of paper 000, table 1."""


class Category(TypedDict):
    source: str
    name: str


def categories_of(lines: str) -> list[Category]:
    """The categories that a text names, each as `source: name` in a line of its own.

    Raises:
        Invalid: a line is no category, is too long or stands twice; or there are fewer than two, or too many.
    """
    found: list[Category] = []
    for line in filter(None, (one.strip() for one in lines.splitlines())):
        source, _, name = (part.strip() for part in line.partition(":"))
        if not source or not name or len(line) > MOST_LETTERS:
            raise Invalid(f"Write each as “source: name”, with {MOST_LETTERS} letters at most: {line[:40]}")
        if {"source": source, "name": name} in found:
            raise Invalid(f"“{line}” stands there twice.")
        found.append({"source": source, "name": name})
    if not 2 <= len(found) <= MOST_CATEGORIES:
        raise Invalid(f"Name 2 to {MOST_CATEGORIES} categories.")
    return found


def draw(
    asked: Asked, *, kind: str, number: int, seed: int, categories: Sequence[Category], by: str, at: datetime
) -> FailureSample:
    """Draw so many of the failures at random, or all where there are fewer. Equal seeds on equal data draw the same.

    Args:
        kind: Of those who failed, see `Agent.Kind`.

    Raises:
        Invalid: no project judges the suite, or it judged none as a failure.
    """
    if asked.project is None:
        raise Invalid("No project judges this suite.")
    failed = EpisodeTask.objects.filter(
        task__project=asked.project,
        counted_as=EpisodeTask.Outcome.FAILURE,
        episode__scenario__suite=asked.suite,
        episode__agent__kind=kind,
        episode__archived_at=None,
    )
    if asked.version is not None:
        failed = failed.filter(episode__revision__versions=asked.version)
    known = sorted(set(failed.values_list("episode_id", flat=True)))
    if not known:
        raise Invalid("The project judged none of these continuations as a failure.")
    drawn = random.Random(seed).sample(known, min(number, len(known)))  # noqa: S311 - a draw, no secret
    with transaction.atomic():
        sample = FailureSample.objects.create(
            suite=asked.suite,
            project=asked.project,
            version=asked.version,
            kind=kind,
            seed=seed,
            failures=len(known),
            categories=list(categories),
            made_by=by,
            created_at=at,
        )
        SampledFailure.objects.bulk_create(SampledFailure(sample=sample, episode_id=pk) for pk in drawn)
        record(
            verb="suite.failures_sampled",
            actor=by,
            subject=Subject("suite", asked.suite.slug),
            at=at,
            sample=sample.pk,
            seed=seed,
            drawn=len(drawn),
        )
    return sample


def sample_of(suite: Suite, pk: int) -> FailureSample:
    """The sample of this suite with its project. Raises NotFound. 1 query."""
    found = FailureSample.objects.filter(suite=suite, pk=pk).select_related("project", "version").first()
    if found is None:
        raise NotFound
    return found


def next_to_code(sample: FailureSample, coder: str) -> SampledFailure | None:
    """The next failure that this person has not coded; None where there is none, or where two others code."""
    place = _place(sample, coder)
    if place is None:
        return None
    return sample.sampled.filter(**{f"{place}_code": ""}).select_related("episode__scenario").order_by("pk").first()


def code(sample: FailureSample, *, failure: int, category: str, coder: str) -> None:
    """Keep what this person says of a failure, once.

    Raises:
        Invalid: there is no such category.
        NotFound: the failure is not in the sample.
        Conflict: two others code this sample, or this person has coded the failure.
    """
    _check(sample, category)
    with transaction.atomic():
        locked = FailureSample.objects.select_for_update().get(pk=sample.pk)
        place = _place(locked, coder)
        if place is None:
            raise Conflict(f"This sample is coded by {locked.first_coder} and {locked.second_coder}.")
        row = _row(locked, failure)
        if getattr(row, f"{place}_code"):
            raise Conflict("You have coded this failure already.")
        setattr(locked, f"{place}_coder", coder)
        locked.save(update_fields=[f"{place}_coder"])
        setattr(row, f"{place}_code", category)
        row.save(update_fields=[f"{place}_code"])


def decide(sample: FailureSample, *, failure: int, category: str, by: str) -> None:
    """Settle two codes that differ. A later decision replaces it.

    Raises:
        Invalid: there is no such category.
        NotFound: the failure is not in the sample.
        Conflict: the codes do not differ, or one is missing.
    """
    _check(sample, category)
    with transaction.atomic():
        row = _row(FailureSample.objects.select_for_update().get(pk=sample.pk), failure)
        if not row.is_coded or row.first_code == row.second_code:
            raise Conflict("Only two codes that differ are decided.")
        row.decided, row.decided_by = category, by
        row.save(update_fields=["decided", "decided_by"])


def _place(sample: FailureSample, coder: str) -> str | None:
    """`first` or `second`, the place of this person among the two; None where both are others."""
    if sample.first_coder in {"", coder}:
        return "first"
    return "second" if sample.second_coder in {"", coder} else None


def _row(sample: FailureSample, failure: int) -> SampledFailure:
    found = sample.sampled.filter(pk=failure).first()
    if found is None:
        raise NotFound
    return found


def _check(sample: FailureSample, category: str) -> None:
    if category not in sample.names:
        raise Invalid("Choose one of the sample's categories.")
