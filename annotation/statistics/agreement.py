"""Do people agree? Krippendorff's alpha with an interval, distances of markers, and pairs of raters."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

Level = Literal["nominal", "interval"]
Value = float | int | str | bool

RESAMPLES = 1000
SEED = 1


def krippendorff_alpha(units: Sequence[Sequence[Value | None]], level: Level = "nominal") -> float | None:
    """Krippendorff's alpha: 1 is full agreement, 0 what chance gives, below 0 is opposition.

    Args:
        units: Units x raters, None where a rater did not judge the unit; rows may differ in length.
        level: "nominal" for kinds, "interval" for numbers (the moments of markers, in seconds).

    Returns:
        None where alpha is undefined: no unit with two values, or all paired values the same.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    >>> round(krippendorff_alpha([[1, 1, None, 1], [0, 0, 0, None], [1, 0, 1, None], [0, 1, None, 0]]), 4)
    0.3889
    """
    index, values = long_form(units)
    return alpha_of(index, values, level)


def long_form(units: Sequence[Sequence[Value | None]]) -> tuple[list[int], list[Value]]:
    """Units x raters as one row per value: the unit's place, and the value."""
    rows = [(at, value) for at, unit in enumerate(units) for value in unit if value is not None]
    return [at for at, _ in rows], [value for _, value in rows]


def alpha_of(unit_index: npt.ArrayLike, values: npt.ArrayLike, level: Level = "nominal") -> float | None:
    """`krippendorff_alpha` from one row per value.

    Args:
        unit_index: Any whole number that names the unit, shape (n,).
        values: Shape (n,); numbers for "interval".

    Raises:
        ValueError: arrays of different shapes, or a value that is no number for "interval".

    Costs: some sorts of n; about 0.2 s for 1e6 values.
    """
    parts = _parts(unit_index, values, level)
    alpha = _alpha(float(parts.size.sum()), float(parts.disagreement.sum()), parts.totals(), level)
    return None if math.isnan(alpha) else alpha


