"""Read and write scenes in the format of droidlet's annotation tool.

A payload is `{avatarInfo, agentInfo, blocks, inst_seg_tags?, label?}`; all other fields are ignored. Its coordinates
may be negative, so the scene is shifted by the smallest of them, which is stored as the origin. Looks are [yaw, pitch]
in radians, the pitch positive downwards. Source: facebookresearch/fairo,
droidlet/tools/crowdsourcing/vision_annotation_task (MIT).

Payloads that we write have one more field, `frame: {origin, size}`. It shows how much air around the blocks belongs to
the scene, and that the ids 67 to 69 are blocks; droidlet's viewer takes them for holes. With the frame a scene is read
back unchanged; without it the scene is the smallest box with all blocks and voxels.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from lib.faults import Fault, Invalid
from lib.strict_json import parse_json
from lib.voxels.mask import MOST_FAULTS, Size
from lib.voxels.scene import Json, Pose, Scene, scene_of
from lib.voxels.table import AIR, MOST_AXIS, MOST_BLOCKS, MOST_PLACE, PALETTE

Place = tuple[int, int, int]
PLAYER, AGENT = "avatarInfo", "agentInfo"
BLOCKS, TAGS, LABEL, FRAME = "blocks", "inst_seg_tags", "label", "frame"
HOLES = range(67, 82)
"""Ids of coloured holes in droidlet's viewer, which are empty places."""
FARTHEST = 1_000_000
_DIGITS = 8
"""Decimal places of a look in radians; a scene stores a millionth of a degree, which is coarser."""

_ROUNDED = 0.1
"""Degrees by which a look may exceed its limit: half of pi is written as 1.57 or 1.571."""


class TaggedPhrase(NamedTuple):
    """A phrase about a scene and its voxels, sorted; None where the object is not in the scene.

    `pointer` is its place below the payload.
    """

    phrase: str
    voxels: list[list[int]] | None
    pointer: str = ""


class Payload(NamedTuple):
    """A payload after reading: `place = origin + voxel`; `ignored` has the names of unknown fields."""

    scene: Scene
    origin: Place
    phrases: list[TaggedPhrase]
    ignored: list[str]


def read_payload(value: Any, *, pointer: str = "#") -> Payload:
    """Read a payload.

    Voxels are shifted into the scene; a voxel that is listed twice counts once. A tag without voxels means that its
    object is not in the scene, and so does the `label` of a payload whose tags are "null".

    Raises:
        Invalid: with a pointer to each fault, at most `MOST_FAULTS` of them.
    """
    if not isinstance(value, Mapping):
        raise Invalid.at(pointer, f"A scene is an object with {BLOCKS}, {PLAYER} and {AGENT}.")
    faults: list[Fault] = []
    frame = _frame(value.get(FRAME), f"{pointer}/{FRAME}", faults)
    blocks = _blocks(value.get(BLOCKS), f"{pointer}/{BLOCKS}", faults)
    phrases = _phrases(value, pointer, faults)
    if faults:
        raise Invalid(faults=faults[:MOST_FAULTS])
    origin, size = frame or _smallest(blocks, phrases, pointer)
    faults += islice(_outside(blocks, phrases, origin, size, pointer), MOST_FAULTS)
    poses = [_pose(value.get(name), origin, f"{pointer}/{name}", faults) for name in (AGENT, PLAYER)]
    if faults:
        raise Invalid(faults=faults[:MOST_FAULTS])
    solid = [block for block in blocks if block[3] in PALETTE and (frame is not None or block[3] not in HOLES)]
    places = np.array(solid, dtype=np.int32).reshape(-1, 4) - np.array([*origin, 0], dtype=np.int32)
    scene = scene_of(size, places, *poses)
    known = {PLAYER, AGENT, BLOCKS, TAGS, LABEL, FRAME}
    moved = [one._replace(voxels=one.voxels and _moved(one.voxels, origin, by=-1)) for one in phrases]
    return Payload(scene, origin, moved, sorted(str(name) for name in set(value) - known))


