"""A ranking as the API answers it."""

from typing import Any

from evaluation.figures.rank_intervals import FoundIntervals
from evaluation.plateau import plateau_of
from evaluation.ranking import GroupRate, Ranking, RankingRow, WithoutOwn
from lib.statistics.success_rate import SuccessRate

RAW, CORRECTED = "none", "rogan_gladen"
CORRECTIONS = (RAW, CORRECTED)
ALL, ONCE = "all", "once"
IDENTICAL = (ALL, ONCE)
"""How identical continuations count: see `evaluation/repeats/`."""


def show_ranking(ranking: Ranking, found: FoundIntervals) -> dict[str, Any]:
    """The answer; what cannot be computed is null, and a sentence beside it says why."""
    raters, plateau = ranking.raters, plateau_of(ranking.counts)
    return {
        "agents": [_agent(row, found) for row in ranking.rows],
        "rater": raters.as_json(),
        "verdict": raters.verdict.as_json(),
        "ties": found.ties,
        "bootstrap": found.bootstrap(),
        "plateau": plateau.as_json() if plateau else None,
        "identical_left_out": ranking.counts.left_out,
        "correction": {"withheld": raters.withheld or None, "p_equal": raters.p_equal},
    }


def _agent(row: RankingRow, found: FoundIntervals) -> dict[str, Any]:
    raw, shown = row.success, row.ranked_by
    interval = found.intervals.get(row.agent)
    return {
        "agent": row.agent,
        "kind": row.kind,
        "n": raw.n,
        "successes": raw.successes,
        "rate": shown.rate if shown else None,
        "standard_error": raw.standard_error,
        "se_suite": row.mean.se_suite,
        "se_population": row.mean.se_population,
        "low": shown.low if shown else None,
        "high": shown.high if shown else None,
        "rank": row.rank,
        "rank_low": interval.low if interval else None,
        "rank_high": interval.high if interval else None,
        "raw": {"rate": raw.rate, "low": raw.low, "high": raw.high},
        "corrected": row.corrected._asdict() if row.corrected else None,
        "without_chance": row.without_chance._asdict() if row.without_chance else None,
        "without_own": _without_own(row.without_own),
        "scenarios": row.mean.scenarios,
        "scenario_mean": row.mean.mean,
        "unjudged": row.unjudged,
        "pending": row.pending,
        "groups": [_group(one) for one in row.groups],
    }


def _without_own(one: WithoutOwn | None) -> dict[str, Any] | None:
    if one is None:
        return None
    success = one.success
    numbers = {"n": success.n, "rate": success.rate, "low": success.low, "high": success.high}
    return {"left_out": one.left_out, "rank": one.rank, **numbers}


def _group(one: GroupRate) -> dict[str, Any]:
    success: SuccessRate = one.success
    return {
        "group": one.group,
        "n": success.n,
        "successes": success.successes,
        "rate": success.rate,
        "standard_error": success.standard_error,
        "low": success.low,
        "high": success.high,
        "se_suite": one.mean.se_suite,
        "se_population": one.mean.se_population,
        "without_chance": one.without_chance._asdict() if one.without_chance else None,
    }
