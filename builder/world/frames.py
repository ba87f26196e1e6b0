"""Left, right, front and back as steps in the world, and whether a thing lies in a direction from another."""

from math import dist, hypot

from builder.acting.acts import Place
from builder.world.things import Thing
from builder.world.world import World, ahead_of, left_of

_NEAR = 4.0
"""Two things are near each other with at most this many blocks between them."""
_ASIDE = 0.5
"""The least cosine between a direction and the line to a thing for the thing to lie there: 60 degrees to each side."""
LEVEL = ("LEFT", "RIGHT", "FRONT", "BACK")


def step_of(world: World, direction: str, of: Thing | None, *, own: bool = False) -> Place:
    """A relative direction as a step along an axis; (0, 0, 0) for a direction without a step, such as NEAR.

    The worker's front is the direction in which they look. A thing's directions are as the worker sees it: its front is
    the side towards them. The agent's front and back are its own, but left and right are the worker's, because the
    worker gives commands from their own view.

    Args:
        own: Left and right are the agent's own: “to your left”.
    """
    if direction in ("UP", "DOWN"):
        return (0, 1, 0) if direction == "UP" else (0, -1, 0)
    if direction not in LEVEL:
        return 0, 0, 0
    x, z = _ahead(world, direction, of, own=own)
    match direction:
        case "LEFT":
            x, z = left_of((x, z))
        case "RIGHT":
            x, z = (-one for one in left_of((x, z)))
        case "BACK":
            x, z = -x, -z
    return x, 0, z


def _ahead(world: World, direction: str, of: Thing | None, *, own: bool) -> tuple[int, int]:
    """The step of FRONT, and the step from which LEFT is derived."""
    if of is not None and of.figure == "agent" and (own or direction in ("FRONT", "BACK")):
        return ahead_of(world.agent)
    x, z = ahead_of(world.player)
    if of is None or of.figure is not None:
        return x, z
    to_x, to_z = of.middle[0] - world.player.x, of.middle[2] - world.player.z
    if to_x * x + to_z * z < 0:
        # The worker looks away from the thing and means it as seen when facing it.
        x, z = ((1 if to_x > 0 else -1), 0) if abs(to_x) > abs(to_z) else (0, (1 if to_z > 0 else -1))
    return (x, z) if direction in ("LEFT", "RIGHT") else (-x, -z)


def gap_between(one: Thing, other: Thing) -> float:
    """The number of blocks between the boxes of two things along the straight line; 0 if they touch or overlap."""
    apart = [
        max(0, low - high - 1, other_low - other_high - 1)
        for low, high, other_low, other_high in zip(one.low, other.high, other.low, one.high, strict=True)
    ]
    return hypot(*apart)


def between_middles(one: Thing, other: Thing) -> float:
    """The distance between the middles of two things, in blocks."""
    return dist(one.middle, other.middle)


def direction_fit(world: World, thing: Thing, direction: str, of: Thing, *, own: bool = False) -> float:
    """How well a thing lies in a direction from another, 0 to 1."""
    match direction:
        case "LEFT" | "RIGHT" | "FRONT" | "BACK":
            return _towards_fit(thing, of, step_of(world, direction, of, own=own))
        case "UP":
            return _over_fit(thing, of)
        case "DOWN":
            return _over_fit(of, thing)
        case "INSIDE":
            return float(_is_in(thing, of))
        case "OUTSIDE":
            return float(not _is_in(thing, of))
        case "AWAY":
            return float(gap_between(thing, of) > _NEAR)
        case _:
            return 1.0 if (gap := gap_between(thing, of)) <= _NEAR else _NEAR / gap


def between_fit(thing: Thing, one: Thing, other: Thing) -> float:
    """How well a thing lies between two others, 0 to 1: better the shorter the way over it."""
    around = between_middles(one, thing) + between_middles(thing, other)
    straight = between_middles(one, other) / around if around else 0.0
    return straight if straight > 0.8 else 0.0


def _towards_fit(thing: Thing, of: Thing, step: Place) -> float:
    away = [there - here for here, there in zip(of.middle, thing.middle, strict=True)]
    along = away[0] * step[0] + away[2] * step[2]
    # A wide thing straight ahead can have its middle to one side: the distance of its sides counts.
    aside = abs(away[0] * step[2] + away[2] * step[0])
    across = 0 if step[2] else 2
    aside = max(0.0, aside - (thing.box[across] + of.box[across]) / 2)
    if along <= 0:
        return 0.0
    cosine = along / hypot(along, aside)
    return cosine if cosine >= _ASIDE else 0.0


def _over_fit(upper: Thing, lower: Thing) -> float:
    if upper.low[1] <= lower.middle[1]:
        return 0.0
    over = all(upper.low[axis] <= lower.high[axis] and lower.low[axis] <= upper.high[axis] for axis in (0, 2))
    return (1.0 if upper.low[1] <= lower.high[1] + 1 else 0.8) if over else 0.0


def _is_in(thing: Thing, of: Thing) -> bool:
    return thing.cells != of.cells and all(
        low <= middle <= high for low, middle, high in zip(of.low, thing.middle, of.high, strict=True)
    )
