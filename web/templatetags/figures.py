"""Filters that write numbers and values for people."""

from typing import Any, Protocol

from django import template

from lib.canonical_json import canonical

register = template.Library()
SMALLEST = 0.001
"""The smallest number that three decimal places can show."""


@register.filter
def percent(share: float | str | None, places: int = 1) -> str:
    """A share as a percentage; a dash if there is none. (Django templates pass "" for a missing variable.)

    >>> percent(0.8241), percent(1.0, 0), percent(None)
    ('82.4 %', '100 %', '–')
    """
    return f"{share * 100:.{places}f} %" if isinstance(share, int | float) else "–"


@register.filter
def signed_percent(share: float | str | None) -> str:
    """A difference of shares, in percentage points with its sign.

    >>> signed_percent(0.0812), signed_percent(-0.2), signed_percent(None)
    ('+8.1 points', '−20.0 points', '–')
    """
    if not isinstance(share, int | float):
        return "–"
    return f"{'−' if share < 0 else '+'}{abs(share) * 100:.1f} points"


@register.filter
def plain(value: Any) -> str:
    """A value of a figure's table, numbers with four significant digits.

    >>> plain(0.123456), plain(12), plain(None), plain("lift")
    ('0.1235', '12', '', 'lift')
    """
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@register.filter
def decimals(value: float | str | None) -> str:
    """A number with three decimal places, a very small one with three significant digits.

    >>> decimals(0.3535533905932738), decimals(-1.5), decimals(0.0), decimals(0.00012345), decimals(None)
    ('0.354', '-1.500', '0.000', '0.000123', '–')
    """
    if not isinstance(value, int | float):
        return "–"
    return f"{value:,.3f}" if value == 0 or abs(value) >= SMALLEST else f"{value:.3g}"


class HasInterval(Protocol):
    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


@register.filter
def interval(measured: HasInterval | str | None) -> str:
    """The interval of a share, in whole percents.

    >>> from lib.statistics.intervals import wilson
    >>> interval(wilson(5, 5)), interval(None)
    ('57–100 %', '–')
    """
    if measured is None or isinstance(measured, str) or measured.low is None or measured.high is None:
        return "–"
    return f"{measured.low * 100:.0f}–{measured.high * 100:.0f} %"


@register.filter
def seconds(value: float | str | None) -> str:
    """A time in a video, in seconds with milliseconds.

    >>> seconds(12.4333), seconds(None)
    ('12.433 s', '–')
    """
    return f"{value:.3f} s" if isinstance(value, int | float) else "–"


@register.filter
def amount(value: Any) -> str:
    """An amount of money with at least two decimal places.

    >>> from decimal import Decimal
    >>> amount(Decimal("0.3000")), amount(Decimal("0.0125"))
    ('0.30', '0.0125')
    """
    places = max(2, -int(value.normalize().as_tuple().exponent)) if value else 2
    return f"{value:.{places}f}"


@register.filter
def as_json(value: Any) -> str:
    """Any value as JSON in one line."""
    return canonical(value)


@register.simple_tag(takes_context=True)
def with_plot(context: dict[str, Any], name: str, form: str) -> str:
    """The query string that asks this page for a plot as a file; the page's filters stay in it."""
    query = context["request"].GET.copy()
    query["plot"], query["as"] = name, form
    return str(query.urlencode())


@register.filter
def share_of(part: int, whole: int) -> float:
    """`part / whole`; 0 if `whole` is 0."""
    return part / whole if whole else 0.0
