"""Masks: the voxels of an object, as integer keys that are the same in every scene.

A key is `x << 16 | y << 8 | z`; no side of a scene is longer than 256. Sorted keys are voxels sorted by x, y, z, which
is also the order of the flat index of any scene.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lib.faults import Fault
from lib.voxels.table import MOST_BLOCKS

Keys = npt.NDArray[np.int32]
Size = tuple[int, int, int]
MOST_FAULTS = 20
"""The most faults of one list that are reported; they are enough to see the pattern."""


def keys_of(voxels: Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]) -> Keys:
    """The mask of these voxels, shape (n, 3), each within 0..255; sorted, each key once."""
    places = np.asarray(voxels, dtype=np.int32).reshape(-1, 3)
    found: Keys = np.unique(places[:, 0] << 16 | places[:, 1] << 8 | places[:, 2]).astype(np.int32)
    return found


def places_of(keys: Keys) -> npt.NDArray[np.int32]:
    """The voxels of a mask, shape (n, 3), sorted by x, y, z."""
    return np.stack([keys >> 16, keys >> 8 & 255, keys & 255], axis=1).astype(np.int32)


def voxels_of(keys: Keys) -> list[list[int]]:
    """The voxels of a mask as JSON."""
    found: list[list[int]] = places_of(keys).tolist()
    return found


def faults_of_voxels(voxels: Any, size: Size, *, pointer: str) -> list[Fault]:
    """The faults of a list of voxels: voxels that are not three integers, lie outside of the scene, or occur twice.

    Costs: in proportion to the list; at most `MOST_FAULTS` are reported.
    """
    if not isinstance(voxels, list):
        return [Fault(pointer, "This is a list of voxels, each [x, y, z].")]
    if len(voxels) > MOST_BLOCKS:
        return [Fault(pointer, f"There are {len(voxels)} voxels; at most {MOST_BLOCKS} may be listed.")]
    faults: list[Fault] = []
    seen: dict[tuple[int, ...], int] = {}
    for number, voxel in enumerate(voxels):
        reason = fault_of_place(voxel, size, parts=3)
        if reason is None:
            first = seen.setdefault(tuple(voxel), number)
            reason = None if first == number else f"The voxel {voxel} is listed twice, first at {pointer}/{first}."
        if reason is not None:
            faults.append(Fault(f"{pointer}/{number}", reason))
            if len(faults) == MOST_FAULTS:
                break
    return faults


def fault_of_place(value: Any, size: Size, *, parts: int) -> str | None:
    """The fault of the coordinates of a voxel, or of a block [x, y, z, id] with four parts; None without a fault."""
    shape = "[x, y, z]" if parts == 3 else "[x, y, z, id]"
    if not isinstance(value, list) or len(value) != parts or any(type(one) is not int for one in value):
        return f"This is {shape}, all whole numbers."
    for name, one, most in zip("xyz", value, size, strict=False):
        if not 0 <= one < most:
            return f"{name} is {_short(one)}; the scene has {name} from 0 to {most - 1}."
    return None


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**9 else "far outside"


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def runs_of(mask: Keys, size: Size) -> str:
    """The mask as a short text: runs of flat indices of a scene of this size.

    A run is `start+length` in base 36, or `start` for a length of one. Twin:
    `frontend/src/tools/voxels/marking/runs.ts`.

    >>> from lib.voxels.mask import keys_of
    >>> runs_of(keys_of([[0, 0, 1], [0, 0, 2], [1, 0, 0]]), (2, 1, 10))
    '1+2 a'
    """
    if not mask.size:
        return ""
    places = places_of(mask).astype(np.int64)
    # Sorted already, because keys are in the order of flat indices.
    flat = (places[:, 0] * size[1] + places[:, 1]) * size[2] + places[:, 2]
    starts = np.flatnonzero(np.diff(flat, prepend=flat[0] - 2) != 1)
    lengths = np.diff(starts, append=flat.size)
    return " ".join(
        _digits(start) + (f"+{_digits(length)}" if length > 1 else "")
        for start, length in zip(flat[starts].tolist(), lengths.tolist(), strict=True)
    )


def _digits(number: int) -> str:
    """An integer >= 0 in base 36."""
    found = ""
    while number >= 36:
        number, digit = divmod(number, 36)
        found = _DIGITS[digit] + found
    return _DIGITS[number] + found