def payload_of(scene: Scene, origin: Place, phrases: Sequence[TaggedPhrase]) -> Json:
    """The payload of this scene, origin and phrases; `read_payload` is the inverse.

    A phrase whose object is not in the scene is a tag without voxels.
    """
    payload: Json = {
        PLAYER: _figure(scene.player, origin),
        AGENT: _figure(scene.agent, origin),
        BLOCKS: [
            [x + origin[0], y + origin[1], z + origin[2], material] for x, y, z, material in scene.as_json()["blocks"]
        ],
        TAGS: [{"tags": [one.phrase], "locs": _moved(one.voxels or [], origin, by=1)} for one in phrases],
        FRAME: {"origin": list(origin), "size": list(scene.size)},
    }
    return {name: value for name, value in payload.items() if value is not None}


# The frame -----------------------------------------------------------------------------------------------------


def _frame(value: Any, pointer: str, faults: list[Fault]) -> tuple[Place, Size] | None:
    if value is None:
        return None
    known: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    origin: Any = known.get("origin")
    size: Any = known.get("size")
    if not _is_place(origin) or not _is_place(size):
        faults.append(Fault(pointer, "A frame has an origin and a size, each [x, y, z]."))
        return None
    if not all(1 <= side <= MOST_AXIS for side in size):
        faults.append(Fault(f"{pointer}/size", f"A side has 1 to {MOST_AXIS} blocks."))
        return None
    return (origin[0], origin[1], origin[2]), (size[0], size[1], size[2])


def _smallest(blocks: Sequence[Sequence[int]], phrases: Sequence[TaggedPhrase], pointer: str) -> tuple[Place, Size]:
    """The origin and the size of the smallest box with all listed places, including holes."""
    every = np.array([block[:3] for block in blocks] + [v for one in phrases for v in one.voxels or []], dtype=np.int64)
    if not every.size:
        raise Invalid.at(f"{pointer}/{BLOCKS}", "There is no block here.")
    low, high = every.min(axis=0), every.max(axis=0)
    size = (high - low + 1).tolist()
    if max(size) > MOST_AXIS:
        across = " × ".join(str(side) for side in size)
        raise Invalid.at(f"{pointer}/{BLOCKS}", f"This reaches over {across} blocks; a side has at most {MOST_AXIS}.")
    x, y, z = low.tolist()
    return (x, y, z), (size[0], size[1], size[2])


def _outside(
    blocks: Sequence[Sequence[int]], phrases: Sequence[TaggedPhrase], origin: Place, size: Size, pointer: str
) -> Iterator[Fault]:
    """The places that lie outside of a given frame."""
    listed = [(f"{BLOCKS}/{number}", block) for number, block in enumerate(blocks)]
    listed += [(one.pointer, voxel) for one in phrases for voxel in one.voxels or []]
    for where, place in listed:
        if not all(0 <= one - first < side for one, first, side in zip(place[:3], origin, size, strict=True)):
            yield Fault(f"{pointer}/{where}", f"{list(place[:3])} is outside of the frame.")


# Blocks and tags -----------------------------------------------------------------------------------------------


def _blocks(value: Any, pointer: str, faults: list[Fault]) -> list[list[int]]:
    """Each place once. Air and holes stay in the list, because they show the size of the scene."""
    if not isinstance(value, list):
        faults.append(Fault(pointer, "The blocks are a list, each [x, y, z, id]."))
        return []
    if len(value) > MOST_BLOCKS:
        faults.append(Fault(pointer, f"There are {len(value)} blocks; a scene has at most {MOST_BLOCKS}."))
        return []
    found: dict[tuple[int, ...], list[int]] = {}
    wrong = len(faults) + MOST_FAULTS
    for number, block in enumerate(value):
        if not _is_place(block, parts=4):
            faults.append(Fault(f"{pointer}/{number}", "This is [x, y, z, id], all whole numbers."))
        elif block[3] != AIR and block[3] not in PALETTE and block[3] not in HOLES:
            faults.append(Fault(f"{pointer}/{number}", f"There is no block with the id {block[3]}."))
        elif found.setdefault(tuple(block[:3]), block)[3] != block[3]:
            faults.append(Fault(f"{pointer}/{number}", f"There is another block at {block[:3]} already."))
        if len(faults) >= wrong:
            break
    return list(found.values())


