"""The height at which the ground of a world ends."""

import numpy as np
import numpy.typing as npt

from lib.voxels.table import AIR


def ground_level(grid: npt.NDArray[np.uint8]) -> int:
    """The most common height of the surface of all columns, the lowest of several: the y of a figure on open ground.

    Args:
        grid: Block ids, axes (x, y, z).
    """
    height = grid.shape[1]
    filled = grid != AIR
    tops = np.where(filled.any(axis=1), height - filled[:, ::-1, :].argmax(axis=1), 0)
    return int(np.bincount(tops.ravel(), minlength=height + 1).argmax())
