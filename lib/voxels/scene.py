"""Scenes: the blocks of a voxel world at one moment, and the poses of the agent and the player."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lib.canonical_json import canonical
from lib.faults import Fault, Invalid
from lib.strict_json import parse_json
from lib.voxels.mask import MOST_FAULTS, Keys, Size, fault_of_place
from lib.voxels.table import AIR, MOST_AXIS, MOST_BLOCKS, MOST_PLACE, PALETTE

Json = dict[str, Any]
Ids = npt.NDArray[np.uint8]
_FIELDS = ("size", "blocks", "agent", "player")
_FIGURES = ("agent", "player")


class Pose(NamedTuple):
    """The place (the cell of the feet) and the look (in degrees) of a figure; see `table.json`."""

    x: float
    y: float
    z: float
    pitch: float
    yaw: float


@dataclass(frozen=True, eq=False)
class Scene:
    """A voxel world at one moment.

    Attributes:
        size: Sides in blocks, each 1..256.
        keys: Places of the blocks as keys (see `mask`), shape (n,), int32; sorted, each once.
        ids: Block ids at these places, shape (n,), uint8; never air.
    """

    size: Size
    keys: Keys
    ids: Ids
    agent: Pose | None = None
    player: Pose | None = None

    def as_json(self) -> Json:
        """The scene as JSON; blocks are sorted by x, y, z."""
        columns = (self.keys >> 16, self.keys >> 8 & 255, self.keys & 255, self.ids.astype(np.int32))
        return {
            "size": list(self.size),
            "blocks": np.stack(columns, axis=1).tolist(),
            "agent": _pose_as_json(self.agent),
            "player": _pose_as_json(self.player),
        }

    def dense(self) -> npt.NDArray[np.uint8]:
        """The whole grid, shape `size` (x, y, z), uint8 ids, 0 is air."""
        grid = np.full(self.size, AIR, dtype=np.uint8)
        grid[self.keys >> 16, self.keys >> 8 & 255, self.keys & 255] = self.ids
        return grid

    def packed(self) -> bytes:
        """The scene as few bytes: a line of JSON, the differences of the keys as int32, the ids; deflated."""
        return zlib.compress(self._plain(), 9)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the content: equal scenes have the same digest, whatever their JSON looked like."""
        return sha256(self._plain()).hexdigest()

    def _plain(self) -> bytes:
        head = {"size": self.size, "agent": _pose_as_json(self.agent), "player": _pose_as_json(self.player)}
        steps = np.diff(self.keys, prepend=np.int32(0)).astype("<i4")
        return b"\n".join([canonical(head).encode(), steps.tobytes() + self.ids.tobytes()])


def unpacked(data: bytes) -> Scene:
    """The scene from its `packed` bytes."""
    head, _, rest = zlib.decompress(data).partition(b"\n")
    known = parse_json(head)
    n = len(rest) // 5
    keys = np.cumsum(np.frombuffer(rest, dtype="<i4", count=n), dtype=np.int32)
    ids = np.frombuffer(rest, dtype=np.uint8, offset=4 * n)
    x, y, z = known["size"]
    poses = [None if known[name] is None else Pose(**known[name]) for name in _FIGURES]
    return Scene((x, y, z), keys, ids, *poses)


def read_scene(value: Any, *, pointer: str = "#") -> Scene:
    """Read a scene from JSON: `{size, blocks, agent?, player?}`. Blocks of air are ignored.

    Raises:
        Invalid: with a pointer to each fault, at most `MOST_FAULTS` of them.
    """
    if not isinstance(value, Mapping):
        raise Invalid.at(pointer, "A scene is an object with size, blocks, agent and player.")
    faults = [
        Fault(f"{pointer}/{name}", f"A scene has no field {name!r}.") for name in sorted(set(value) - set(_FIELDS))
    ]
    size = _size(value.get("size"), f"{pointer}/size", faults)
    poses = [_pose(value.get(name), f"{pointer}/{name}", faults) for name in _FIGURES]
    blocks = value.get("blocks")
    if size is not None:
        faults += _faults_of_blocks(blocks, size, f"{pointer}/blocks")
    if faults or size is None or blocks is None:
        raise Invalid(faults=faults[:MOST_FAULTS])
    return scene_of(size, np.array(blocks, dtype=np.int32).reshape(-1, 4), *poses)


def scene_of(size: Size, blocks: npt.NDArray[np.int32], agent: Pose | None = None, player: Pose | None = None) -> Scene:
    """The scene of these blocks, shape (n, 4): x, y, z, id; all within `size`, at different places; air is ignored."""
    blocks = blocks[blocks[:, 3] != AIR]
    keys = blocks[:, 0] << 16 | blocks[:, 1] << 8 | blocks[:, 2]
    order = np.argsort(keys, kind="stable")
    return Scene(size, keys[order].astype(np.int32), blocks[order, 3].astype(np.uint8), agent, player)


def _size(value: Any, pointer: str, faults: list[Fault]) -> Size | None:
    if not isinstance(value, list) or len(value) != 3 or any(type(side) is not int for side in value):
        faults.append(Fault(pointer, "The size is [x, y, z], all whole numbers."))
        return None
    wrong = [Fault(f"{pointer}/{i}", _SIDE) for i, side in enumerate(value) if not 1 <= side <= MOST_AXIS]
    faults += wrong
    return None if wrong else (value[0], value[1], value[2])


_SIDE = f"A side has 1 to {MOST_AXIS} blocks."


def _faults_of_blocks(blocks: Any, size: Size, pointer: str) -> list[Fault]:
    if not isinstance(blocks, list):
        return [Fault(pointer, "The blocks are a list, each [x, y, z, id].")]
    if len(blocks) > MOST_BLOCKS:
        return [Fault(pointer, f"There are {len(blocks)} blocks; a scene has at most {MOST_BLOCKS}.")]
    faults: list[Fault] = []
    seen: dict[tuple[int, ...], int] = {}
    for number, block in enumerate(blocks):
        reason = fault_of_place(block, size, parts=4)
        if reason is None and block[3] not in PALETTE and block[3] != AIR:
            reason = f"There is no block with the id {block[3]}."
        if reason is None:
            first = seen.setdefault(tuple(block[:3]), number)
            reason = None if first == number else f"There is a block at {block[:3]} already: {pointer}/{first}."
        if reason is not None:
            faults.append(Fault(f"{pointer}/{number}", reason))
            if len(faults) == MOST_FAULTS:
                break
    return faults


def _pose(value: Any, pointer: str, faults: list[Fault]) -> Pose | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or set(value) != set(Pose._fields):
        faults.append(Fault(pointer, "A pose has x, y, z, pitch and yaw."))
        return None
    found = {}
    for name in Pose._fields:
        number = value[name]
        most = MOST_PLACE if name in "xyz" else 90 if name == "pitch" else 360
        # A comparison with NaN is false; an integer may be too large for `isfinite`.
        if type(number) not in (int, float) or not -most <= number <= most:
            faults.append(Fault(f"{pointer}/{name}", f"This is a number from -{most} to {most}."))
            return None
        found[name] = round(float(number), 6) + 0.0
    return Pose(**found)


def _pose_as_json(pose: Pose | None) -> Json | None:
    return None if pose is None else pose._asdict()
