"""Masks: the set of voxels that an object covers, as keys that are alike in every scene. Pure.

A key is `x << 16 | y << 8 | z`; no side of a scene is longer than 256. Keys in order are voxels in order of x, y, z,
which is the order of the flat index of any scene too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.voxels.table import MOST_BLOCKS
from common.errors import Fault

Keys = npt.NDArray[np.int32]
Size = tuple[int, int, int]
MOST_FAULTS = 20
"""How many faults of one list are told; who has more sees the pattern by then."""


def keys_of(voxels: Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]) -> Keys:
    """The mask of these voxels, shape (n, 3), each within 0..255; in order, each once."""
    places = np.asarray(voxels, dtype=np.int32).reshape(-1, 3)
    found: Keys = np.unique(places[:, 0] << 16 | places[:, 1] << 8 | places[:, 2]).astype(np.int32)
    return found


def places_of(keys: Keys) -> npt.NDArray[np.int32]:
    """The voxels of a mask, shape (n, 3), in order of x, y, z."""
    return np.stack([keys >> 16, keys >> 8 & 255, keys & 255], axis=1).astype(np.int32)


def voxels_of(keys: Keys) -> list[list[int]]:
    """The same as JSON has it."""
    found: list[list[int]] = places_of(keys).tolist()
    return found


def faults_of_voxels(voxels: Any, size: Size, *, pointer: str) -> list[Fault]:
    """What is wrong with a list of voxels that somebody sent: not three whole numbers, outside of the scene, twice.

    Costs: in proportion to the list; at most `MOST_FAULTS` are told.
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
    """Why these are not the coordinates of a voxel, with what else belongs to it; None if they are."""
    shape = "[x, y, z]" if parts == 3 else "[x, y, z, id]"
    if not isinstance(value, list) or len(value) != parts or any(type(one) is not int for one in value):
        return f"This is {shape}, all whole numbers."
    for name, one, most in zip("xyz", value, size, strict=False):
        if not 0 <= one < most:
            return f"{name} is {_short(one)}; the scene has {name} from 0 to {most - 1}."
    return None


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**9 else "far outside"
