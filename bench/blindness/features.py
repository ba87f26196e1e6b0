"""The knowledge of a trial's workers about each unit that they saw, as numbers that compare over projects.

Every feature is the rank of the unit's value among the units of its trial, from -0.5 to 0.5; 0 where there is no value
and for ties in the middle. So nothing that differs between projects only, such as their size, is of use.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from bench.blindness.trial import Serving, Trial

Floats = npt.NDArray[np.float64]
Order = list[str]
"""Contents in the order in which one worker first got them."""
LATER = 10
"""A notice may follow this many submissions after the answer that caused it."""
SOON = 3
"""Up to this many submissions after an answer a notice follows soon."""


class Known(NamedTuple):
    """The units of a trial: their features, shape (units, features), NAN where there is no value; and the labels.

    `seen_by` is the number of workers who saw the unit, shape (units,).
    """

    names: list[str]
    contents: list[str]
    values: Floats
    is_reference: npt.NDArray[np.bool_]
    seen_by: npt.NDArray[np.int64]


def known_in(trial: Trial) -> Known:
    """The units that were served in the trial, in the order of their first serving."""
    by_unit: dict[str, list[Serving]] = defaultdict(list)
    for serving in trial.servings:
        by_unit[serving.content].append(serving)
    contents = list(by_unit)
    columns: dict[str, list[float]] = {}
    for name, value in _OF_SERVINGS.items():
        columns[name] = [value(by_unit[content]) for content in contents]
    for found in (_repeats(trial), _orders(trial), _signatures(trial), _notices(trial), _summaries(trial)):
        for name, values in found.items():
            columns[name] = [values.get(content, np.nan) for content in contents]
    references = set(trial.references)
    return Known(
        names=list(columns),
        contents=contents,
        values=np.array(list(columns.values())).T,
        is_reference=np.array([content in references for content in contents]),
        seen_by=np.array([len({one.who for one in by_unit[content]}) for content in contents]),
    )


def ranked(values: Floats) -> Floats:
    """Each column as ranks from -0.5 to 0.5; equal values share their middle rank, NAN becomes 0.

    >>> ranked(np.array([[3.0], [1.0], [np.nan], [2.0]])).ravel().tolist()
    [0.5, -0.5, 0.0, 0.0]
    """
    found = np.zeros_like(values)
    for column in range(values.shape[1]):
        there = ~np.isnan(values[:, column])
        if there.sum() > 1:
            found[there, column] = (rankdata(values[there, column]) - 1) / (there.sum() - 1) - 0.5
    return found


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return float(np.mean(listed)) if listed else np.nan


# Features of the servings of one unit ----------------------------------------------------------------------------


def _change(name: str, before: int, after: int) -> Callable[[Sequence[Serving]], float]:
    """The mean change of one of the worker's numbers between two looks of a serving."""

    def change(servings: Sequence[Serving]) -> float:
        pairs = [(one.looks[before], one.looks[after]) for one in servings if len(one.looks) > after]
        return _mean(getattr(b, name) - getattr(a, name) for a, b in pairs if a is not None and b is not None)

    return change


def _extra(name: str) -> Callable[[Sequence[Serving]], float]:
    return lambda servings: _mean(one.extras[name] for one in servings if name in one.extras)


_EXTRAS = tuple(
    f"{call} {what}" for call in ("draft", "heartbeat", "bad answer", "correction") for what in ("seconds", "bytes")
)
_OF_SERVINGS: dict[str, Callable[[Sequence[Serving]], float]] = {
    "time: claim": lambda servings: _mean(one.seconds for one in servings),
    "time: fastest claim": lambda servings: min(one.seconds for one in servings),
    "time: end": lambda servings: _mean(one.end_seconds for one in servings if one.end_seconds),
    "size: claim": lambda servings: _mean(one.bytes for one in servings),
    "size: headers": lambda servings: _mean(one.header_bytes for one in servings),
    "size: end": lambda servings: _mean(one.end_bytes for one in servings if one.end),
    "size: headers of the end": lambda servings: _mean(one.end_header_bytes for one in servings if one.end),
    "size: lease": lambda servings: _mean(round(one.lease_s) for one in servings),
    "shape: length of the id": lambda servings: _mean(len(one.assignment) for one in servings),
    "shape: first character of the id": lambda servings: _mean(ord(one.assignment[0]) for one in servings),
    "shape: digests of one unit": lambda servings: len({one.digest for one in servings}),
    **{
        f"counter: {name} after the {when}": _change(name, at - 1, at)
        for name in ("open", "done", "earned", "bytes")
        for at, when in ((1, "claim"), (2, "end"))
    },
    **{f"extra: {name}": _extra(name) for name in (*_EXTRAS, "ahead status", "ahead seconds", "ahead bytes")},
    "refusal: next claim": lambda servings: _mean(bool(one.refusal) for one in servings),
}


# Repetition --------------------------------------------------------------------------------------------------------


