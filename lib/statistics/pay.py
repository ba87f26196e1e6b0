"""Pay per hour of work. Amounts are decimal, and so are rates, since they are money."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import NamedTuple

HOUR_S = 3600
PLACES = Decimal("0.0001")


class Paid(NamedTuple):
    """One piece of work: the amount that it earned, and the seconds that it took, more than 0."""

    amount: Decimal
    seconds: float


class Hourly(NamedTuple):
    """Hourly rates of pieces of work.

    Attributes:
        n: Number of pieces of work.
        seconds: Median time of one piece.
        base: The median base pay, without any bonus, at the median time.
        median: The median of the pieces' own hourly rates: half of the pieces are paid better.
        pooled: The sum of all pay over the sum of all times; a few very long pieces change it much.
    """

    n: int
    seconds: float
    base: Decimal
    median: Decimal
    pooled: Decimal


def hourly(bases: Sequence[Paid], totals: Sequence[Paid], *, others: Decimal = Decimal(0)) -> Hourly | None:
    """The hourly rates of the pieces of work; None without a piece.

    Args:
        bases, totals: Each piece of work with its base pay alone, and with all its pay, in the same order.
        others: The sum paid, or taken back, for no piece in particular; only the pooled rate counts it.

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
    """The amount per hour where `seconds` of work earn `amount`.

    >>> rate(Decimal("0.30"), 60.0)
    Decimal('18.0000')
    """
    return _rounded(_exactly(amount, seconds))


def _exactly(amount: Decimal, seconds: float) -> Decimal:
    return amount * HOUR_S / Decimal(str(seconds))


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(PLACES, ROUND_HALF_UP)
