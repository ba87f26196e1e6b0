"""Agreement between raters: Krippendorff's alpha of kinds with its interval, and how often each two raters agree.

The `krippendorff` package is the oracle of the tests and not a dependency: its licence is the GPL, it has no interval,
and a bootstrap over it would count every unit again for each resample.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RESAMPLES = 1000
SEED = 1


def alpha_of(unit_index: npt.ArrayLike, values: npt.ArrayLike) -> float | None:
    """Krippendorff's alpha of kinds (nominal): 1 is full agreement, 0 is chance, below 0 is opposition.

    Args:
        unit_index: Any whole number that names the unit, shape (n,).
        values: The kind that one rater gave to that unit, shape (n,).

    Returns:
        None where alpha is undefined: no unit has two values, or all paired values are the same.

    Raises:
        ValueError: the arrays differ in shape.

    Costs: some sorts of n; about 0.2 s for 1e6 values.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    >>> round(alpha_of([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], [1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0]), 4)
    0.3889
    """
    counts = _counts(unit_index, values)
    alpha = _alpha(float(counts.size.sum()), float(counts.disagreement.sum()), counts.totals())
    return None if math.isnan(alpha) else alpha


def alpha_interval(
    unit_index: npt.ArrayLike, values: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float] | None:
    """A 95 % interval of alpha by the percentile bootstrap over units.

    Each resample draws as many of the units with at least two values as there are, with replacement, each with all its
    values. The interval runs from the 2.5th to the 97.5th percentile of the resamples' alphas; resamples without an
    alpha are left out. The seed is fixed, so the same values always give the same interval.

    Returns:
        Low and high, which may lie below 0. None where alpha is undefined, where fewer than two units have two values,
        or where at least half of the resamples have no alpha.

    Source: Zapf, Castell, Morawietz & Karch (2016), "Measuring inter-rater reliability for nominal data – which
    coefficients and confidence intervals are appropriate?". They find that it covers well from some dozens of units on.

    Costs: about a second for 1e5 units of three values, 0.02 s for 100 units; memory of units x kinds.
    """
    counts = _counts(unit_index, values)
    units = len(counts.size)
    if units < 2 or alpha_of(unit_index, values) is None:
        return None
    table = np.column_stack([counts.size, counts.disagreement, counts.by_unit()])
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        times = np.bincount(draw.integers(0, units, units), minlength=units)
        n, disagreement, *totals = times.astype(np.float64) @ table
        found.append(_alpha(float(n), float(disagreement), np.array(totals)))
    alphas = np.array(found)
    alphas = alphas[~np.isnan(alphas)]
    if 2 * len(alphas) <= resamples:
        return None
    low, high = np.percentile(alphas, [2.5, 97.5]).tolist()
    return low, high


class _Counts(NamedTuple):
    """Counts of the units that have at least two values.

    `size` and `disagreement` have one row per unit. The counts of kinds are sparse: unit `cell_unit[i]` has the kind
    `cell_kind[i]` `cell_count[i]` times.
    """

    size: Floats
    disagreement: Floats
    cell_unit: Ints
    cell_kind: Ints
    cell_count: Floats
    kinds: int

    def totals(self) -> Floats:
        """How often each kind occurs, shape (kinds,)."""
        return np.bincount(self.cell_kind, self.cell_count, minlength=self.kinds).astype(np.float64)

    def by_unit(self) -> Floats:
        """How often each unit has each kind, shape (units, kinds)."""
        table = np.zeros((len(self.size), self.kinds))
        table[self.cell_unit, self.cell_kind] = self.cell_count
        return table


def _alpha(n: float, disagreement: float, totals: Floats) -> float:
    """Alpha of `n` values in units of two or more; nan where it is undefined."""
    expected = n * n - float(totals @ totals)
    return 1 - (n - 1) * disagreement / expected if expected > 0 else math.nan


def _counts(unit_index: npt.ArrayLike, values: npt.ArrayLike) -> _Counts:
    unit, value = np.asarray(unit_index, dtype=np.int64), np.asarray(values)
    if unit.shape != value.shape or unit.ndim != 1:
        raise ValueError("each value has one unit")
    _, place, sizes = np.unique(unit, return_inverse=True, return_counts=True)
    paired = sizes[place] > 1
    _, place, sizes = np.unique(place[paired], return_inverse=True, return_counts=True)
    value, size = value[paired], sizes.astype(np.float64)
    kinds, kind = np.unique(value, return_inverse=True)
    cells, counts = np.unique(place * max(len(kinds), 1) + kind, return_counts=True)
    cell_unit, cell_kind = np.divmod(cells, max(len(kinds), 1))
    count = counts.astype(np.float64)
    same = np.bincount(cell_unit, count * count, minlength=len(sizes))
    return _Counts(size, (size * size - same) / (size - 1), cell_unit, cell_kind, count, len(kinds))


class AgreementMatrix(NamedTuple):
    """How often each two raters agreed, for the most active raters.

    `raters` are sorted by how many units they judged, most first. `common[i][j]` counts the units that both judged,
    `agreed[i][j]` those to which both gave the same kind. On the diagonal both are the units that the rater judged.
    """

    raters: list[int]
    common: list[list[int]]
    agreed: list[list[int]]

    def share(self, i: int, j: int) -> float | None:
        """The share of their common units on which the raters at places i and j agreed; None without a common unit."""
        return self.agreed[i][j] / self.common[i][j] if self.common[i][j] else None


def agreement_matrix(
    unit_index: npt.ArrayLike, raters: npt.ArrayLike, values: npt.ArrayLike, *, most: int = 20
) -> AgreementMatrix:
    """Agreement of the `most` most active raters, from one row per value; a rater judges a unit once.

    Args:
        unit_index: Any whole number that names the unit, shape (n,).
        raters: Rater id, shape (n,).
        values: The kind that the rater gave to the unit, one of few, shape (n,).

    Returns:
        Raters of equal activity come in the order of their ids.

    Raises:
        ValueError: the arrays differ in shape.

    Costs: O(units x most) memory for each kind of value.
    """
    unit, rater, value = np.asarray(unit_index, dtype=np.int64), np.asarray(raters, dtype=np.int64), np.asarray(values)
    if not unit.shape == rater.shape == value.shape or unit.ndim != 1:
        raise ValueError("unit, rater and value are one row each")
    ids, activity = np.unique(rater, return_counts=True)
    chosen = ids[np.lexsort((ids, -activity))][:most]
    kept = np.isin(rater, chosen)
    unit, rater, value = unit[kept], rater[kept], value[kept]
    by_id = np.argsort(chosen)
    row = by_id[np.searchsorted(chosen[by_id], rater)]
    names, column = np.unique(unit, return_inverse=True)
    judged = np.zeros((len(chosen), len(names)))
    judged[row, column] = 1
    common, agreed = judged @ judged.T, np.zeros((len(chosen), len(chosen)))
    for kind in np.unique(value):
        gave = np.zeros(judged.shape)
        here = value == kind
        gave[row[here], column[here]] = 1
        agreed += gave @ gave.T
    return AgreementMatrix(chosen.tolist(), common.astype(np.int64).tolist(), agreed.astype(np.int64).tolist())
