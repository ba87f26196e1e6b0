"""DANCE: turning, looking, pointing, and movements with a name."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from builder.acting.acts import Act, Acts, Go, Place, Say, Show
from builder.acting.context import ActionContext
from builder.acting.routines import go_to, look_at
from builder.meaning.new_things import new_thing, text_of
from builder.meaning.numbers import numbers_in
from builder.meaning.references import Spot, place_meant
from builder.world.memory import bounds
from builder.world.world import TALL, direction_of
from lib.logical_form import Form
from lib.voxels.scene import Pose
from lib.voxels.table import AIR

_TURN = 45
"""Degrees of one step of a turn."""
_STEEPEST = 80.0
_REACH = 4
"""Distance in blocks to the point in the air that the agent points at."""


def dance(context: ActionContext, action: Form) -> Acts:
    """Turn, look or point in the given direction, or do the named movement."""
    kind: Form = action.get("dance_type") or {}
    if action.get("location"):
        spot = yield from place_meant(context, action["location"], Spot(context.world.agent_cell))
        yield from go_to(context, spot.cell)
    if "point" in kind:
        yield from _point(context, kind["point"] or {})
    elif "look_turn" in kind or "body_turn" in kind:
        turn = kind.get("look_turn") or kind.get("body_turn") or {}
        yield from _turn(context, turn)
        yield Say("Done.")
    else:
        described = new_thing(kind, context.tokens)
        yield from _named_movement(context, f"{described.name} {' '.join(described.tags)}")


def _point(context: ActionContext, facing: Form) -> Acts:
    """Looks at the target and makes it flash."""
    target = yield from _target(context, facing)
    if target is None:
        yield from _turn(context, facing)
        target = _box_looked_at(context)
    else:
        yield from look_at(context, *target)
    yield Show(*target)
    yield Say("I point at it.")


def _turn(context: ActionContext, facing: Form) -> Acts:
    target = None
    if facing.get("location"):
        target = yield from _target(context, facing)
    if target is not None:
        yield from look_at(context, *target)
        return
    left, up = _angles(facing, context.tokens)
    start = context.world.agent
    steps = max(-(-abs(left) // _TURN), 1)
    for step in range(1, steps + 1):
        yaw = _normal_yaw(start.yaw + left * step / steps)
        pitch = min(max(start.pitch + up * step / steps, -_STEEPEST), _STEEPEST)
        yield Go(context.world.agent._replace(yaw=yaw, pitch=pitch))


def _target(context: ActionContext, facing: Form) -> Generator[Act, int | None, tuple[Place, Place] | None]:
    """The box of the named thing or place; None if the command names none."""
    if not facing.get("location"):
        return None
    spot = yield from place_meant(context, facing["location"], Spot(context.world.player_cell))
    if spot.thing is not None and "relative_direction" not in facing["location"]:
        return spot.thing.low, spot.thing.high
    return bounds([spot.cell])


def _angles(facing: Form, tokens: Sequence[str]) -> tuple[int, int]:
    """The turn to the left and the turn up, in degrees. Forms count turns to the right as positive."""
    right = _degrees(facing.get("relative_yaw"), "yaw_span", tokens, back=("left", "anticlockwise", "counterclockwise"))
    up = _degrees(facing.get("relative_pitch"), "pitch_span", tokens, back=("down", "floor", "ground"))
    for name, said in (("yaw", text_of(facing.get("yaw"), tokens)), ("pitch", text_of(facing.get("pitch"), tokens))):
        numbers = numbers_in(said)
        if name == "yaw" and numbers:
            right = numbers[0] % 361
        elif name == "pitch" and numbers:
            up = numbers[0] % 91
    both = numbers_in(text_of(facing.get("yaw_pitch"), tokens))
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
    said = text_of(turn.get(span), tokens)
    number = next(iter(numbers_in(said)), 90) % 361
    return -number if any(word in said.split() for word in back) else number


def _normal_yaw(yaw: float) -> float:
    """The same direction between -180 and 180 degrees."""
    turned = round((yaw + 180) % 360 - 180, 1)
    return 180.0 if turned == -180 else turned


def _box_looked_at(context: ActionContext) -> tuple[Place, Place]:
    """The box of the block that the agent looks at, or of a cell in the air in front of it."""
    seen = context.world.looked_at(context.world.agent)
    if seen is not None:
        return bounds([seen[0]])
    dx, dy, dz = direction_of(context.world.agent)
    x, y, z = context.world.agent_cell
    ahead = (round(x + _REACH * dx), round(y + 1 + _REACH * dy), round(z + _REACH * dz))
    inside = [min(max(one, 0), side - 1) for one, side in zip(ahead, context.world.size, strict=True)]
    return bounds([inside])


# Movements with a name -----------------------------------------------------------------------------------------


def _jump(pose: Pose) -> Iterator[Pose]:
    yield pose._replace(y=pose.y + 1)
    yield pose


def _spin(pose: Pose) -> Iterator[Pose]:
    for step in range(1, 9):
        yield pose._replace(yaw=_normal_yaw(pose.yaw + 45 * step))


def _nod(pose: Pose) -> Iterator[Pose]:
    for pitch in (-30.0, 0.0, -30.0, pose.pitch):
        yield pose._replace(pitch=pitch)


def _shake(pose: Pose) -> Iterator[Pose]:
    for turn in (30, -30, 30, 0):
        yield pose._replace(yaw=_normal_yaw(pose.yaw + turn))


def _bow(pose: Pose) -> Iterator[Pose]:
    for pitch in (-45.0, -80.0, -45.0, pose.pitch):
        yield pose._replace(pitch=pitch)


def _dance(pose: Pose) -> Iterator[Pose]:
    for step in range(1, 9):
        yield pose._replace(yaw=_normal_yaw(pose.yaw + 45 * step), y=pose.y + step % 2)


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


def _named_movement(context: ActionContext, name: str) -> Acts:
    """Does the movement with that name, or a dance if the agent knows no such movement."""
    known = next((one for word in name.split() for one in _MOVEMENTS if word.startswith(one)), None)
    if known is None:
        known = "dance"
        if name.strip():
            yield Say("I do not know that movement, so I just dance.")
    x, y, z = context.world.agent_cell
    may_rise = context.world.inside((x, y + 1, z)) and context.world.get((x, y + TALL, z)) == AIR
    for pose in _MOVEMENTS[known](context.world.agent):
        yield Go(pose if may_rise else pose._replace(y=context.world.agent.y))
