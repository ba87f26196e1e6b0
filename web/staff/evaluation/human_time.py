"""People's hours for each agent: rating a suite's continuations, against live sessions with it (paper 000: 6 times).

Both sides are read from this server's own rows. It stands here, above evaluation and interaction, which do not know
each other.
"""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, F, QuerySet, Sum

from agents.models import Agent
from annotation.models import Annotation, Project
from evaluation.figures.counts import read_counts
from evaluation.figures.rank_intervals import Asked
from interaction.models import Session
from interaction.reports.session_sums import Facts, facts_of
from lib.statistics.suites.human_time import EQUAL_ERROR, Effort, effort, times_faster
from lib.trees.tree import OK

MOST_PROJECTS = 10
"""So many projects with sessions are read, the newest ones."""
_SECONDS = 3600


class AgentTime(NamedTuple):
    """The hours for one agent on both sides. `sentence` says why there is no comparison.

    `suite_cost` is the base pay of its ratings as it is now, `live_cost` what its sessions earned; None where it is not
    known, or where several currencies meet.
    """

    agent: str
    suite: Effort
    suite_cost: Decimal | None
    live: Effort
    live_cost: Decimal | None
    times: float | None
    sentence: str | None


class HumanTime(NamedTuple):
    """All agents of a suite that are programs, in the order of their names."""

    rows: list[AgentTime]
    equal_error: float
    currency: str

    def as_json(self) -> dict[str, Any]:
        rows = [
            {
                **row._asdict(),
                "suite": row.suite._asdict(),
                "live": row.live._asdict(),
                "suite_cost": _text(row.suite_cost),
                "live_cost": _text(row.live_cost),
            }
            for row in self.rows
        ]
        return {"agents": rows, "equal_error": self.equal_error, "currency": self.currency}


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:.2f}"


class _Ratings(NamedTuple):
    """The ratings of one agent's continuations: their number and their active time, with a share of the references."""

    n: float
    hours: float | None


def human_time(asked: Asked, *, among: QuerySet[Project]) -> HumanTime:
    """The hours of both sides, sessions in these projects alone.

    Costs: 5 queries, and 2 for each project with sessions of these agents.
    """
    counts = read_counts(**asked._asdict()).of_programs()
    hits, n = counts.by_cluster()
    rated = _ratings(asked)
    projects = _live_projects(counts.agents, among)
    sessions = _by_agent(facts for project in projects for facts in facts_of(project))
    currency = asked.project.currency if asked.project else ""
    is_one_currency = {project.currency for project in projects} <= {currency}
    rows = []
    for at, agent in enumerate(counts.agents):
        ratings, theirs = rated.get(agent, _Ratings(0, None)), sessions.get(agent, [])
        suite = effort(hits[:, at], n[:, at], hours=ratings.hours)
        live = _live(theirs)
        pay = asked.project.base_pay if asked.project else None
        rows.append(
            AgentTime(
                agent=agent,
                suite=suite,
                suite_cost=None if pay is None or not ratings.n else pay * Decimal(round(ratings.n)),
                live=live,
                live_cost=sum((one.cost for one in theirs), Decimal(0)) if theirs and is_one_currency else None,
                times=times_faster(suite, live),
                sentence=_sentence(suite, live),
            )
        )
    return HumanTime(rows, EQUAL_ERROR, currency)


def _sentence(suite: Effort, live: Effort) -> str | None:
    if not suite.n:
        return "None of its continuations was judged."
    if suite.hours is None:
        return "No answer to its continuations has a measured time."
    if not live.n:
        return "No command was judged in a live session with it."
    if suite.standard_error is None:
        return "Its continuations show no standard error: they come from one scenario, or all ended alike."
    if live.standard_error is None:
        return "Its sessions show no standard error: there is one, or all ended alike."
    return None


def _ratings(asked: Asked) -> dict[str, _Ratings]:
    """By agent. An answer without a measured time counts as an average one. 2 queries."""
    if asked.project is None:
        return {}
    standing = Annotation.objects.current().filter(project=asked.project)
    sums = {"n": Count("pk"), "known": Count("active_s"), "seconds": Sum("active_s")}
    references = standing.filter(task__is_reference=True).aggregate(**sums)
    shown = standing.on_tasks().filter(task__shown__episode__scenario__suite=asked.suite)
    if asked.version is not None:
        shown = shown.filter(task__shown__episode__revision__versions=asked.version)
    grouped = shown.order_by().values(agent=F("task__shown__episode__agent__slug")).annotate(**sums)
    by_agent: list[dict[str, Any]] = [{**one} for one in grouped]
    total = sum(one["n"] for one in by_agent)
    more = references["n"] / total if total else 0.0
    reference_s = _mean(references["seconds"], references["known"])
    return {one["agent"]: _with_references(one, more, reference_s) for one in by_agent}


def _with_references(one: dict[str, Any], more: float, reference_s: float | None) -> _Ratings:
    """With `more` references for each rating."""
    mean = _mean(one["seconds"], one["known"])
    if mean is None:
        return _Ratings(one["n"] * (1 + more), None)
    seconds = one["n"] * (mean + more * (mean if reference_s is None else reference_s))
    return _Ratings(one["n"] * (1 + more), seconds / _SECONDS)


def _mean(seconds: float | None, known: int) -> float | None:
    return seconds / known if seconds is not None and known else None


def _live_projects(agents: list[str], among: QuerySet[Project]) -> list[Project]:
    """The projects with sessions of these agents, newest first. 1 query."""
    known = Agent.objects.filter(slug__in=agents)
    theirs = Session.objects.filter(agent__in=known, started_at__isnull=False, ended_at__isnull=False)
    return list(among.filter(pk__in=theirs.values("project")).order_by("-created_at", "-pk")[:MOST_PROJECTS])


def _by_agent(found: Iterable[Facts]) -> dict[str, list[Facts]]:
    """Sessions by their agent: the first word, for the parser may stand behind it."""
    sessions: dict[str, list[Facts]] = defaultdict(list)
    for facts in found:
        sessions[facts.agent.partition(" ")[0]].append(facts)
    return sessions


def _live(sessions: list[Facts]) -> Effort:
    """Rejected sessions have no outcomes, but their time was spent."""
    kept = [one for one in sessions if not one.is_dropped]
    return effort(
        [one.by_outcome.get(OK, 0) for one in kept],
        [sum(n for outcome, n in one.by_outcome.items() if outcome) for one in kept],
        hours=sum(one.hours for one in sessions) if sessions else None,
    )
