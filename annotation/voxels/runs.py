"""Masks as short texts, for pages that show many. Pure. Twin: `frontend/src/voxels/runs.ts`."""

import numpy as np

from annotation.voxels.mask import Keys, Size, places_of

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def runs_of(mask: Keys, size: Size) -> str:
    """The mask as runs of flat indices of a scene of this size: `start+length` in base 36, a length of one left out.

    >>> from annotation.voxels.mask import keys_of
    >>> runs_of(keys_of([[0, 0, 1], [0, 0, 2], [1, 0, 0]]), (2, 1, 10))
    '1+2 a'
    """
    if not mask.size:
        return ""
    places = places_of(mask).astype(np.int64)
    # In order already: keys are in the order of flat indices.
    flat = (places[:, 0] * size[1] + places[:, 1]) * size[2] + places[:, 2]
    starts = np.flatnonzero(np.diff(flat, prepend=flat[0] - 2) != 1)
    lengths = np.diff(starts, append=flat.size)
    return " ".join(
        _digits(start) + (f"+{_digits(length)}" if length > 1 else "")
        for start, length in zip(flat[starts].tolist(), lengths.tolist(), strict=True)
    )


def _digits(number: int) -> str:
    """A whole number, at least 0, in base 36."""
    found = ""
    while number >= 36:
        number, digit = divmod(number, 36)
        found = _DIGITS[digit] + found
    return _DIGITS[number] + found
