"""Difficulty and discrimination of references and quiz items."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import wilson

Floats = npt.NDArray[np.float64]


class ItemFigures(NamedTuple):
    """One item: the share of right answers with its 95 % Wilson interval, and its discrimination.

    `discrimination` is a correlation in -1..1; it is positive where people who answer this item right are better on
    other items. Near 0 or below, somebody should check the item and its truth. It is None where it is undefined: all
    answers are right or all wrong, all people are equally good on other items, or fewer than three people answered
    other items.
    """

    n: int
    right: int
    share: float
    low: float
    high: float
    discrimination: float | None


def item_figures(persons: npt.ArrayLike, items: npt.ArrayLike, right: npt.ArrayLike) -> dict[int, ItemFigures]:
    """The figures of each item by its id, from one row per answer.

    Args:
        persons: Person id, shape (n,).
        items: Item id, shape (n,); a person answers an item once.
        right: Whether the answer was right, shape (n,).

    Returns:
        Discrimination is the point-biserial correlation between a right answer to the item and the rest score, which is
        the person's share of right answers to all other items. People who answered no other item do not count.

    Raises:
        ValueError: the arrays differ in shape, or `right` holds a value other than 0 and 1.

    Source: Henrysson (1963), "Correction of item-total correlations in item analysis".

    Costs: O(n log n).
    """
    person, item = np.asarray(persons, dtype=np.int64), np.asarray(items, dtype=np.int64)
    marks = np.asarray(right)
    if not person.shape == item.shape == marks.shape or person.ndim != 1:
        raise ValueError("persons, items and right are one row per answer each")
    if not np.isin(marks, (0, 1)).all():
        raise ValueError("an answer is right or not")
    hit = marks.astype(np.float64)
    item_ids, which = np.unique(item, return_inverse=True)
    size = len(item_ids)
    discrimination = _discrimination(person, which, hit, size)
    n = np.bincount(which, minlength=size).tolist()
    hits = np.bincount(which, hit, minlength=size).astype(np.int64).tolist()
    figures = {}
    for at, name in enumerate(item_ids.tolist()):
        interval = wilson(hits[at], n[at])
        figures[name] = ItemFigures(n[at], hits[at], hits[at] / n[at], interval.low, interval.high, discrimination[at])
    return figures


def _discrimination(
    person: npt.NDArray[np.int64], which: npt.NDArray[np.int64], hit: Floats, size: int
) -> list[float | None]:
    _, who = np.unique(person, return_inverse=True)
    answered, total = np.bincount(who), np.bincount(who, hit)
    elsewhere = answered[who] > 1
    who, which, hit = who[elsewhere], which[elsewhere], hit[elsewhere]
    rest = (total[who] - hit) / (answered[who] - 1)

    n = np.maximum(np.bincount(which, minlength=size), 1)
    hit = hit - (np.bincount(which, hit, minlength=size) / n)[which]
    rest = rest - (np.bincount(which, rest, minlength=size) / n)[which]
    together = np.bincount(which, hit * rest, minlength=size)
    hit_spread = np.bincount(which, hit * hit, minlength=size)
    rest_spread = np.bincount(which, rest * rest, minlength=size)
    # Shares like 2/3 leave 1e-32 of spread where there is none.
    defined = (np.bincount(which, minlength=size) >= 3) & (hit_spread > 1e-12) & (rest_spread > 1e-12)
    root = np.sqrt(np.where(defined, hit_spread * rest_spread, 1.0))
    values = np.clip(together / root, -1.0, 1.0).tolist()
    return [value if known else None for value, known in zip(values, defined.tolist(), strict=True)]
