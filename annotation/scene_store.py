"""Where scenes are kept: once each, under the digest of what they hold."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from annotation.models import KeptScene
from lib.faults import NotFound
from lib.voxels.mask import Size
from lib.voxels.scene import Scene, unpacked

_AT_HAND = 32
"""Scenes that a process keeps unpacked: those of the tasks that are worked on just now."""


class Row(NamedTuple):
    """A kept scene, without what stands in it."""

    pk: int
    size: Size


def keep(scenes: Iterable[Scene], *, at: datetime) -> list[str]:
    """Keep these scenes, those that are not there yet; their digests, in order. 1 query."""
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
    """The scene of this digest. 1 query, none where it is at hand: what is under a digest never changes.

    Raises:
        NotFound: there is none.
    """
    packed = KeptScene.objects.filter(digest=digest).values_list("packed", flat=True).first()
    if packed is None:
        raise NotFound
    return unpacked(bytes(packed))


def rows_of(digests: Iterable[str]) -> dict[str, Row]:
    """What is known of the scenes of those digests that are there, without unpacking them. 1 query."""
    rows = KeptScene.objects.filter(digest__in=set(digests))
    columns = rows.values_list("digest", "pk", "size_x", "size_y", "size_z")
    return {digest: Row(pk, (x, y, z)) for digest, pk, x, y, z in columns}
