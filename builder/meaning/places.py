"""The cell that a location means: “to the left of the house”, “there”, “5 steps forward”."""

from collections.abc import Sequence

from builder.acting.acts import Place
from builder.meaning.finder import Finder
from builder.meaning.lexicon import word_set
from builder.meaning.numbers import number_in, numbers_in
from builder.world.frames import LEVEL, step_of
from builder.world.gaze import cell_looked_at
from builder.world.memory import Memory
from builder.world.things import Thing, figure_of
from builder.world.world import World
from lib.logical_form import Form
from lib.logical_form.english.phrases import dictionary
from lib.voxels.table import AIR

_ASIDE = 2
"""Distance in blocks of a place beside a thing: one block between stays free."""
_IN_VIEW = 5
"""Distance in blocks of a place in front of the worker. A nearer thing would fill the worker's view."""
_AWAY = 5
"""Distance in blocks of "away" without a number."""
_COMING = word_set("come go move walk run follow return get back stand jump head travel")
"""In a command to go, "here" is the worker's own place; in a command to build, it is the point that they look at."""
_HERE = word_set("here me")


def place_of(world: World, memory: Memory, location: Form | None, tokens: Sequence[str], default: Place) -> Place:
    """The cell that a location means: on the ground, unless it is on, under or inside a thing.

    A side of a thing or of a person is `_ASIDE` blocks away, or as many steps as the command says. The answer is
    `default` if the location is empty or refers to a thing that does not exist.
    """
    return _PlaceResolver(world, memory, tokens, default).resolve(location or {})


