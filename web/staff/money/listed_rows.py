"""The ids of the rows that a page listed, in a form field. A person confirms the rows that were shown, not newer ones.

Neither a time nor the highest id is enough for this: a row that is committed late can have an earlier time than a row
that was shown.
"""

import re
from collections.abc import Iterable
from itertools import groupby

from lib.faults import Invalid

_RUN = re.compile(r"([1-9][0-9]{0,17})(?:-([1-9][0-9]{0,6}))?")
_HIGHEST = 2**63


def packed(ids: Iterable[int]) -> str:
    """Ids as differences, with the length of each run of consecutive ids.

    >>> packed([3, 4, 5, 6, 20])
    '3-4.14'
    """
    runs, last = [], 0
    for _, group in groupby(enumerate(sorted(set(ids))), key=lambda pair: pair[1] - pair[0]):
        run = [pk for _, pk in group]
        runs.append(f"{run[0] - last}-{len(run)}" if len(run) > 1 else f"{run[0] - last}")
        last = run[-1]
    return ".".join(runs)


def unpacked(text: str, *, most: int) -> list[int]:
    """The ids in the text, ascending.

    Raises:
        Invalid: the text was not made by `packed`.
    """
    ids: list[int] = []
    last = 0
    for piece in text.split(".") if text else []:
        found = _RUN.fullmatch(piece)
        n = int(found[2] or 1) if found else 0
        if found is None or len(ids) + n > most or last + int(found[1]) + n > _HIGHEST:
            raise Invalid("What the page listed cannot be read. Load it again.")
        first = last + int(found[1])
        ids.extend(range(first, first + n))
        last = ids[-1]
    return ids
