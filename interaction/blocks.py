"""What events do to the blocks of a world. Pure."""

from typing import Any

from annotation.voxels.table import AIR

Json = dict[str, Any]


def changes_of(kind: str, body: Json) -> list[tuple[int, int, int, int]]:
    """What an event does to the blocks: x, y, z and id each; id 0 is air.

    >>> changes_of("place", {"at": [1, 2, 3], "block": 57})
    [(1, 2, 3, 57)]
    """
    if kind == "blocks":
        return [(x, y, z, block) for x, y, z, block in body["changes"]]
    x, y, z = body["at"]
    return [(x, y, z, body.get("block", AIR))]
