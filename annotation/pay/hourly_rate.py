"""What an hour of work in a project really earned, from the ledger and the times of the newest work.

A time is what the page counted as active, else from the claim to the answer, at most a lease. What was rejected earned
nothing and is work all the same. Work that was not handed in counts where its entry says for how many seconds it is.
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
"""Answers that are looked at."""
MOST_ENTRIES = 4000
LEAST_N = 10
"""From so many on, a low rate is a warning."""
LEAST_S = 1.0
"""Shorter times count as this long: nobody earns by the millisecond."""
Kind = LedgerEntry.Kind


class HourlyRate(NamedTuple):
    """What an hour earns in a project, and what it should at least."""

    rates: Hourly
    floor: Decimal
    currency: str

    @property
    def is_low(self) -> bool:
        return self.rates.n >= LEAST_N and self.rates.median < self.floor


def hourly_rate_of(project: Project) -> HourlyRate | None:
    """What an hour of the newest work earned; None where nothing was handed in, or nothing is paid. 2 queries."""
    newest = Annotation.objects.filter(project=project).order_by("-number")
    moments = ("public_id", "active_s", "claimed_at", "submitted_at")
    times = {
        public_id: _seconds(active_s, claimed_at, submitted_at, most=project.lease_s)
        for public_id, active_s, claimed_at, submitted_at in newest.values_list(*moments)[:NEWEST]
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
    """How long the work took, where the clock is believed for `most` seconds."""
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
