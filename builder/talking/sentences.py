"""Sentences about things: their places, colours, sizes, materials and history."""

from collections import Counter
from collections.abc import Sequence
from math import floor

from builder.meaning.lexicon import colour_meant, is_anything, plain_words, size_meant
from builder.world.measures import distance_between
from builder.world.memory import Memory
from builder.world.names import a, blocks_of, colour_and_noun, colour_of, name_of, plural, size_of, the, with_article
from builder.world.things import Thing
from builder.world.world import World, ahead_of, left_of
from lib.logical_form.english.phrases import both
from lib.voxels.scene import Pose

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MOST_LISTED, _MOST_SEEN = 6, 12
"""Longer lists end with the number of other things; the second is for a list of everything."""


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "cube"), count_of(2, "red box"), count_of(0, "cube"), count_of(40, "block")
    ('one cube', 'two red boxes', 'no cubes', '40 blocks')
    """
    said = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{said} {noun if number == 1 else plural(noun)}"


def listed(things: Sequence[Thing], *, most: int = _MOST_LISTED) -> str:
    """A list of the things, equal ones counted: "a red cube and two blue boxes". Rare kinds are left out."""
    alike = Counter(the(one) if one.figure else colour_and_noun(one) for one in things)
    figures = {the(one) for one in things if one.figure}
    parts = [
        noun if noun in figures else with_article(noun) if number == 1 else count_of(number, noun)
        for noun, number in alike.items()
    ]
    more = len(things) - sum(list(alike.values())[:most])
    return both([*parts[:most], count_of(more, "other thing")] if more else parts)


def inventory(worker: Thing, things: Sequence[Thing]) -> str:
    """A sentence about the worker, all things, and the names that the worker gave them."""
    named = [one for one in things if one.tags]
    called = [
        f"the {colour_and_noun(one)} {both([f'“{tag}”' for tag in sorted(one.tags)])}" for one in named[:_MOST_LISTED]
    ]
    seen = listed([worker, *things], most=_MOST_SEEN) if things else "you and nothing else"
    return f"I see {seen}.{f' You call {both(called)}.' if called else ''}"


def coordinates(thing: Thing) -> str:
    """The cell in the middle of its foot: "(3, 5, 8)"."""
    return "({}, {}, {})".format(*thing.at_foot)


def where(world: World, thing: Thing, seen_from: Pose | None = None) -> str:
    """Its place relative to a pose, by default the worker's: "4 blocks in front of you and 2 to your left"."""
    pose = seen_from or world.player
    whose = "my" if seen_from is not None else "your"
    of = "me" if seen_from is not None else "you"
    ahead = ahead_of(pose)
    left = left_of(ahead)
    to_x, to_z = (thing.middle[0] - pose.x, thing.middle[2] - pose.z)
    forward = floor(to_x * ahead[0] + to_z * ahead[1] + 0.5)
    leftward = floor(to_x * left[0] + to_z * left[1] + 0.5)
    parts = []
    if forward:
        parts.append(f"{_blocks(abs(forward))} {'in front of' if forward > 0 else 'behind'} {of}")
    if leftward:
        number = _blocks(abs(leftward)) if not parts else str(abs(leftward))
        parts.append(f"{number} to {whose} {'left' if leftward > 0 else 'right'}")
    return both(parts) or f"right where {'I am' if of == 'me' else 'you are'}"


def _blocks(number: int) -> str:
    return f"{number} block{'' if number == 1 else 's'}"


def whereabouts(world: World, things: Sequence[Thing]) -> str:
    """A sentence about the place of one thing or several."""
    if len(things) == 1:
        return f"{the(things[0]).capitalize()} is at {coordinates(things[0])}, {where(world, things[0])}."
    places = [f"{a(one)} at {coordinates(one)}, {where(world, one)}" for one in things[:_MOST_LISTED]]
    return f"I see {count_of(len(things), _common_noun(things))}: {'; '.join(places)}."


