"""The store of scenes: each is kept once, under the digest of its content."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from annotation.models import KeptScene
from lib.faults import NotFound
from lib.voxels.mask import Size
from lib.voxels.scene import Scene, unpacked

_AT_HAND = 32
"""The number of scenes that a process keeps unpacked: those of the tasks that workers have open."""


class Row(NamedTuple):
    """A kept scene without its blocks."""

    pk: int
    size: Size


def keep(scenes: Iterable[Scene], *, at: datetime) -> list[str]:
    """Store those of these scenes that are not stored yet; return the digests of all, in order. 1 query."""
    found = [(scene.digest, scene) for scene in scenes]
    rows = [
        KeptScene(
            digest=digest,
            packed=scene.packed(),
            size_x=scene.size[0],
            size_y=scene.size[1],
            size_z=scene.size[2],
            blocks=scene.keys.size,
            created_at=at,
        )
        for digest, scene in dict(found).items()
    ]
    KeptScene.objects.bulk_create(rows, ignore_conflicts=True)
    return [digest for digest, _ in found]


@lru_cache(maxsize=_AT_HAND)
def scene_named(digest: str) -> Scene:
    """The scene of this digest. 1 query, none if this process has it unpacked: the content of a digest never changes.

    Raises:
        NotFound: there is none.
    """
    packed = KeptScene.objects.filter(digest=digest).values_list("packed", flat=True).first()
    if packed is None:
        raise NotFound
    return unpacked(bytes(packed))


def rows_of(digests: Iterable[str]) -> dict[str, Row]:
    """The rows of those of these digests that exist, without unpacking the scenes. 1 query."""
    rows = KeptScene.objects.filter(digest__in=set(digests))
    columns = rows.values_list("digest", "pk", "size_x", "size_y", "size_z")
    return {digest: Row(pk, (x, y, z)) for digest, pk, x, y, z in columns}