def _repeats(trial: Trial) -> dict[str, dict[str, float]]:
    """Places of the servings of each unit in the sequence of each worker, and the gaps between them."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for servings in _sequences(trial).values():
        last: dict[str, Serving] = {}
        places: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(servings):
            places[one.content].append(place)
            if one.content in last:
                earlier = last[one.content]
                gap = float(one.turn - earlier.turn)
                found["repeat: gap"][one.content].append(gap)
                found[f"repeat: gap after {earlier.end or 'nothing'}"][one.content].append(gap)
                found["repeat: seconds until return"][one.content].append(one.at - earlier.at)
            last[one.content] = one
        most = max(len(servings) - 1, 1)
        for content, at in places.items():
            found["repeat: first place"][content].append(at[0] / most)
            found["repeat: last place"][content].append(at[-1] / most)
            found["repeat: times"][content].append(len(at))
            ended = last[content].end
            if ended in ("released", "expired"):
                found["repeat: waiting"][content].append((most - at[-1]) / most)
    return {name: {content: _mean(listed) for content, listed in by.items()} for name, by in found.items()}


def _sequences(trial: Trial) -> dict[tuple[int, int], list[Serving]]:
    """The servings of each worker in each project."""
    found: dict[tuple[int, int], list[Serving]] = defaultdict(list)
    for serving in trial.servings:
        found[serving.who, serving.where].append(serving)
    return found


# Orders ------------------------------------------------------------------------------------------------------------


def _orders(trial: Trial) -> dict[str, dict[str, float]]:
    """How the orders of two workers, two projects or two rounds differ at each unit."""
    firsts = [_order(servings) for servings in _sequences(trial).values()]
    lasts = [_order(servings[::-1])[::-1] for servings in _sequences(trial).values()]
    own = [(first, last) for first, last in zip(firsts, lasts, strict=True) if first != last]
    by_content = [(first, sorted(first)) for first in firsts]
    return {
        **_compared("order of others", list(combinations(firsts, 2))),
        **_compared("order of the last round", own),
        **_compared("order of contents", by_content),
    }


def _order(servings: Iterable[Serving]) -> Order:
    return list(dict.fromkeys(one.content for one in servings))


def _compared(name: str, pairs: Sequence[tuple[Order, Order]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one, other in pairs:
        common = set(one) & set(other)
        if len(common) < 3:
            continue
        first = [content for content in one if content in common]
        second = {content: place for place, content in enumerate(content for content in other if content in common)}
        places = np.array([second[content] for content in first])
        in_line = longest_rise(places.tolist())
        for place, content in enumerate(first):
            crossed = (places[:place] > places[place]).sum() + (places[place + 1 :] < places[place]).sum()
            found[f"{name}: crossed"][content].append(crossed / (len(first) - 1))
            found[f"{name}: distance"][content].append(abs(places[place] - place))
            found[f"{name}: out of line"][content].append(place not in in_line)
            near = (first[place - 1], first[(place + 1) % len(first)])
            beside = [abs(second[other] - second[content]) == 1 for other in near]
            found[f"{name}: same neighbours"][content].append(sum(beside))
    return {key: {content: _mean(listed) for content, listed in by.items()} for key, by in found.items()}


def longest_rise(values: Sequence[int]) -> set[int]:
    """The indexes of a longest increasing subsequence of different numbers.

    >>> sorted(longest_rise([0, 4, 1, 2, 3]))
    [0, 2, 3, 4]
    """
    # For each length the index of the smallest value that ends a rise of it.
    ends: list[int] = []
    before: list[int | None] = []
    for index, value in enumerate(values):
        length = bisect_left(ends, value, key=lambda end: values[end])
        before.append(ends[length - 1] if length else None)
        ends[length : length + 1] = [index]
    found = set()
    at = ends[-1] if ends else None
    while at is not None:
        found.add(at)
        at = before[at]
    return found


# Shapes and notices ------------------------------------------------------------------------------------------------


def _signatures(trial: Trial) -> dict[str, dict[str, float]]:
    """How rare the headers and keys of a unit's claims are in the trial, and the place of its id among all ids."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    columns: Mapping[str, Callable[[Serving], str]] = {
        "shape: rare headers": lambda one: one.headers,
        "shape: rare keys": lambda one: one.keys,
    }
    for name, value in columns.items():
        counts = Counter(value(one) for one in trial.servings)
        for one in trial.servings:
            found[name][one.content].append(1 - counts[value(one)] / len(trial.servings))
    ids = {one: place for place, one in enumerate(sorted(one.assignment for one in trial.servings))}
    for one in trial.servings:
        found["shape: place of the id"][one.content].append(ids[one.assignment])
    return {name: {content: _mean(listed) for content, listed in by.items()} for name, by in found.items()}


def _notices(trial: Trial) -> dict[str, dict[str, float]]:
    """Whether a notice came directly after an answer, or soon, or later."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for servings in _sequences(trial).values():
        answered = [one for one in servings if one.end == "submitted"]
        if not any(one.notice for one in answered):
            continue
        for place, one in enumerate(answered):
            found["notice: directly"][one.content] = one.notice
            found["notice: soon"][one.content] = sum(one.notice for one in answered[place + 1 : place + 1 + SOON])
            later = answered[place + 1 + SOON : place + 1 + LATER]
            found["notice: later"][one.content] = sum(one.notice for one in later)
    return found


# Summaries ---------------------------------------------------------------------------------------------------------


def _summaries(trial: Trial) -> dict[str, dict[str, float]]:
    """The mean change of each number of the summary after a claim, and after the end of the hold."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in trial.servings:
        for when, (before, after) in zip(("claim", "end"), pairwise(one.looks), strict=False):
            if before is None or after is None:
                continue
            for name in before.summary.keys() & after.summary.keys():
                change = after.summary[name] - before.summary[name]
                found[f"summary: {name} after the {when}"][one.content].append(change)
    return {name: {content: _mean(listed) for content, listed in by.items()} for name, by in found.items()}
