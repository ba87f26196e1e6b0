"""The scenarios of the suite, and their preparation: context, takeover, length, and criteria in words.

A scenario is a level, a seed and a context. All agents do the same actions during the context: either the agent looks
around until the player speaks, or the player has spoken at the start and the work has begun.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal

from demo.babyai.agents import Expert
from demo.babyai.criteria import criteria
from demo.babyai.play import play, replay
from demo.babyai.world import FORWARD, LEFT, RIGHT, World

FPS = 12
FRAMES_PER_STEP = 3
STEP_S = FRAMES_PER_STEP / FPS
LONGEST = 60  # steps within which the expert must be done, or the video gets too long
BEGUN = 0.35  # of the expert's way that lies before the takeover where the work has begun


@dataclass(frozen=True)
class Scenario:
    """A row of the table below. It determines everything else about the scenario."""

    key: str
    level: str
    seed: int
    category: str
    skill: str
    prompt: str
    tags: tuple[str, ...] = ()
    context: Literal["looks around", "has begun"] = "looks around"

    @property
    def game(self) -> str:
        """The level's name among gymnasium's environments."""
        return f"BabyAI-{self.level}-v0"


GO = "Ask the other player to go and stand by something"
LIFT = "Ask the other player to pick something up"
OPEN = "Ask the other player to open a door"
PUT = "Ask the other player to bring two things together"
UNLOCK = "Ask the other player for something that is locked away"
SEQUENCE = "Ask the other player to do two things"

FOLLOW = "instruction following"
NAVIGATE = "navigation"
PLAN = "planning"

SCENARIOS = (
    Scenario("go-ball", "GoToLocal", 13, "go", FOLLOW, GO, ("one-room", "several-fit")),
    Scenario("go-ball-rooms", "GoToObjMazeS4R2", 50, "go", NAVIGATE, GO, ("rooms",)),
    Scenario("lift-any-grey", "PickupDist", 7, "lift", FOLLOW, LIFT, ("one-room", "several-fit")),
    Scenario("lift-ball-left", "PickupLoc", 52, "lift", FOLLOW, LIFT, ("one-room", "side"), "has begun"),
    Scenario("open-green", "OpenDoorsOrderN4", 58, "open", FOLLOW, OPEN, ("rooms",)),
    Scenario("open-two-in-order", "OpenDoorsOrderN4", 8, "open", FOLLOW, OPEN, ("rooms", "order")),
    Scenario("put-box-by-box", "PutNextLocal", 6, "put next to", FOLLOW, PUT, ("one-room",)),
    Scenario("put-key-across", "PutNextS5N2", 8, "put next to", NAVIGATE, PUT, ("rooms",), "has begun"),
    Scenario("unlock-for-box", "UnlockPickup", 4, "unlock", PLAN, UNLOCK, ("rooms", "key")),
    Scenario("unlock-crowded", "UnlockPickupDist", 12, "unlock", PLAN, UNLOCK, ("rooms", "key", "clutter")),
    Scenario("go-twice-in-order", "GoToSeqS5R2", 23, "sequence", NAVIGATE, SEQUENCE, ("rooms", "order")),
    Scenario("key-and-door", "MiniBossLevel", 9, "sequence", PLAN, SEQUENCE, ("rooms", "several-fit")),
)


@dataclass(frozen=True)
class Prepared:
    """A scenario ready for the agents: the actions of the context, then a number of steps of their own."""

    scenario: Scenario
    instruction: str
    criteria: str
    context: tuple[int, ...]
    continuation: int
    expert_needs: int

    @property
    def steps(self) -> int:
        """The number of actions in an episode; the video shows one more state, the start."""
        return len(self.context) + self.continuation

    @property
    def takeover_s(self) -> float:
        """The time of the picture on which the agent takes its first decision."""
        return len(self.context) * STEP_S

    @property
    def continuation_s(self) -> float:
        """The time from the takeover to the end of the video, which is the deadline."""
        return (self.continuation + 1) * STEP_S

    @property
    def spoken_s(self) -> float:
        """The time of the instruction."""
        return self.takeover_s if self.scenario.context == "looks around" else 0.0

    @property
    def difficulty(self) -> str:
        """The difficulty by the number of steps that the expert needs."""
        return "easy" if self.expert_needs <= 8 else "medium" if self.expert_needs <= 16 else "hard"


class UnsuitableError(ValueError):
    """This level and seed make no fair scenario; another seed may."""


def prepare(scenario: Scenario) -> Prepared:
    """Choose the context, and a continuation of twice the steps that the expert needs plus twelve.

    Raises:
        UnsuitableError: The expert fails, or the context would do a part of the instruction.
    """
    if scenario.context == "has begun":
        way, actions = _expert_needs(scenario, ())
        return _prepared(scenario, actions[: max(1, round(BEGUN * way))])
    problem = UnsuitableError(scenario.key)
    for attempt in range(20):
        rng = Random(f"{scenario.level} {scenario.seed} {attempt}")
        context = tuple(rng.choices((LEFT, RIGHT, FORWARD), (3, 3, 2), k=rng.randint(5, 9)))
        try:
            return _prepared(scenario, context)
        except UnsuitableError as why:
            problem = why
    raise problem


def _prepared(scenario: Scenario, context: tuple[int, ...]) -> Prepared:
    world = World(scenario.game, scenario.seed)
    goal = world.goal()
    try:
        counts = criteria(goal, locked=world.has_locked_door())
    except ValueError as problem:
        raise UnsuitableError(f"{scenario.key}: {problem}") from problem
    has_sides = any(thing.place for leaf in goal.leaves() for thing in leaf.things)
    if has_sides and scenario.context == "looks around":
        raise UnsuitableError(f"{scenario.key}: left and right would be those of the start, not of the takeover")
    if world.is_open_already():
        raise UnsuitableError(f"{scenario.key}: a door that should be opened stands open")
    if replay(world, context) is not None or world.has_begun():
        raise UnsuitableError(f"{scenario.key}: the context does what is asked, or a part of it")
    way, _ = _expert_needs(scenario, context)
    needs = way - len(context)
    return Prepared(scenario, world.instruction, counts, context, 2 * needs + 12, needs)


def _expert_needs(scenario: Scenario, context: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The number of steps that the expert needs, those of the context included, and its actions."""
    world = World(scenario.game, scenario.seed)
    way = play(world, Expert(world, Random(0)), context=context, steps=LONGEST)
    if way.done_at is None or way.note:
        raise UnsuitableError(f"{scenario.key}: more than the expert can do in {LONGEST} steps")
    return way.done_at, way.actions
