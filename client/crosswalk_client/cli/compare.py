"""`crosswalk compare A B`: whether an agent is worse than another, as an exit status for continuous integration."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any, NamedTuple

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import result

NOT_WORSE, WORSE, UNDECIDED, FAILED = 0, 1, 2, 3
OF_SERVER = 0.95
"""The confidence of the server's interval."""


class Interval(NamedTuple):
    low: float
    high: float


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "compare",
        compare,
        help="compare agent A with agent B, paired by scenario",
        examples="""
            crosswalk compare new-checkpoint last-week --suite rooms --fail-if-worse 0.03
            crosswalk compare new last --suite rooms --version v1 --confidence 0.9 --json

            The status is 0 if the interval of A's rate minus B's lies above -D, 1 if it lies below,
            2 if it holds -D, so that more judgements are needed, and 3 after an error.
        """,
    )
    made.mistake = FAILED
    made.set_defaults(failed=FAILED)
    made.add_argument("a", metavar="A", help="the agent in question")
    made.add_argument("b", metavar="B", help="the agent that it is compared with")
    made.add_argument("--suite", required=True, help="the suite on which both are compared")
    made.add_argument("--version", help="only what belongs to this frozen version")
    made.add_argument("--project", help="the project whose workers' verdicts count")
    made.add_argument("--fail-if-worse", type=_fraction, default=0.0, metavar="D", help="a loss of rate, 0 to 1 (0)")
    made.add_argument("--confidence", type=_confidence, default=OF_SERVER, metavar="C", help="above 0, below 1 (0.95)")


def compare(asked: Namespace) -> int:
    with client_of(asked) as client, told_if_missing(client, "comparison of agents", suite=asked.suite):
        found = client.suites.comparison(
            asked.suite, asked.a, asked.b, estimand="suite", version=asked.version, project=asked.project
        )
    interval = interval_of(found, confidence=asked.confidence)
    status = verdict(interval, worse=asked.fail_if_worse)
    told: dict[str, Any] = {
        **found,
        "confidence": asked.confidence,
        "fail_if_worse": asked.fail_if_worse,
        "status": status,
    }
    told |= {"low": interval.low, "high": interval.high} if interval else {}
    result(asked, told, _words(asked, found, interval, status))
    return status


def interval_of(found: Mapping[str, Any], *, confidence: float) -> Interval | None:
    """The interval of the difference with this confidence; None where the server has none.

    The server's has 95 %; another one is as many times wider, on each side, as the normal distribution says.

    >>> interval_of({"difference": 0.1, "low": 0.0, "high": 0.2}, confidence=0.95)
    Interval(low=0.0, high=0.2)
    """
    middle, low, high = (found.get(name) for name in ("difference", "low", "high"))
    if middle is None or low is None or high is None:
        return None
    wider = _z(confidence) / _z(OF_SERVER)
    return Interval(middle - (middle - low) * wider, middle + (high - middle) * wider)


def verdict(interval: Interval | None, *, worse: float) -> int:
    """0 above, 1 below, 2 neither.

    >>> verdict(Interval(-0.02, 0.1), worse=0.03), verdict(Interval(-0.2, -0.1), worse=0.03), verdict(None, worse=0.03)
    (0, 1, 2)
    """
    if interval is None:
        return UNDECIDED
    if interval.low > -worse:
        return NOT_WORSE
    return WORSE if interval.high < -worse else UNDECIDED


def _words(asked: Namespace, found: Mapping[str, Any], interval: Interval | None, status: int) -> str:
    if interval is None:
        return (
            f"{asked.a} and {asked.b} cannot be compared yet. {found.get('sentence') or 'More judgements are needed.'}"
        )
    bound = f"{-asked.fail_if_worse:+.3f}"
    ends = {
        NOT_WORSE: f"not worse: the interval lies above {bound}",
        WORSE: f"worse: the interval lies below {bound}",
        UNDECIDED: f"undecided: the interval holds {bound}",
    }[status]
    smallest = found.get("smallest_visible")
    seen = f"\nThe smallest difference that this suite can show is {smallest:.3f}." if smallest is not None else ""
    return (
        f"{asked.a} - {asked.b} = {found['difference']:+.3f}, "
        f"{asked.confidence:.0%} interval {interval.low:+.3f} to {interval.high:+.3f}; {ends}.{seen}"
    )


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _fraction(text: str) -> float:
    return _number(text, lambda value: 0 <= value <= 1, "a number from 0 to 1")


def _confidence(text: str) -> float:
    return _number(text, lambda value: 0 < value < 1, "a number above 0 and below 1, as 0.95")


def _number(text: str, allowed: Any, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not allowed(value):
        raise ArgumentTypeError(f"{text!r} is not {what}")
    return value
