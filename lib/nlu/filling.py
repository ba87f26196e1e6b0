"""Which words fill the holes of a skeleton, given each word's weight for each kind of hole."""

from collections.abc import Mapping, Sequence

import numpy as np

Run = tuple[int, int]
"""First and last token, inclusive."""


def filled(kinds: Sequence[str], weights: Mapping[str, np.ndarray]) -> list[Run] | None:
    """A run of words for each hole; None if there are fewer words than holes of one kind.

    Holes of one kind take the runs of greatest weight together that do not overlap, the first hole the first run. Holes
    of different kinds may take the same words.

    Args:
        weights: Of each kind, what speaks for each word of the command; negative is against it.
    """
    runs = {kind: best_runs(weights[kind], kinds.count(kind)) for kind in dict.fromkeys(kinds)}
    if any(found is None for found in runs.values()):
        return None
    waiting = {kind: iter(found) for kind, found in runs.items() if found is not None}
    return [next(waiting[kind]) for kind in kinds]


def best_runs(weights: np.ndarray, count: int) -> list[Run] | None:
    """The `count` disjoint runs of greatest weight together, in order, at least one word each; None if too few words.

    >>> best_runs(np.array([-1.0, 2.0, 1.0, -3.0, 0.5]), 2)
    [(1, 2), (4, 4)]
    """
    length = len(weights)
    if length < count:
        return None
    # inside[n]: the best sum when the present word is the last of the n-th run; after[n]: when n runs are complete.
    worst = -np.inf
    inside = [worst] * (count + 1)
    after = [0.0] + [worst] * count
    begun: list[list[int]] = []
    ended: list[list[int]] = []
    start_of = [-1] * (count + 1)
    end_of = [-1] * (count + 1)
    for place, weight in enumerate(weights.tolist()):
        for number in range(count, 0, -1):
            opened, carried = after[number - 1] + weight, inside[number] + weight
            if opened >= carried:
                inside[number], start_of[number] = opened, place
            else:
                inside[number] = carried
            if inside[number] > after[number]:
                after[number], end_of[number] = inside[number], place
        # A run that begins at a word follows runs that ended before it, so these places are kept for each word.
        begun.append(list(start_of))
        ended.append(list(end_of))
    runs: list[Run] = []
    last = length - 1
    for number in range(count, 0, -1):
        end = ended[last][number]
        start = begun[end][number]
        runs.append((start, end))
        last = start - 1
    return runs[::-1]
