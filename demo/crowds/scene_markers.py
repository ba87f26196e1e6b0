"""Simulated workers of the voxel tool: the marked voxels, given the truth.

Every random number comes from a seed: the same seed gives the same answers.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Voxel = tuple[int, int, int]
_FACES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


@dataclass(frozen=True)
class Kind:
    """A kind of worker, as probabilities.

    Attributes:
        misses: A voxel of the object is left out.
        spills: A block that touches the object is marked too.
        overlooks: The object is called absent.
        invents: Something is marked although the object is absent.
        seconds: The time for a scene, least and most.
    """

    misses: float
    spills: float
    overlooks: float
    invents: float
    seconds: tuple[float, float]


CAREFUL = Kind(misses=0.01, spills=0.01, overlooks=0.01, invents=0.02, seconds=(15.0, 60.0))
HASTY = Kind(misses=0.15, spills=0.1, overlooks=0.08, invents=0.15, seconds=(4.0, 15.0))
LOST = Kind(misses=0.35, spills=0.3, overlooks=0.3, invents=0.5, seconds=(6.0, 30.0))


class SceneMarker:
    """One simulated worker with its own random numbers."""

    def __init__(self, name: str, kind: Kind, *, seed: int | str) -> None:
        self.name, self.kind = name, kind
        # The seed makes a crowd repeatable; nothing secret depends on it.
        self.chance = random.Random(f"{seed}:{name}")

    def answers(self, scene: Json, truth: Sequence[Sequence[int]] | None) -> Json:
        """The worker's answer.

        Args:
            scene: As in a claim.
            truth: The voxels of the object; None if it is absent.
        """
        blocks: dict[Voxel, int] = {(x, y, z): id_ for x, y, z, id_ in scene["blocks"]}
        if truth is None:
            return self._invented(blocks) if self._happens(self.kind.invents) else {"absent": True}
        true: list[Voxel] = [(x, y, z) for x, y, z in truth]
        if self._happens(self.kind.overlooks):
            return {"absent": True}
        marked = {voxel for voxel in true if not self._happens(self.kind.misses)}
        touching = sorted({near for voxel in true for near in _around(voxel) if near in blocks} - set(true))
        marked |= {voxel for voxel in touching if self._happens(self.kind.spills)}
        return {"voxels": [list(voxel) for voxel in sorted(marked or true[:1])]}

    def takes_s(self) -> float:
        """How many seconds the worker takes for the next scene."""
        return self.chance.uniform(*self.kind.seconds)

    def _invented(self, blocks: dict[Voxel, int]) -> Json:
        """A visible block and the touching blocks of the same kind."""
        top = [voxel for voxel in sorted(blocks) if (voxel[0], voxel[1] + 1, voxel[2]) not in blocks]
        chosen = self.chance.choice(top)
        alike = [near for near in _around(chosen) if blocks.get(near) == blocks[chosen]]
        return {"voxels": [list(voxel) for voxel in sorted([chosen, *alike])]}

    def _happens(self, probability: float) -> bool:
        return self.chance.random() < probability


def _around(voxel: Voxel) -> list[Voxel]:
    x, y, z = voxel
    return [(x + dx, y + dy, z + dz) for dx, dy, dz in _FACES]
