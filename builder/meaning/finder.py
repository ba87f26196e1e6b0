"""Finds the things of the world that a description means. It changes neither the world nor the memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from builder.meaning.clauses import LIKELY, ClauseMatcher
from builder.meaning.lexicon import word_set
from builder.meaning.numbers import numbers_in
from builder.meaning.selection import how_many_meant, in_row, ranked
from builder.world.frames import between_fit, direction_fit
from builder.world.gaze import cell_looked_at, thing_looked_at, thing_passed_by
from builder.world.measures import Measures, distance_between
from builder.world.memory import Memory
from builder.world.things import Thing, figure_of, thing_of, things_in
from builder.world.world import World
from lib.logical_form import Form
from lib.logical_form.english.outline import words_under
from lib.logical_form.english.phrases import dictionary
from lib.logical_form.spans import is_span

_CLOSE_TO_BEST = 0.75
"""A thing is a candidate only if its fit is at least this share of the best fit."""
_ALIKE = 0.02
"""Fits that differ by no more than this count as equal."""
_UNSURE = 0.6
"""Factor on the fit of a thing of which only the size word is wrong."""
_DEEPEST = 6
"""The most descriptions within descriptions: a cube beside a ball beside a …."""
_POINTING = word_set("this that these those here there")
_EVERYWHERE = word_set("world area map ground here field scene place land grid screen game view sight room air")
"""Words for the whole world: every thing lies in these, and none of them is a thing."""


@dataclass(frozen=True)
class Finding:
    """The things that a description means.

    Attributes:
        phrase: The words of the description.
        candidates: The things that it may mean, best first; empty if none fits. There are more candidates than wanted
            only if neither the words, nor the worker's view, nor the last mention decides between them.
        wanted: How many things it means; the number of candidates if it means all.
        all: Every thing that fits, best first.
        fits: The fit of each of `all`, 0 to 1.
    """

    phrase: str
    candidates: tuple[Thing, ...]
    wanted: int
    all: tuple[Thing, ...] = ()
    fits: tuple[float, ...] = ()

    @property
    def chosen(self) -> tuple[Thing, ...]:
        """The things that are meant."""
        return self.candidates[: self.wanted]


def find(world: World, memory: Memory, ref: Form, tokens: Sequence[str]) -> Finding:
    """Find the things that a reference object of a form means, or an END, which contains one.

    Costs: as `things_in`, and some milliseconds for large things.
    """
    return Finder(world, memory, tokens).find(ref)


class Finder:
    """Finds things for one command in one state of the world."""

    def __init__(self, world: World, memory: Memory, tokens: Sequence[str]) -> None:
        self.world = world
        self.memory = memory
        self.tokens = tokens
        self.things = things_in(world, memory)
        self.measures = Measures(world, memory, tokens, lambda end: self.find(end).candidates)
        self.depth = 0

    @cached_property
    def looked_at(self) -> Thing | None:
        """The thing that the worker looks at."""
        return thing_looked_at(self.world, self.things, self.world.player)

    def find(self, ref: Form) -> Finding:
        """Find the things that a reference object or an END means."""
        if "location" in ref and not ref.keys() & {"filters", "special_reference"}:
            return self.find(dictionary(dictionary(ref["location"]).get("reference_object")))
        if "reference_object" in ref and not ref.keys() & {"filters", "special_reference"}:
            return self.find(dictionary(ref["reference_object"]))
        phrase = " ".join(self.measures.words(ref.get("text_span"))) or self._words_for(ref)
        if "special_reference" in ref and not dictionary(ref.get("filters")):
            return _all_of(phrase, self._special_reference(ref["special_reference"]))
        filters = dictionary(ref.get("filters"))
        if "filters" not in ref and is_span(ref.get("text_span")):
            filters = {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": ref["text_span"]}]}}
        return self.find_by_filters(filters, phrase=phrase)

    def find_by_filters(self, filters: Form, *, phrase: str = "") -> Finding:
        """Find the things that filters mean."""
        phrase = phrase or self._words_for(filters)
        if self.depth >= _DEEPEST:
            return Finding(phrase, (), 1)
        self.depth += 1
        try:
            return self._find_by_filters(filters, phrase)
        finally:
            self.depth -= 1

    def _find_by_filters(self, filters: Form, phrase: str) -> Finding:
        selector = dictionary(filters.get("selector"))
        where = filters.get("where_clause")
        if (who := _figure_meant(where)) is not None:
            return _all_of(phrase, (figure_of(self.world, "agent" if who == "SELF" else "worker"),))
        fits = self._clause_fits(where)
        if filters.get("contains_coreference"):
            fits = self._coreferents(fits, filters)
        fits = self._at_location(fits, dictionary(selector.get("location")))
        best = max(fits.values(), default=0.0)
        left = [one for one, fit in fits.items() if fit >= max(LIKELY, _CLOSE_TO_BEST * best)]
        which = selector.get("return_quantity")
        argval = dictionary(dictionary(which).get("argval"))
        left = ranked(self.measures, left, argval) if argval else self._in_order(left, fits)
        wanted, nth = how_many_meant(self.measures, filters, len(left))
        every = tuple(left)
        if nth > 1:
            left = (left if argval else in_row(self.world, left))[nth - 1 :]
        clear = (
            bool(argval) or nth > 0 or which == "RANDOM" or "random" in dictionary(which) or self._is_singled_out(left)
        )
        alike = sum(fits[one] >= best - _ALIKE for one in left)
        candidates = left[:wanted] if clear or alike <= wanted else left
        return Finding(phrase, tuple(candidates), wanted, every, tuple(fits[one] for one in every))

    # Clauses and places ------------------------------------------------------------------------------------------

    def _clause_fits(self, where: Any) -> dict[Thing, float]:
        """The fit of each likely thing. Size words are relative to the things that fit all other words."""
        judge = ClauseMatcher(self.measures, self.things)
        fits = {one: judge.fit(where, one, sizes=False) for one in self.things}
        likely = [one for one, fit in fits.items() if fit >= LIKELY]
        beside = ClauseMatcher(self.measures, likely if len(likely) > 1 else self.things)
        sized = {one: beside.fit(where, one) for one in likely}
        if len(likely) == 1 < len(self.things):
            # "The big red cube" means the only red cube, even if other things are bigger.
            sized[likely[0]] = max(sized[likely[0]], fits[likely[0]] * _UNSURE)
        return sized

    def _coreferents(self, fits: dict[Thing, float], filters: Form) -> dict[Thing, float]:
        """The things that "it", "that" and "those" mean: those mentioned last, or the one that the worker looks at."""
        words = self._words_of(filters)
        looked = self.looked_at or thing_passed_by(self.things, self.world.player)
        seen = [looked] if looked else []
        spoken = self.spoken_of()
        pointing = bool(_POINTING & words)
        first, second = (seen, spoken) if pointing and not ({"it", "them"} & words) else (spoken, seen)
        for group in (first, second):
            if found := {one: fits[one] for one in group if one in fits}:
                return found
        if fits and filters.get("where_clause"):
            return fits
        # Nothing fits the clauses: the worker uses a name that does not match how the thing looks.
        return dict.fromkeys(first or second, 1.0)

    def spoken_of(self) -> list[Thing]:
        """The things that were mentioned last, built or found."""
        last = self.memory.mentioned
        if not last:
            return []
        found = [one for one in self.things if 2 * len(one.cells & last) >= min(one.count, len(last))]
        if found:
            return found
        left = [cell for cell in last if self.world.get(cell)]
        return [thing_of(left, self.world)] if left else []

    def _at_location(self, fits: dict[Thing, float], location: Form) -> dict[Thing, float]:
        """The fits, each multiplied with how well the thing lies at the location. Products of 0 are left out."""
        if not location:
            return fits
        return {one: fit for one in fits if (fit := fits[one] * self._location_fit(one, location)) > 0}

    def _location_fit(self, thing: Thing, location: Form) -> float:
        direction = str(location.get("relative_direction", "NEAR"))
        pair = [self.find(dictionary(location.get(name))) for name in ("reference_object_1", "reference_object_2")]
        if direction == "BETWEEN" and all(one.candidates for one in pair):
            ends = [one.candidates[0] for one in pair]
            if ends[0] is ends[1] and len(pair[1].candidates) > 1:
                ends[1] = pair[1].candidates[1]
            return 0.0 if thing in ends else between_fit(thing, ends[0], ends[1])
        of = self.reference_point(location)
        if of is None:
            # Everything is "in the world" and "in this room".
            said = {word.lower().strip(".,?!") for word in self._words_of(location)}
            known = "reference_object" not in location or said & _EVERYWHERE
            return 1.0 if known else 0.0
        if thing.cells == of.cells:
            return 0.0 if "relative_direction" in location else 1.0
        return direction_fit(self.world, thing, direction, of, own="your" in self._lowered())

    def reference_point(self, location: Form) -> Thing | None:
        """The thing that a location is relative to.

        Without any it is the worker. Where the words say only “there”, it is the thing that the worker looks at.
        """
        if "reference_object" not in location and not location.get("contains_coreference"):
            return figure_of(self.world, "worker") if location.get("relative_direction") else None
        ref = dictionary(location.get("reference_object"))
        looked_at = dictionary(ref.get("special_reference")).get("fixed_value") == "SPEAKER_LOOK"
        if found := self.find(ref).candidates if ref else ():
            return found[0]
        if looked_at or not ref:
            cell = cell_looked_at(self.world, self.world.player)
            return thing_of([cell], self.world) if cell else None
        return None

    # Order of the candidates -------------------------------------------------------------------------------------

    def _in_order(self, left: list[Thing], fits: dict[Thing, float]) -> list[Thing]:
        """The best fit first. Equal fits are in this order: looked at, mentioned last, nearest to the worker."""
        spoken = self.spoken_of() if len(left) > 1 else []
        me = figure_of(self.world, "worker")
        return sorted(
            left,
            key=lambda one: (
                -round(fits[one] / _ALIKE),
                one is not self.looked_at,
                all(one.cells != last.cells for last in spoken),
                distance_between(one, me),
            ),
        )

    def _is_singled_out(self, left: Sequence[Thing]) -> bool:
        """True if the worker looks at the first thing, or it was the only thing mentioned last."""
        if len(left) < 2:
            return False
        if self.looked_at is left[0]:
            return True
        return [one.cells for one in self.spoken_of()] == [left[0].cells]

    # Help --------------------------------------------------------------------------------------------------------

    def _special_reference(self, special: Any) -> tuple[Thing, ...]:
        """A figure, the thing that the worker looks at, or the thing at given coordinates."""
        inside = dictionary(special)
        if "coordinates_span" in inside:
            numbers = numbers_in(" ".join(self.measures.words(inside["coordinates_span"])))
            return tuple(one for one in self.things if tuple(numbers) in one.cells)[:1]
        match inside.get("fixed_value", special):
            case "AGENT" | "SELF":
                return (figure_of(self.world, "agent"),)
            case "SPEAKER":
                return (figure_of(self.world, "worker"),)
            case "SPEAKER_LOOK":
                return (self.looked_at,) if self.looked_at else ()
        return ()

    def _lowered(self) -> list[str]:
        return [word.lower().strip(".,?!") for word in self.tokens]

    def _words_of(self, part: Form) -> set[str]:
        """The words of a part of the form, those between them, and two before them; every word if the part has none."""
        runs = words_under(part)
        lowered = self._lowered()
        if not runs:
            return set(lowered)
        return set(lowered[max(runs[0][0] - 2, 0) : runs[-1][1] + 1])

    def _words_for(self, part: Form) -> str:
        """The words of this part of the form without punctuation at the end; "that" if it is only a pronoun."""
        said = " ".join(" ".join(self.tokens[first : last + 1]) for first, last in words_under(part)).rstrip(".,;:?!")
        if said:
            return said
        who = dictionary(part.get("special_reference")).get("fixed_value")
        known = {"SPEAKER": "you", "AGENT": "me", "SPEAKER_LOOK": "where you look"}
        return known.get(str(who), "that" if "contains_coreference" in str(part) else "something")


def _all_of(phrase: str, found: tuple[Thing, ...]) -> Finding:
    return Finding(phrase, found, max(len(found), 1), found, (1.0,) * len(found))


def _figure_meant(where: Any) -> str | None:
    """SELF or SPEAKER, if a clause names one of them."""
    for members in dictionary(where).values():
        for clause in members if isinstance(members, list) else ():
            value = dictionary(dictionary(clause).get("obj_text")).get("fixed_value")
            if dictionary(clause).get("pred_text") == "has_tag" and value in ("SELF", "SPEAKER"):
                return str(value)
    return None