def _common_noun(things: Sequence[Thing]) -> str:
    nouns = {colour_and_noun(one) for one in things}
    names = {name_of(one) for one in things}
    return nouns.pop() if len(nouns) == 1 else names.pop() if len(names) == 1 else "thing"


def figure_whereabouts(world: World, who: Thing, others: Sequence[Thing]) -> str:
    """A sentence about a figure's place: coordinates, relative to the other figure, and the nearest thing."""
    is_agent = who.figure == "agent"
    cell = "({}, {}, {})".format(*(world.agent_cell if is_agent else world.player_cell))
    told = where(world, who) if is_agent else where(world, who, world.agent)
    near = min(others, key=lambda one: distance_between(one, who), default=None)
    beside = f" The nearest thing to {'me' if is_agent else 'you'} is {a(near)}." if near else ""
    return f"{'I am' if is_agent else 'You are'} at {cell}, {told}.{beside}"


def sizes(thing: Thing, others: Sequence[Thing]) -> str:
    """A sentence about a thing's size, as a word and in blocks."""
    width, height, depth = thing.box
    across, along = max(width, depth), min(width, depth)
    up = f"{height} deep" if thing.is_hole else f"{height} high"
    return f"{the(thing).capitalize()} is {size_of(thing, others)}: {_blocks(across)} long, {along} wide and {up}."


def colours(things: Sequence[Thing]) -> str:
    """A sentence about the colours of one thing or several."""
    words = [colour_of(one) for one in things]
    seen = [word for word in dict.fromkeys(words) if word]
    if len(things) > 1:
        return f"They are {both(seen)}." if seen else "They have no colour."
    thing = things[0]
    if not seen:
        return f"{the(thing).capitalize()} has no colour."
    also = [word for word, share in thing.colours.items() if share >= 0.1 and word != seen[0]]
    more = f", with some {both(also)}" if also else ""
    return f"The {name_of(thing)} is {seen[0]}{more}."


def materials(thing: Thing) -> str:
    """A sentence about a thing's blocks."""
    made = blocks_of(thing)
    return (
        f"{the(thing).capitalize()} is made of {both(made[:4])}." if made else "It is a hole: there is nothing in it."
    )


def history(memory: Memory, thing: Thing) -> str:
    """A sentence about the maker of a thing and the command for it."""
    if not thing.made_by:
        return f"{the(thing).capitalize()} was there before we began."
    texts = {one.number: one.text for one in memory.commands}
    told = f", when you said “{texts[thing.made_in]}”" if thing.made_in in texts else ""
    return f"{'I' if thing.made_by == 'agent' else 'You'} made {the(thing)}{told}."


def what_it_is(thing: Thing) -> str:
    """A sentence about the thing pointed at, with the worker's names for it."""
    called = f". You call it {both([f'“{tag}”' for tag in sorted(thing.tags)])}" if thing.tags else ""
    return f"That is {a(thing)}{called}."


_TURNED = {
    "me": "you",
    "my": "your",
    "i": "you",
    "am": "are",
    "you": "me",
    "your": "my",
    "myself": "you",
    "mine": "yours",
}


def from_agents_view(phrase: str) -> str:
    """The worker's words with "my" and "your" exchanged.

    >>> from_agents_view("to my left"), from_agents_view("behind you")
    ('to your left', 'behind me')
    """
    return " ".join(_TURNED.get(word.lower(), word) for word in phrase.split())


def nothing_like(phrase: str) -> str:
    """A sentence that there is no such thing, with the worker's words.

    >>> nothing_like("the red cubes"), nothing_like("light blue"), nothing_like("something")
    ('I see no red cubes.', 'I see nothing light blue.', 'I see nothing there.')
    """
    told = [word for word in plain_words(phrase.split()) if not is_anything(word)]
    if not told:
        return "I see nothing there."
    is_noun = not (colour_meant(told[-1:]) or size_meant(told[-1:]))
    return f"I see {'no' if is_noun else 'nothing'} {' '.join(told)}."
