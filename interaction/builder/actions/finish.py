"""Finishing something half built: as it was planned, else to the shape it most resembles."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from annotation.logical_form import Form
from annotation.voxels import shapes
from annotation.voxels.objects import KINDS, forms_of
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Place, Say, Why
from interaction.builder.memory import Known, bounds
from interaction.builder.references import THAT, meant
from interaction.builder.shapes_to_build import HOUSE, a, kind_named
from interaction.builder.situation import Situation
from interaction.builder.things import Thing
from interaction.builder.wanted import wanted
from interaction.builder.working import approach, put

Cells = NDArray[np.int64]
_MOST_MISSING = 1.5
"""At most so many times the blocks that are there may be missing: from less nobody can tell what it would become."""


def finish(here: Situation, action: Form) -> Acting:
    """Complete what is meant; where nothing is named, what was stopped, else what was spoken of last."""
    reference = action.get("reference_object")
    begun = _begun(here)
    if not reference and begun:
        yield from _complete(here, begun[-1].plan, begun[-1])
        return
    named = kind_named(wanted(reference, here.tokens).name)
    for one in reversed(begun):
        if named and one.name == named:
            yield from _complete(here, one.plan, one)
            return
    things = yield from meant(here, reference or THAT)
    for thing in things:
        if thing.figure or thing.is_hole:
            raise CannotDo("I can only finish what is made of blocks.", Why.UNSUITABLE)
        planned = next((one for one in reversed(here.memory.known) if one.plan and one.voxels & thing.cells), None)
        if planned is None:
            yield from _guessed(here, thing, named)
        elif planned in begun:
            yield from _complete(here, planned.plan, planned)
        else:
            yield Say("It looks finished to me.")


def _begun(here: Situation) -> list[Known]:
    """Things of which something is there, and something of their plan is missing; oldest first."""
    return [
        one
        for one in here.memory.known
        if one.plan
        and any(here.world.get(place) == block != AIR for place, block in one.plan.items())
        and any(here.world.get(place) != block for place, block in one.plan.items())
    ]


def _complete(here: Situation, plan: dict[Place, int], thing: Known) -> Acting:
    free = {place: block for place, block in plan.items() if here.world.get(place) in (AIR, block)}
    yield from approach(here, *bounds(plan))
    yield from put(here, free, thing)
    if here.interrupted and thing in here.interrupted.command.made:
        here.interrupted = None
    yield Say("I finished it.")


def _guessed(here: Situation, thing: Thing, named: str | None) -> Acting:
    """Complete a thing that nobody planned."""
    if named == HOUSE:
        raise CannotDo("I do not see what that house lacks.", Why.NOTHING_TO_DO)
    found = likeliest(thing, here.world.size, named)
    if found is None:
        raise CannotDo("I do not see what this would become.", Why.NOTHING_TO_DO)
    kind, cells = found
    block = next(iter(thing.materials))
    missing = {place: block for place in cells if here.world.get(place) == AIR}
    if not missing:
        yield Say("It looks finished to me.")
        return
    yield Say(f"I think it would become {a(kind)}.")
    yield from approach(here, thing.low, thing.high)
    known = Known(thing.cells, name=kind, colour=thing.colour, by="agent", command=here.memory.number)
    here.memory.made(known)
    yield from put(here, missing, known)
    yield Say("I finished it.")


def likeliest(thing: Thing, size: Place, named: str | None = None) -> tuple[str, list[Place]] | None:
    """The kind and the cells of the shape around a thing that lacks the fewest blocks; None if too much is missing.

    Args:
        size: The sides of the world, which it stays within.
        named: Only this kind, if it is one of those that there are.
    """
    have = thing.places.astype(np.int64)
    low = have.min(axis=0)
    sides = have.max(axis=0) - low + 1
    best: tuple[int, str, Cells] | None = None
    kinds = (named,) if named in KINDS else KINDS
    for kind in kinds:
        for form, at in _placings(kind, sides, low, size):
            cells = form + at
            missing = len(cells) - len(have)
            if missing < 0 or (best is not None and missing >= best[0]) or missing > _MOST_MISSING * len(have):
                continue
            if _covers(cells, have):
                best = missing, kind, cells
    if best is None:
        return None
    return best[1], [(x, y, z) for x, y, z in best[2].tolist()]


def _placings(kind: str, sides: Cells, low: Cells, size: Place) -> Iterator[tuple[Cells, Cells]]:
    """Each size of a kind that is as large as the thing or larger, at each place where its box holds the thing's."""
    known = [form.voxels.astype(np.int64) for form in forms_of(kind)]
    if kind == "rectanguloid":
        known.append(shapes.rectanguloid(*sides.tolist()).astype(np.int64))
    for form in known:
        more = form.max(axis=0) + 1 - sides
        if (more < 0).any() or (more > sides.max()).any():
            continue
        for back in product(*(range(int(one) + 1) for one in more)):
            at = low - np.array(back)
            # What was begun stands on its foot: nothing is put below it.
            if back[1] == 0 and (at >= 0).all() and (at + form.max(axis=0) < np.array(size)).all():
                yield form, at


def _covers(cells: Cells, have: Cells) -> bool:
    """Whether all that is there belongs to the shape."""
    return set(map(tuple, have.tolist())) <= set(map(tuple, cells.tolist()))
