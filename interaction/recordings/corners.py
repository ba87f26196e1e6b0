"""From which of a world's corners a film is seen best: there what changes, and the agent, are hidden least. Pure."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from annotation.voxels.table import AIR
from interaction.recordings.moments import Happening, Part, Stage, moments
from interaction.recordings.picture import AGENT, TRIANGLES, Camera, Size, with_figures

LOOKS: Final = 5
"""At how many moments it is looked at, of all that a film shows."""
Mask = npt.NDArray[np.bool_]


def best_corner(stage: Stage, happenings: Iterable[Happening], part: Part) -> int:
    """How many quarter turns bring the best corner to the front, 0..3; the fewest of those that are as good."""
    looks = list(_looks(deepcopy(stage), happenings, part))
    changed = _beside(np.any([look.grid != looks[0].grid for look in looks], axis=0))
    size = cast(Size, stage.grid.shape)
    return max(range(4), key=lambda turns: (_share_seen(Camera(size, turns=turns), looks, changed), -turns))


def _looks(stage: Stage, happenings: Iterable[Happening], part: Part) -> Iterator[Stage]:
    """The first moment, the last, and some between, as evenly as there are any."""
    apart, due = max(1, part.ends_ms - part.begins_ms) / (LOOKS - 1), 0.0
    for at_ms in moments(stage, happenings, part):
        if at_ms >= due:
            due += apart
            yield deepcopy(stage)
    yield stage


def _beside(cells: Mask) -> Mask:
    """The cells and their neighbours: what was taken away is seen by what stood around it."""
    found = cells.copy()
    for axis in range(3):
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        found[tuple(low)] |= cells[tuple(high)]
        found[tuple(high)] |= cells[tuple(low)]
    return found


def _share_seen(camera: Camera, looks: list[Stage], changed: Mask) -> float:
    """What is seen of the blocks around what changed, and of the agent, each as a share of its triangles, added up."""
    share = 0.0
    for look in looks:
        seen, shown = camera.seen(look), with_figures(look)
        for mask in (changed & (shown != AIR), shown == AGENT):
            share += float(seen[mask].sum()) / (TRIANGLES * max(1, int(mask.sum())))
    return share
