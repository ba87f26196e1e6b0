"""The hourly pay of a project, from the ledger and the times of the newest answers.

The time of an answer is the active time that the page counted, else the time from the claim to the answer, at most a
lease. Rejected work counts with its time and no pay. Work that was never handed in counts where its ledger entry has
the seconds.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.conf import settings

from annotation.models import Annotation, Project
from annotation.pay.budget import BASE, BONUS
from lib.statistics.pay import Hourly, Paid, hourly
from workforce.ledger import PAYABLE
from workforce.models import LedgerEntry

NEWEST = 1000
"""The number of answers that are read."""
MOST_ENTRIES = 4000
LEAST_N = 10
"""A low rate is a warning from this number of answers on."""
LEAST_S = 1.0
"""A shorter time counts as this many seconds."""
Kind = LedgerEntry.Kind


class HourlyRate(NamedTuple):
    """The pay of an hour in a project, and the least that it should be."""

    rates: Hourly
    floor: Decimal
    currency: str

    @property
    def is_low(self) -> bool:
        return self.rates.n >= LEAST_N and self.rates.median < self.floor


def hourly_rate_of(project: Project) -> HourlyRate | None:
    """The hourly pay of the newest work; None where nothing was handed in, or nothing is paid. 2 queries."""
    newest = Annotation.objects.current().filter(project=project).order_by("-number")
    moments = ("first_id", "public_id", "active_s", "claimed_at", "submitted_at")
    times = {
        first_id or public_id: _seconds(active_s, claimed_at, submitted_at, most=project.lease_s)
        for first_id, public_id, active_s, claimed_at, submitted_at in newest.values_list(*moments)[:NEWEST]
    }
    begun = newest.values("submitted_at")[NEWEST - 1 : NEWEST] if len(times) == NEWEST else None
    entries = LedgerEntry.objects.filter(account=project.slug, state__in=PAYABLE)
    if begun is not None:
        entries = entries.filter(at__gte=begun)
    rows = list(entries.order_by("-at").values_list("kind", "reason", "amount", "inputs")[:MOST_ENTRIES])
    if not rows:
        return None
    found = _hourly(times, rows)
    return HourlyRate(found, settings.LEAST_HOURLY_PAY, project.currency) if found else None


def seconds_of(annotation: Annotation, *, most: int) -> float:
    """The seconds that the work took, at most `most` where the page counted no active time."""
    return _seconds(annotation.active_s, annotation.claimed_at, annotation.submitted_at, most=most)


def _seconds(active_s: float | None, claimed_at: datetime, submitted_at: datetime, *, most: int) -> float:
    taken = min((submitted_at - claimed_at).total_seconds(), float(most)) if active_s is None else active_s
    return max(taken, LEAST_S)


def _hourly(times: dict[str, float], rows: Iterable[tuple[str, str, Decimal, Any]]) -> Hourly | None:
    nothing = Decimal(0)
    bases, bonuses = dict.fromkeys(times, nothing), dict.fromkeys(times, nothing)
    parts: list[Paid] = []
    others = nothing
    for kind, reason, amount, inputs in rows:
        known = inputs if isinstance(inputs, dict) else {}
        if kind == Kind.BASE and (annotation := reason.removeprefix(BASE)) in bases:
            bases[annotation] += amount
        elif kind == Kind.BONUS and (annotation := known.get("annotation") or reason.removeprefix(BONUS)) in bonuses:
            bonuses[annotation] += amount
        elif kind == Kind.PARTIAL and (seconds := known.get("seconds")):
            parts.append(Paid(amount, max(float(seconds), LEAST_S)))
        elif kind == Kind.CORRECTION or (kind == Kind.BONUS and not reason.startswith(BONUS)):
            others += amount
    pieces = [Paid(bases[one], seconds) for one, seconds in times.items()]
    totals = [Paid(bases[one] + bonuses[one], seconds) for one, seconds in times.items()]
    return hourly([*pieces, *parts], [*totals, *parts], others=others)