def _phrases(value: Mapping[str, Any], pointer: str, faults: list[Fault]) -> list[TaggedPhrase]:
    """The tagged phrases, with voxels in the coordinates of the payload."""
    tags, at = value.get(TAGS), f"{pointer}/{TAGS}"
    if isinstance(tags, str):
        try:
            tags = parse_json(tags)
        except ValueError as error:
            faults.append(Fault(at, f"This is not JSON: {error}."))
            return []
        if tags is None and isinstance(value.get(LABEL), str) and value[LABEL].strip():
            return [TaggedPhrase(_plain(value[LABEL]), None, LABEL)]
    if tags is None:
        return []
    if not isinstance(tags, list):
        faults.append(Fault(at, 'This is a list of {tags, locs}, that list as text, or "null".'))
        return []
    found: list[TaggedPhrase] = []
    for number, one in enumerate(tags):
        if not isinstance(one, Mapping) or not _are_words(one.get("tags")):
            faults.append(Fault(f"{at}/{number}/tags", "Each has tags, a list of words."))
            continue
        locs = one.get("locs")
        if not isinstance(locs, list) or len(locs) > MOST_BLOCKS:
            faults.append(Fault(f"{at}/{number}/locs", f"The locs are a list of at most {MOST_BLOCKS} [x, y, z]."))
            continue
        wrong = [place for place, loc in enumerate(locs) if not _is_place(loc)]
        faults += [
            Fault(f"{at}/{number}/locs/{place}", "This is [x, y, z], all whole numbers.")
            for place in wrong[:MOST_FAULTS]
        ]
        if not wrong:
            voxels = sorted([*place] for place in {tuple(loc) for loc in locs}) or None
            where = f"{TAGS}/{number}"
            found += [
                TaggedPhrase(_plain(tag), voxels, f"{where}/tags/{place}") for place, tag in enumerate(one["tags"])
            ]
    return found


def _are_words(tags: Any) -> bool:
    return isinstance(tags, list) and bool(tags) and all(isinstance(tag, str) and tag.strip() for tag in tags)


def _plain(phrase: str) -> str:
    return " ".join(phrase.split())


def _is_place(value: Any, *, parts: int = 3) -> bool:
    is_list = isinstance(value, list) and len(value) == parts and all(type(one) is int for one in value)
    return is_list and all(abs(one) <= FARTHEST for one in value)


def _moved(voxels: Sequence[Sequence[int]], origin: Place, *, by: int) -> list[list[int]]:
    return [[one + by * first for one, first in zip(voxel, origin, strict=True)] for voxel in voxels]


# The agent and the player --------------------------------------------------------------------------------------


def _pose(value: Any, origin: Place, pointer: str, faults: list[Fault]) -> Pose | None:
    """The pose in our units: coordinates of the scene, degrees, the pitch positive upwards."""
    if value is None:
        return None
    known: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    pos: Any = known.get("pos")
    look: Any = known.get("look")
    if not _are_numbers(pos, 3) or not _are_numbers(look, 2):
        faults.append(Fault(pointer, "This is {pos: [x, y, z], look: [yaw, pitch]}, the look in radians."))
        return None
    place = [one - first for one, first in zip(pos, origin, strict=True)]
    if any(abs(one) > MOST_PLACE for one in place):
        faults.append(Fault(f"{pointer}/pos", f"This is more than {MOST_PLACE} blocks away from the scene."))
        return None
    yaw, pitch = math.degrees(look[0]), -math.degrees(look[1])
    if abs(yaw) > 360 + _ROUNDED:
        yaw = math.fmod(yaw, 360)
    if abs(pitch) > 90 + _ROUNDED:
        faults.append(Fault(f"{pointer}/look/1", "Nobody looks farther up or down than a quarter of a turn."))
        return None
    pitch, yaw = min(max(pitch, -90.0), 90.0), min(max(yaw, -360.0), 360.0)
    # Rounded as in a scene: to a millionth of a block or a degree, without negative zero.
    return Pose(*(round(float(one), 6) + 0.0 for one in (*place, pitch, yaw)))


def _figure(pose: Pose | None, origin: Place) -> Json | None:
    if pose is None:
        return None
    places = [one + first for one, first in zip(pose[:3], origin, strict=True)]
    look = [round(math.radians(pose.yaw), _DIGITS), round(-math.radians(pose.pitch), _DIGITS) + 0.0]
    return {"pos": [int(one) if one.is_integer() else round(one, 6) for one in places], "look": look}


def _are_numbers(value: Any, parts: int) -> bool:
    if not isinstance(value, list) or len(value) != parts:
        return False
    return all(type(one) in (int, float) and abs(one) < FARTHEST for one in value)