def alpha_interval(
    unit_index: npt.ArrayLike,
    values: npt.ArrayLike,
    level: Level = "nominal",
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[float, float] | None:
    """A 95 % interval of alpha by the percentile bootstrap over units.

    Units with at least two values are drawn again with replacement, as many as there are, each with all its values;
    the interval runs from the 2.5th to the 97.5th percentile of the alphas. Draws in which alpha is undefined are left
    out. The seed is fixed, so that the same values always give the same interval.

    Returns:
        Low and high, which may lie below 0; None where alpha is undefined, with fewer than two units, or where at least
        half of the draws have no alpha.

    Source: Zapf, Castell, Morawietz & Karch (2016), "Measuring inter-rater reliability for nominal data – which
    coefficients and confidence intervals are appropriate?", who find this to cover well from some dozens of units on.

    Costs: about a second for 1e5 units of three values, 0.02 s for 100; memory of units x kinds.
    """
    parts = _parts(unit_index, values, level)
    units = len(parts.size)
    if units < 2 or alpha_of(unit_index, values, level) is None:
        return None
    table = np.column_stack([parts.size, parts.disagreement, parts.by_unit()])
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        times = np.bincount(draw.integers(0, units, units), minlength=units)
        n, disagreement, *totals = times.astype(np.float64) @ table
        found.append(_alpha(float(n), float(disagreement), np.array(totals), level))
    alphas = np.array(found)
    alphas = alphas[~np.isnan(alphas)]
    if 2 * len(alphas) <= resamples:
        return None
    low, high = np.percentile(alphas, [2.5, 97.5]).tolist()
    return low, high


class _Parts(NamedTuple):
    """What alpha is made of: of each pairable unit how many values, and how much they disagree.

    Expected disagreement comes from the totals of columns: of how often each kind was said, or of x and x²; a cell is
    what one unit gives to one column.
    """

    size: Floats
    disagreement: Floats
    cell_unit: Ints
    cell_column: Ints
    cell_value: Floats
    columns: int

    def totals(self) -> Floats:
        return np.bincount(self.cell_column, self.cell_value, minlength=self.columns).astype(np.float64)

    def by_unit(self) -> Floats:
        table = np.zeros((len(self.size), self.columns))
        table[self.cell_unit, self.cell_column] = self.cell_value
        return table


def _alpha(n: float, disagreement: float, totals: Floats, level: Level) -> float:
    """Alpha of `n` pairable values; nan where it is undefined."""
    if level == "nominal":
        expected = n * n - float(totals @ totals)
    else:
        expected = 2 * (n * float(totals[1]) - float(totals[0]) ** 2)
        # The same value throughout leaves rounding of x² behind.
        if expected <= 1e-12 * n * float(totals[1]):
            expected = 0.0
    return 1 - (n - 1) * disagreement / expected if expected > 0 else math.nan


def _parts(unit_index: npt.ArrayLike, values: npt.ArrayLike, level: Level) -> _Parts:
    unit, value = np.asarray(unit_index, dtype=np.int64), np.asarray(values)
    if unit.shape != value.shape or unit.ndim != 1:
        raise ValueError("each value has one unit")
    _, place, sizes = np.unique(unit, return_inverse=True, return_counts=True)
    paired = sizes[place] > 1
    _, place, sizes = np.unique(place[paired], return_inverse=True, return_counts=True)
    value, size, units = value[paired], sizes.astype(np.float64), len(sizes)
    if level == "interval":
        x = value.astype(np.float64)
        if not np.isfinite(x).all():
            raise ValueError("an interval alpha needs numbers")
        x = x - (x.mean() if len(x) else 0.0)
        own_mean = np.bincount(place, x, minlength=units) / np.maximum(size, 1)
        # The squared differences of all ordered pairs of a unit are 2m times its sum of squares about its mean.
        squares = np.bincount(place, (x - own_mean[place]) ** 2, minlength=units)
        sums, own = np.bincount(place, x, minlength=units), np.bincount(place, x * x, minlength=units)
        both = np.tile(np.arange(units), 2)
        column = np.repeat(np.array([0, 1]), units)
        return _Parts(size, 2 * size * squares / (size - 1), both, column, np.concatenate([sums, own]), 2)
    kinds, kind = np.unique(value, return_inverse=True)
    cells, counts = np.unique(place * max(len(kinds), 1) + kind, return_counts=True)
    cell_unit, cell_kind = np.divmod(cells, max(len(kinds), 1))
    count = counts.astype(np.float64)
    same = np.bincount(cell_unit, count * count, minlength=units)
    return _Parts(size, (size * size - same) / (size - 1), cell_unit, cell_kind, count, len(kinds))


class TimeAgreement(NamedTuple):
    """How far apart two people's markers of one task lie, over all pairs, in seconds; None without a pair."""

    pairs: int
    median_s: float | None
    p90_s: float | None
    within_half_s: float | None
    within_1_s: float | None


def time_agreement(unit_index: npt.ArrayLike, seconds: npt.ArrayLike) -> TimeAgreement:
    """Distances of every two markers of the same unit.

    Args:
        unit_index: Any whole number that names the unit, shape (n,); give only markers of the same outcome one unit.
        seconds: Where each marker lies, shape (n,).

    Returns:
        Shares include the edge; the 90th percentile is interpolated linearly between pairs.

    Raises:
        ValueError: arrays of different shapes, or a moment that is no number.

    >>> time_agreement([1, 1, 1], [2.0, 2.5, 4.0])
    TimeAgreement(pairs=3, median_s=1.5, p90_s=1.9, within_half_s=0.3333333333333333, within_1_s=0.3333333333333333)
    """
    unit, moment = np.asarray(unit_index, dtype=np.int64), np.asarray(seconds, dtype=np.float64)
    if unit.shape != moment.shape or unit.ndim != 1:
        raise ValueError("each moment has one unit")
    if not np.isfinite(moment).all():
        raise ValueError("a moment is a number of seconds")
    apart = _pair_distances(unit, moment)
    if len(apart) == 0:
        return TimeAgreement(0, None, None, None, None)
    # Moments are whole ticks: a difference of floats must not put a pair that is exactly on the edge outside.
    near = apart - 1e-9
    return TimeAgreement(
        pairs=len(apart),
        median_s=float(np.median(apart)),
        p90_s=float(np.percentile(apart, 90)),
        within_half_s=float((near <= 0.5).mean()),
        within_1_s=float((near <= 1.0).mean()),
    )


def _pair_distances(unit: Ints, moment: Floats) -> Floats:
    order = np.argsort(unit, kind="stable")
    _, starts, sizes = np.unique(unit[order], return_index=True, return_counts=True)
    sorted_moments = moment[order]
    found = [np.empty(0)]
    for size in np.unique(sizes[sizes > 1]).tolist():
        rows = starts[sizes == size][:, None] + np.arange(size)
        block = sorted_moments[rows]
        first, second = np.triu_indices(size, k=1)
        found.append(np.abs(block[:, first] - block[:, second]).ravel())
    return np.concatenate(found)


class AgreementMatrix(NamedTuple):
    """How often each two raters said the same, for the most active raters.

    `raters` by how much they judged, most first; `common[i][j]` counts the units that both judged, `agreed[i][j]` those
    on which they said the same. A rater has everything in common with themself.
    """

    raters: list[int]
    common: list[list[int]]
    agreed: list[list[int]]

    def share(self, i: int, j: int) -> float | None:
        """How often raters at places i and j agreed; None with nothing in common."""
        return self.agreed[i][j] / self.common[i][j] if self.common[i][j] else None


def agreement_matrix(
    unit_index: npt.ArrayLike, raters: npt.ArrayLike, values: npt.ArrayLike, *, most: int = 20
) -> AgreementMatrix:
    """Agreement of the `most` most active raters, from one row per value; a rater judges a unit once.

    Args:
        unit_index: Any whole number that names the unit, shape (n,).
        raters: Rater id, shape (n,).
        values: What was said, of few kinds, shape (n,).

    Raises:
        ValueError: arrays of different shapes.

    Costs: O(units x most) memory for each kind of value; raters of equal activity come in the order of their ids.
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
    shape = (len(chosen), len(names))
    common, agreed = np.zeros((len(chosen), len(chosen))), np.zeros((len(chosen), len(chosen)))
    seen = np.zeros(shape)
    seen[row, column] = 1
    common += seen @ seen.T
    for kind in np.unique(value):
        said = np.zeros(shape)
        here = value == kind
        said[row[here], column[here]] = 1
        agreed += said @ said.T
    return AgreementMatrix(chosen.tolist(), common.astype(np.int64).tolist(), agreed.astype(np.int64).tolist())
