"""Harvesting candidates: a weighted mix of failures and successes, drawn at random (paper 000, section 3.1)."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet

from agents.models import Agent
from annotation.models import Project
from audit.log import Subject, record
from commands.models import Command
from evaluation.models import Candidate, EpisodeTask, Suite
from evaluation.suites import check_not_archived
from evaluation.tallies import own_links
from lib.trees.tree import OK
from routing.models import ErrorReport

KINDS = tuple(Candidate.Source.values)
MOST = 500
"""Candidates of one harvest."""
MOST_LOOKED_AT = 20_000
"""So many of the newest failures, and of the newest successes, of each kind are drawn from."""


class Wish(NamedTuple):
    """An order: so many candidates of these kinds, this share of them failures. Equal seeds draw equally."""

    number: int
    share_of_failures: float
    kinds: Sequence[str]
    seed: int


class Found(NamedTuple):
    """A situation that could become a candidate."""

    kind: str
    source: str
    episode: int | None


class Harvest(NamedTuple):
    """How many candidates were added; fewer than wished where there were no more."""

    failures: int
    successes: int


def harvest(*, suite: Suite, wish: Wish, among: QuerySet[Project], by: str, at: datetime) -> Harvest:
    """Add candidates to the suite. What was a candidate of it once, taken or refused, is not drawn again.

    Args:
        among: The projects whose outcomes, commands and reports may be used.

    Raises:
        Conflict: the suite is archived.
    """
    check_not_archived(suite)
    draw = random.Random(wish.seed)  # noqa: S311 - a sample, no secret
    failures = round(wish.number * wish.share_of_failures)
    wanted = {True: failures, False: wish.number - failures}
    with transaction.atomic():
        Suite.objects.select_for_update().get(pk=suite.pk)
        known = set(suite.candidates.values_list("kind", "source"))
        drawn = {}
        for is_failure, number in wanted.items():
            pool = [one for one in _pool(wish.kinds, among, is_failure) if (one.kind, one.source) not in known]
            drawn[is_failure] = draw.sample(pool, min(number, len(pool)))
            # Two projects may have judged one continuation differently; it is drawn once.
            known |= {(one.kind, one.source) for one in drawn[is_failure]}
        Candidate.objects.bulk_create(
            Candidate(
                suite=suite, kind=one.kind, source=one.source, episode_id=one.episode, is_failure=failed, created_at=at
            )
            for failed, chosen in drawn.items()
            for one in chosen
        )
        record(
            verb="suite.harvested",
            actor=by,
            subject=Subject("suite", suite.slug),
            at=at,
            **wish._asdict(),
            failures=len(drawn[True]),
            successes=len(drawn[False]),
        )
    return Harvest(len(drawn[True]), len(drawn[False]))


def _pool(kinds: Sequence[str], among: QuerySet[Project], is_failure: bool) -> list[Found]:
    """All that may be drawn, in a fixed order. 3 queries at most."""
    pool: list[Found] = []
    if Candidate.Source.CONTINUATION in kinds:
        pool += _continuations(among, is_failure)
    if Candidate.Source.COMMAND in kinds:
        pool += _commands(among, is_failure)
    if Candidate.Source.REPORT in kinds and is_failure:
        pool += _reports(among)
    return pool


def _continuations(among: QuerySet[Project], is_failure: bool) -> list[Found]:
    links = own_links(EpisodeTask.objects.filter(counted_as="failure" if is_failure else "success"))
    links = links.filter(
        task__project__in=among, episode__archived_at=None, episode__agent__kind=Agent.Kind.AGENT
    ).order_by("-pk")
    rows = links.values_list("episode__external_id", "episode_id")[:MOST_LOOKED_AT]
    # Two projects may have judged one continuation.
    return [Found(Candidate.Source.CONTINUATION, external_id, pk) for external_id, pk in dict.fromkeys(rows)]


def _commands(among: QuerySet[Project], is_failure: bool) -> list[Found]:
    """Live commands that were judged and have no report: those are in `_reports`."""
    judged = Command.objects.filter(project__in=among, assignment__isnull=False, fault="", report=None)
    judged = judged.exclude(outcome__in=["", OK]) if is_failure else judged.filter(outcome=OK)
    ids = judged.order_by("-pk").values_list("pk", flat=True)[:MOST_LOOKED_AT]
    return [Found(Candidate.Source.COMMAND, str(pk), None) for pk in ids]


def _reports(among: QuerySet[Project]) -> list[Found]:
    reports = ErrorReport.objects.filter(project__in=among, merged_into=None, command__fault="")
    standing = reports.exclude(state=ErrorReport.State.DISMISSED).order_by(F("pk").desc())
    ids = standing.values_list("public_id", flat=True)[:MOST_LOOKED_AT]
    return [Found(Candidate.Source.REPORT, public_id, None) for public_id in ids]
