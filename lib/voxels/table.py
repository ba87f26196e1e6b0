"""The limits of every scene and the palette of blocks, from `table.json`, which the front end reads too.

Twins: `frontend/src/world/frame.ts`, `frontend/src/world/palette.ts`.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

_TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "table.json").read_text())


class Material(NamedTuple):
    """A kind of block: `colour` as #rrggbb, `word` is the usual name of that colour."""

    id: int
    name: str
    colour: str
    word: str


AIR: int = _TABLE["air"]
MOST_AXIS: int = _TABLE["most_axis"]
"""The longest side of a scene, in blocks."""
MOST_BLOCKS: int = _TABLE["most_blocks"]
"""The most blocks of a scene and voxels of a mask: a full cube of side 64."""
MOST_PLACE: int = _TABLE["pose"]["most"]
"""The greatest distance of a figure from the scene's corner, in blocks."""
FACES: tuple[tuple[int, int, int], ...] = tuple((x, y, z) for x, y, z in _TABLE["faces"])
"""The steps to the six neighbours of a voxel."""
PALETTE: dict[int, Material] = {row["id"]: Material(**row) for row in _TABLE["palette"]}
"""All kinds of blocks by id; air is not one of them."""
