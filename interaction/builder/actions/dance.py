"""Dancing: turning, looking, pointing, and movements with a name."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from annotation.logical_form import Form
from annotation.voxels.scene import Pose
from annotation.voxels.table import AIR
from interaction.builder.acts import Act, Acting, Go, Place, Say, Show
from interaction.builder.counting import numbers_in
from interaction.builder.memory import bounds
from interaction.builder.references import Spot, place_meant
from interaction.builder.situation import Situation
from interaction.builder.wanted import wanted, words
from interaction.builder.working import go_to, look_at
from interaction.builder.world import TALL, direction_of

_TURN = 45
"""Degrees of one step of a turn."""
_STEEPEST = 80.0
_REACH = 4
"""How far away the agent points where it points into the air, in blocks."""


def dance(here: Situation, action: Form) -> Acting:
    """Turn, look or point where it is said; else dance."""
    kind: Form = action.get("dance_type") or {}
    if action.get("location"):
        spot = yield from place_meant(here, action["location"], Spot(here.world.agent_cell))
        yield from go_to(here, spot.cell)
    if "point" in kind:
        yield from _point(here, kind["point"] or {})
    elif "look_turn" in kind or "body_turn" in kind:
        turn = kind.get("look_turn") or kind.get("body_turn") or {}
        yield from _turn(here, turn)
        yield Say("Done.")
    else:
        described = wanted(kind, here.tokens)
        yield from _move_about(here, f"{described.name} {' '.join(described.tags)}")


def _point(here: Situation, facing: Form) -> Acting:
    """Look there and let the thing, or the place, flash."""
    target = yield from _target(here, facing)
    if target is None:
        yield from _turn(here, facing)
        target = _seen(here)
    else:
        yield from look_at(here, *target)
    yield Show(*target)
    yield Say("I point at it.")


def _turn(here: Situation, facing: Form) -> Acting:
    target = None
    if facing.get("location"):
        target = yield from _target(here, facing)
    if target is not None:
        yield from look_at(here, *target)
        return
    left, up = _angles(facing, here.tokens)
    start = here.world.agent
    steps = max(-(-abs(left) // _TURN), 1)
    for step in range(1, steps + 1):
        yaw = _normal(start.yaw + left * step / steps)
        pitch = min(max(start.pitch + up * step / steps, -_STEEPEST), _STEEPEST)
        yield Go(here.world.agent._replace(yaw=yaw, pitch=pitch))


def _target(here: Situation, facing: Form) -> Generator[Act, int | None, tuple[Place, Place] | None]:
    """The box of the thing or place that is named, None where none is."""
    if not facing.get("location"):
        return None
    spot = yield from place_meant(here, facing["location"], Spot(here.world.player_cell))
    if spot.thing is not None and "relative_direction" not in facing["location"]:
        return spot.thing.low, spot.thing.high
    return bounds([spot.cell])


def _angles(facing: Form, tokens: Sequence[str]) -> tuple[int, int]:
    """How far to turn to the left and up, in degrees. Forms count turns to the right as positive."""
    right = _degrees(facing.get("relative_yaw"), "yaw_span", tokens, back=("left", "anticlockwise", "counterclockwise"))
    up = _degrees(facing.get("relative_pitch"), "pitch_span", tokens, back=("down", "floor", "ground"))
    for name, said in (("yaw", words(facing.get("yaw"), tokens)), ("pitch", words(facing.get("pitch"), tokens))):
        numbers = numbers_in(said)
        if name == "yaw" and numbers:
            right = numbers[0] % 361
        elif name == "pitch" and numbers:
            up = numbers[0] % 91
    both = numbers_in(words(facing.get("yaw_pitch"), tokens))
    if len(both) >= 2:
        right, up = both[0] % 361, both[1] % 91
    return -(right or 0), up or 0


def _degrees(turn: Any, span: str, tokens: Sequence[str], *, back: tuple[str, ...]) -> int:
    if not isinstance(turn, dict):
        return 0
    if "fixed_value" in turn:
        try:
            return int(str(turn["fixed_value"]))
        except ValueError:
            return 0
    said = words(turn.get(span), tokens)
    number = next(iter(numbers_in(said)), 90) % 361
    return -number if any(word in said.split() for word in back) else number


def _normal(yaw: float) -> float:
    """The same direction between -180 and 180 degrees."""
    turned = round((yaw + 180) % 360 - 180, 1)
    return 180.0 if turned == -180 else turned


def _seen(here: Situation) -> tuple[Place, Place]:
    """What the agent looks at, or a cell in the air before it."""
    seen = here.world.looked_at(here.world.agent)
    if seen is not None:
        return bounds([seen[0]])
    dx, dy, dz = direction_of(here.world.agent)
    x, y, z = here.world.agent_cell
    ahead = (round(x + _REACH * dx), round(y + 1 + _REACH * dy), round(z + _REACH * dz))
    inside = [min(max(one, 0), side - 1) for one, side in zip(ahead, here.world.size, strict=True)]
    return bounds([inside])


# Movements with a name -----------------------------------------------------------------------------------------


def _jump(pose: Pose) -> Iterator[Pose]:
    yield pose._replace(y=pose.y + 1)
    yield pose


def _spin(pose: Pose) -> Iterator[Pose]:
    for step in range(1, 9):
        yield pose._replace(yaw=_normal(pose.yaw + 45 * step))


def _nod(pose: Pose) -> Iterator[Pose]:
    for pitch in (-30.0, 0.0, -30.0, pose.pitch):
        yield pose._replace(pitch=pitch)


def _shake(pose: Pose) -> Iterator[Pose]:
    for turn in (30, -30, 30, 0):
        yield pose._replace(yaw=_normal(pose.yaw + turn))


def _bow(pose: Pose) -> Iterator[Pose]:
    for pitch in (-45.0, -80.0, -45.0, pose.pitch):
        yield pose._replace(pitch=pitch)


def _dance(pose: Pose) -> Iterator[Pose]:
    for step in range(1, 9):
        yield pose._replace(yaw=_normal(pose.yaw + 45 * step), y=pose.y + step % 2)


_MOVEMENTS: Mapping[str, Callable[[Pose], Iterator[Pose]]] = {
    "jump": _jump,
    "hop": _jump,
    "leap": _jump,
    "spin": _spin,
    "twirl": _spin,
    "rotate": _spin,
    "circle": _spin,
    "nod": _nod,
    "shake": _shake,
    "wave": _shake,
    "bow": _bow,
    "dance": _dance,
}


def _move_about(here: Situation, name: str) -> Acting:
    """The movement of that name; a dance where the agent knows none of that name."""
    known = next((one for word in name.split() for one in _MOVEMENTS if word.startswith(one)), None)
    if known is None:
        known = "dance"
        if name.strip():
            yield Say("I do not know that movement, so I just dance.")
    x, y, z = here.world.agent_cell
    may_rise = here.world.inside((x, y + 1, z)) and here.world.get((x, y + TALL, z)) == AIR
    for pose in _MOVEMENTS[known](here.world.agent):
        yield Go(pose if may_rise else pose._replace(y=here.world.agent.y))
