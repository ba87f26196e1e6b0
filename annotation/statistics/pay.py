"""What work earns an hour. Amounts are decimal; a rate is one too, since it is money."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import NamedTuple

HOUR_S = 3600
PLACES = Decimal("0.0001")


class Paid(NamedTuple):
    """One piece of work: what it earned, and the seconds that it took, more than 0."""

    amount: Decimal
    seconds: float


class Hourly(NamedTuple):
    """What an hour of work earned.

    Attributes:
        n: Pieces of work.
        seconds: The median time of one.
        base: What an hour would earn at the median time and the median base pay, without any bonus.
        median: The middle of what each piece earned an hour: half of the work is paid better.
        pooled: All that was earned, over all the time: a few very long pieces weigh here.
    """

    n: int
    seconds: float
    base: Decimal
    median: Decimal
    pooled: Decimal


def hourly(bases: Sequence[Paid], totals: Sequence[Paid], *, others: Decimal = Decimal(0)) -> Hourly | None:
    """What an hour earned; None where nothing was done.

    Args:
        bases, totals: Of each piece of work its base pay alone, and all that it earned, in one order.
        others: What was paid, or taken back, for no piece in particular: it counts in the pooled rate alone.

    >>> hourly([Paid(Decimal(1), 1800.0)], [Paid(Decimal("1.5"), 1800.0)]).median
    Decimal('3.0000')
    """
    if not totals:
        return None
    middle = median(piece.seconds for piece in totals)
    time = sum(piece.seconds for piece in totals)
    return Hourly(
        n=len(totals),
        seconds=middle,
        base=rate(median(piece.amount for piece in bases), middle),
        median=_rounded(median(_exactly(piece.amount, piece.seconds) for piece in totals)),
        pooled=rate(sum((piece.amount for piece in totals), others), time),
    )


def rate(amount: Decimal, seconds: float) -> Decimal:
    """What an hour earns at this amount for these seconds.

    >>> rate(Decimal("0.30"), 60.0)
    Decimal('18.0000')
    """
    return _rounded(_exactly(amount, seconds))


def _exactly(amount: Decimal, seconds: float) -> Decimal:
    return amount * HOUR_S / Decimal(str(seconds))


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(PLACES, ROUND_HALF_UP)
