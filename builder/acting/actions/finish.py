"""FREEBUILD: complete a half-built thing, by its plan or by the shape that it resembles most."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from builder.acting.acts import Acts, CannotDo, Place, Reason, Say
from builder.acting.context import ActionContext
from builder.acting.routines import approach, place_blocks
from builder.acting.shapes import HOUSE, kind_named
from builder.meaning.new_things import new_thing
from builder.meaning.references import THAT, things_meant
from builder.world.memory import KnownThing, bounds
from builder.world.names import with_article
from builder.world.things import Thing
from lib.logical_form import Form
from lib.voxels import shapes
from lib.voxels.objects import KINDS, forms_of
from lib.voxels.table import AIR

Cells = NDArray[np.int64]
_MOST_MISSING = 1.5
"""A shape may need at most this many times the existing blocks. With fewer blocks no shape can be seen."""


def finish(context: ActionContext, action: Form) -> Acts:
    """Complete the described things; without a description, the agent's unfinished thing or the last mentioned one."""
    reference = action.get("reference_object")
    begun = _unfinished_things(context)
    if not reference and begun:
        yield from _complete(context, begun[-1].plan, begun[-1])
        return
    named = kind_named(new_thing(reference, context.tokens).name)
    for one in reversed(begun):
        if named and one.name == named:
            yield from _complete(context, one.plan, one)
            return
    things = yield from things_meant(context, reference or THAT)
    for thing in things:
        if thing.figure or thing.is_hole:
            raise CannotDo("I can only finish what is made of blocks.", Reason.UNSUITABLE)
        planned = next((one for one in reversed(context.memory.known) if one.plan and one.voxels & thing.cells), None)
        if planned is None:
            yield from _complete_by_guess(context, thing, named)
        elif planned in begun:
            yield from _complete(context, planned.plan, planned)
        else:
            yield Say("It looks finished to me.")


def _unfinished_things(context: ActionContext) -> list[KnownThing]:
    """Planned things of which some blocks are there and some are missing, oldest first."""
    return [
        one
        for one in context.memory.known
        if one.plan
        and any(context.world.get(place) == block != AIR for place, block in one.plan.items())
        and any(context.world.get(place) != block for place, block in one.plan.items())
    ]


def _complete(context: ActionContext, plan: dict[Place, int], thing: KnownThing) -> Acts:
    free = {place: block for place, block in plan.items() if context.world.get(place) in (AIR, block)}
    yield from approach(context, *bounds(plan))
    yield from place_blocks(context, free, thing)
    if context.interrupted and thing in context.interrupted.command.made:
        context.interrupted = None
    yield Say("I finished it.")


def _complete_by_guess(context: ActionContext, thing: Thing, named: str | None) -> Acts:
    """Completes a thing without a plan."""
    if named == HOUSE:
        raise CannotDo("I do not see what that house lacks.", Reason.NOTHING_TO_DO)
    found = likeliest_shape(thing, context.world.size, named)
    if found is None:
        raise CannotDo("I do not see what this would become.", Reason.NOTHING_TO_DO)
    kind, cells = found
    block = next(iter(thing.materials))
    missing = {place: block for place in cells if context.world.get(place) == AIR}
    if not missing:
        yield Say("It looks finished to me.")
        return
    yield Say(f"I think it would become {with_article(kind)}.")
    yield from approach(context, thing.low, thing.high)
    known = KnownThing(thing.cells, name=kind, colour=thing.colour, by="agent", command=context.memory.number)
    context.memory.add_thing(known)
    yield from place_blocks(context, missing, known)
    yield Say("I finished it.")


def likeliest_shape(thing: Thing, size: Place, named: str | None = None) -> tuple[str, list[Place]] | None:
    """The kind and the cells of the shape around a thing that needs the fewest blocks; None if too many are missing.

    Args:
        size: The sides of the world. The shape stays inside it.
        named: Consider only this kind, if it is a known one.
    """
    have = thing.places.astype(np.int64)
    low = have.min(axis=0)
    sides = have.max(axis=0) - low + 1
    best: tuple[int, str, Cells] | None = None
    kinds = (named,) if named in KINDS else KINDS
    for kind in kinds:
        for form, at in _placements(kind, sides, low, size):
            cells = form + at
            missing = len(cells) - len(have)
            if missing < 0 or (best is not None and missing >= best[0]) or missing > _MOST_MISSING * len(have):
                continue
            if _covers(cells, have):
                best = missing, kind, cells
    if best is None:
        return None
    return best[1], [(x, y, z) for x, y, z in best[2].tolist()]


def _placements(kind: str, sides: Cells, low: Cells, size: Place) -> Iterator[tuple[Cells, Cells]]:
    """Each size of a kind that is not smaller than the thing, at each place where its box holds the thing's box."""
    known = [form.voxels.astype(np.int64) for form in forms_of(kind)]
    if kind == "rectanguloid":
        known.append(shapes.rectanguloid(*sides.tolist()).astype(np.int64))
    for form in known:
        more = form.max(axis=0) + 1 - sides
        if (more < 0).any() or (more > sides.max()).any():
            continue
        for back in product(*(range(int(one) + 1) for one in more)):
            at = low - np.array(back)
            # The existing blocks stand on the ground: no block is added below them.
            if back[1] == 0 and (at >= 0).all() and (at + form.max(axis=0) < np.array(size)).all():
                yield form, at


def _covers(cells: Cells, have: Cells) -> bool:
    """True if every existing cell belongs to the shape."""
    return set(map(tuple, have.tolist())) <= set(map(tuple, cells.tolist()))