class _PlaceResolver:
    def __init__(self, world: World, memory: Memory, tokens: Sequence[str], default: Place) -> None:
        self.world = world
        self.finder = Finder(world, memory, tokens)
        self.lowered = [word.lower().strip(".,?!") for word in tokens]
        self.default = default

    def resolve(self, location: Form) -> Place:
        ref = dictionary(location.get("reference_object"))
        special = dictionary(ref.get("special_reference"))
        direction = str(location.get("relative_direction", ""))
        steps = self._steps(location)
        if direction == "BETWEEN":
            return self._between(location)
        if "coordinates_span" in special:
            return self._moved(self._at(special["coordinates_span"]), direction, steps, None)
        if special.get("fixed_value") == "SPEAKER_LOOK" or (not ref and location.get("contains_coreference")):
            return self._moved(self._pointed_at(), direction, steps, None)
        if not ref and not direction:
            return self.default
        of = self._reference(ref)
        if of is None:
            return self.default
        return self._place_beside(of, direction, steps) if direction else self._at_thing(of)

    # Reference points and numbers --------------------------------------------------------------------------------

    def _reference(self, ref: Form) -> Thing | None:
        """The thing or figure that the place is relative to; the agent if none is named."""
        if not ref:
            return figure_of(self.world, "agent")
        found = self.finder.find(ref).candidates
        return found[0] if found else None

    def _pointed_at(self) -> Place:
        """The place of "here" and "there": the worker's view or position, or else the thing that was mentioned last."""
        if _HERE & set(self.lowered) and _COMING & set(self.lowered[:4]):
            return self.world.player_cell
        if cell := cell_looked_at(self.world, self.world.player):
            return cell
        spoken = self.finder.spoken_of()
        return self._at_thing(spoken[0]) if spoken else self.default

    def _at(self, span: object) -> Place:
        """Coordinates: x, y and z, or x and z on the ground."""
        said = " ".join(self.finder.measures.words(span))
        numbers = numbers_in(said.replace(",", " "))
        if len(numbers) >= 3:
            return self._inside((numbers[0], numbers[1], numbers[2]))
        return self._on_ground(numbers[0], numbers[1]) if len(numbers) == 2 else self.default

    def _steps(self, location: Form) -> int | None:
        said = self.finder.measures.words(location.get("steps"))
        return number_in(" ".join(said)) if said else None

    # Relative places --------------------------------------------------------------------------------------

    def _place_beside(self, of: Thing, direction: str, steps: int | None) -> Place:
        """A place relative to a thing or a figure."""
        x, _, z = of.at_foot
        match direction:
            case "UP":
                return self._inside((x, of.high[1] + max(steps or 1, 1), z))
            case "DOWN":
                return self._inside((x, of.low[1] - max(steps or 1, 1), z))
            case "INSIDE":
                return self._free_cell_in(of)
            case "NEAR" | "AROUND" | "OUTSIDE" | "CLOCKWISE" | "ANTICLOCKWISE":
                return self._place_off_side(of, self._towards_agent(of), steps or _ASIDE)
            case "AWAY":
                return self._place_off_side(of, self._towards_agent(of), steps or _AWAY)
        far = _IN_VIEW if of.figure == "worker" and direction == "FRONT" and not self._is_coming() else _ASIDE
        return self._place_off_side(of, step_of(self.world, direction, of, own="your" in self.lowered), steps or far)

    def _is_coming(self) -> bool:
        return any(word in _COMING for word in self.lowered)

    def _place_off_side(self, of: Thing, step: Place, steps: int) -> Place:
        """The cell at a distance in blocks from the middle of one side of a thing's box."""
        x, _, z = of.at_foot
        x = of.high[0] + steps if step[0] > 0 else of.low[0] - steps if step[0] < 0 else x
        z = of.high[2] + steps if step[2] > 0 else of.low[2] - steps if step[2] < 0 else z
        level = of.low[1] if of.figure else self.world.ground_level
        return self._on_ground(x, z, level)

    def _towards_agent(self, of: Thing) -> Place:
        """The side of a thing that faces the agent; for the agent itself, the direction that it looks in."""
        agent = self.world.agent
        x, z = agent.x - of.middle[0], agent.z - of.middle[2]
        if of.figure == "agent" or (x == 0 and z == 0):
            return step_of(self.world, "FRONT", figure_of(self.world, "agent"))
        return ((x > 0) - (x < 0), 0, 0) if abs(x) > abs(z) else (0, 0, (z > 0) - (z < 0))

    def _free_cell_in(self, of: Thing) -> Place:
        """The lowest free cell over the middle of a thing's foot: for a hole, its bottom."""
        x, bottom, z = of.at_foot
        for y in range(bottom, of.high[1] + 1):
            if self.world.get((x, y, z)) == AIR:
                return x, y, z
        return self._inside((x, of.high[1] + 1, z))

    def _at_thing(self, of: Thing) -> Place:
        """The place of a thing: the bottom of a hole, or the middle of any other thing's foot."""
        return self._free_cell_in(of) if of.is_hole else self._inside(of.at_foot)

    def _between(self, location: Form) -> Place:
        """The place midway between two things. Two equal descriptions mean two different things."""
        names = ("reference_object_1", "reference_object_2")
        found = [self.finder.find(dictionary(location.get(name))).candidates for name in names]
        if not location.get("reference_object_1"):
            # "Between the trees" has one description for both things.
            both = self.finder.find(dictionary(location.get("reference_object"))).all
            found = [both[:1], both[1:2]]
        if not all(found):
            return self.default
        one, other = found[0][0], next((two for two in found[1] if two.cells != found[0][0].cells), found[1][0])
        x, _, z = ((here + there) / 2 for here, there in zip(one.middle, other.middle, strict=True))
        return self._on_ground(int(x), int(z))

    def _moved(self, cell: Place, direction: str, steps: int | None, of: Thing | None) -> Place:
        """A cell moved in a direction, as the worker sees it."""
        if not direction or direction not in (*LEVEL, "UP", "DOWN"):
            return cell
        step = step_of(self.world, direction, of)
        far = steps or (1 if direction in ("UP", "DOWN") else _ASIDE)
        x, y, z = (here + far * one for here, one in zip(cell, step, strict=True))
        return self._inside((x, y, z))

    # The world ---------------------------------------------------------------------------------------------------

    def _on_ground(self, x: int, z: int, level: int = 0) -> Place:
        """The cell over the surface of a column, not below `level`, and inside the world."""
        width, height, depth = self.world.size
        x, z = min(max(x, 0), width - 1), min(max(z, 0), depth - 1)
        return x, min(max(self.world.surface(x, z), level), height - 1), z

    def _inside(self, cell: Place) -> Place:
        x, y, z = (min(max(one, 0), side - 1) for one, side in zip(cell, self.world.size, strict=True))
        return x, y, z
