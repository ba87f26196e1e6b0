"""Places, and things described by their places: “behind the big tree”, “5 steps to my left”, “the cube next to it”."""

from collections.abc import Collection

from builder.parser import relations, vocabulary
from builder.parser.forms import special
from builder.parser.phrase import Phrase, word_count
from builder.parser.things import (
    Description,
    add_likeness,
    add_unlikeness,
    description_of,
    extent_at,
    number_at,
    without_articles,
)
from lib.logical_form import Form

_DEEPEST = 3
"""Places within places, up to this depth. Deeper words are only a name."""
_IS = frozenset(
    f"{who} {verb}" for who in ("that", "which", "who") for verb in ("is", "are", "s", "was", "were", "has", "have")
) | {"that's", "thats", "which's", "who's"}
_THAT = frozenset({"that", "which", "who", "you", "i", "we", "where", "so"})
_CALLED = frozenset({"called", "named", "tagged", "tagged as", "labeled", "known as", "i called", "i named"})
_MADE_OF = frozenset({"made of", "made out of", "made from", "made with", "built of", "out of", "using", "composed of"})
_WITH = frozenset({"with", "without", "having", "like"})
_EXCEPT = frozenset({"except", "except for", "but not", "apart from", "other than", "besides"})
_NEAREST = frozenset({"closest to", "nearest to", "nearest", "closest", "farthest from", "furthest from"})
_BEFORE_MEASURES = frozenset({"by", "for", "about", "another"})
_OF_PLACES = frozenset({"INSIDE", "OUTSIDE"})
"""Directions that are not relative to a person if they stand alone."""


def thing(phrase: Phrase, *, depth: int = 0) -> Form:
    """The REFERENCE_OBJECT of these words: a person, coordinates, or a description; empty for no words."""
    if not len(phrase):
        return {}
    if who := vocabulary.PEOPLE.get(phrase.text):
        return special(who)
    if phrase.text in relations.HERE or phrase.text in relations.THERE:
        return special("SPEAKER_LOOK")
    if numbers := _coordinates(phrase):
        return {"special_reference": {"coordinates_span": numbers.span}}
    found: Form = {"text_span": phrase.span}
    if filters := filters_of(phrase, depth=depth):
        found["filters"] = filters
    return found


def filters_of(phrase: Phrase, *, depth: int = 0, sides: str = "build", same: str = "DISALLOWED") -> Form:
    """The FILTERS of a described thing, including its place; empty if there is no description."""
    end = _next_tail(phrase, 0, depth)
    description = description_of(phrase.cut(0, end), sides=sides, same=same)
    rest = phrase.cut(end)
    while len(rest):
        rest = _read_tail(description, rest, depth, sides)
    return description.filters()


def place(phrase: Phrase, *, depth: int = 0) -> Form:
    """The LOCATION of these words; empty for no words. A thing alone means the place of that thing."""
    phrase, found = _measure(phrase)
    return {**_where(phrase, depth), **found}


def starts_place(phrase: Phrase, at: int, *, hedges: int = 0) -> bool:
    """True if a place begins at this word. A thing alone is not a place.

    Args:
        hedges: How many words such as “over” or “right” were read before; after a few the search ends.
    """
    if hedges > _DEEPEST:
        return False
    rest = phrase.cut(at)
    if any(rest.longest(table) for table in (relations.SIDED, relations.HERE, relations.THERE, vocabulary.POINTED_OUT)):
        return True
    relation = rest.longest(relations.RELATIONS)
    if relation and word_count(relation) < len(rest):
        return True
    if rest[0] == "from" and rest.find({"to"}, 2):
        return True
    direction = rest.longest(relations.DIRECTIONS)
    if direction:
        after = word_count(direction)
        distance = after + int(rest[after] in ("for", "by"))
        return after == len(rest) or _measured_at(rest, distance) > 0 or starts_place(rest, after, hedges=hedges + 1)
    length = _measured_at(rest, 0)
    if length and (length < len(rest) and starts_place(rest, length, hedges=hedges + 1)):
        return True
    hedge = rest.longest(relations.HEDGES)
    after = word_count(hedge) if hedge else len(rest)
    return after < len(rest) and starts_place(rest, after, hedges=hedges + 1)


# Things ------------------------------------------------------------------------------------------------------------


def _coordinates(phrase: Phrase) -> Phrase | None:
    start = 0
    while phrase[start] in ("the", "coordinates", "coordinate", "location", "position", "at", "point", "x", "y", "z"):
        start += 1
    numbers = phrase.cut(start)
    all_numbers = all(number_at(numbers, at) for at in range(len(numbers)))
    return numbers if 2 <= len(numbers) <= 3 and all_numbers else None


def _next_tail(phrase: Phrase, start: int, depth: int) -> int:
    """The position from `start` on at which the words about the thing itself end."""
    return next((at for at in range(start, len(phrase)) if _is_tail(phrase, at, depth)), len(phrase))


def _is_tail(phrase: Phrase, at: int, depth: int) -> bool:
    if at == 0:
        # “two blocks behind me” alone means two blocks: a distance would follow another word.
        return depth < _DEEPEST and starts_place(phrase, at) and not _measured_at(phrase, at)
    words = phrase[at]
    if (
        words in vocabulary.BY
        and number_at(phrase, at + 1)
        and (_measured_at(phrase, at - 2) or number_at(phrase, at - 1))
    ):
        return False
    if extent_at(phrase, at) or (_measured_at(phrase, at) and phrase[at - 1] in vocabulary.ARTICLES | vocabulary.ALL):
        return False
    if (
        phrase.longest(_EXCEPT, at)
        or phrase.longest(_CALLED, at)
        or phrase.longest(_MADE_OF, at)
        or phrase.longest(_IS, at)
    ):
        return True
    if words in _THAT or (words in _WITH and not phrase.longest(vocabulary.MEASURED, at)):
        return phrase[at - 1] not in vocabulary.ARTICLES | vocabulary.ALL
    if phrase.longest(_NEAREST, at):
        return phrase[at - 1] not in vocabulary.ARTICLES and not number_at(phrase, at - 1)
    if words == "to" and phrase.cut(0, at).find(_NEAREST):
        return True
    return depth < _DEEPEST and starts_place(phrase, at)


def _read_tail(description: Description, rest: Phrase, depth: int, sides: str) -> Phrase:
    """Reads the first part of the words after a thing. Returns the other words, which are fewer than before."""
    if lead := rest.longest(_IS):
        inner = rest.cut(word_count(lead))
        if _is_tail(inner, 0, depth) or inner.longest(_NEAREST) or inner.longest(_MADE_OF) or inner.longest(_CALLED):
            return inner
        end = _next_tail(inner, 1, depth)
        add_likeness(description, inner.cut(0, end), sides=sides)
        return inner.cut(end)
    if lead := rest.longest(_EXCEPT):
        add_unlikeness(description, rest.cut(word_count(lead)), sides=sides)
        return rest.cut(len(rest))
    for table, predicate in ((_CALLED, "has_tag"), (_MADE_OF, "has_block_type")):
        if lead := rest.longest(table):
            inner = rest.cut(word_count(lead))
            end = _next_tail(inner, 1, depth)
            description.add(predicate, without_articles(inner.cut(0, end)))
            return inner.cut(end)
    if (lead := rest.longest(_NEAREST)) or (rest[0] == "to" and description.rank):
        description.rank = vocabulary.RANKS[rest[0]] if lead else description.rank
        from_whom = rest.cut(word_count(lead) if lead else 1)
        if len(from_whom) and depth < _DEEPEST:
            description.source = thing(from_whom, depth=depth + 1)
        return rest.cut(len(rest))
    if rest[0] in _THAT | _WITH and not rest.longest(vocabulary.POINTED_OUT):
        description.add("has_tag", rest.cut(1) if rest[0] in ("that", "which", "who") else rest)
        return rest.cut(len(rest))
    description.location = place(rest, depth=depth + 1) or None
    return rest.cut(len(rest))


# Places ------------------------------------------------------------------------------------------------------------


def _where(phrase: Phrase, depth: int) -> Form:
    """The place without its distance."""
    phrase = _without_hedges(phrase)
    if not len(phrase):
        return {}
    for table in (relations.HERE, relations.THERE):
        if lead := phrase.longest(table):
            rest = phrase.cut(word_count(lead))
            if len(rest) and starts_place(rest, 0) and depth < _DEEPEST:
                return place(rest, depth=depth + 1)
            return {"contains_coreference": "yes", "text_span": phrase.cut(0, word_count(lead)).span}
    if who := vocabulary.PEOPLE.get(phrase.text):
        return {"reference_object": special(who)}
    if phrase[0] == "from" and phrase.find({"to"}, 2):
        return _between(phrase.cut(1), "to", depth)
    relation = phrase.longest(relations.RELATIONS) or ""
    sided = _standing_alone(phrase, relations.SIDED, relation)
    if sided:
        direction, who = relations.SIDED[sided]
        return {"relative_direction": direction, "reference_object": special(who)}
    alone = _standing_alone(phrase, relations.DIRECTIONS, relation)
    if relation and word_count(relation) < len(phrase) and not alone:
        return _relation_place(relations.RELATIONS[relation], phrase.cut(word_count(relation)), depth)
    if led := alone or phrase.longest(relations.DIRECTIONS):
        return _direction_place(relations.DIRECTIONS[led], phrase.cut(word_count(led)), depth)
    if lead := phrase.longest(relations.TOWARDS):
        rest = phrase.cut(word_count(lead))
        return _where(rest, depth + 1) if depth < _DEEPEST else _at(rest, depth)
    return _at(phrase, depth)


def _standing_alone(phrase: Phrase, table: Collection[str], relation: str) -> str | None:
    """An entry longer than the relation at this position, if no thing follows that it could refer to."""
    found = phrase.longest(table)
    if not found or (relation and word_count(found) <= word_count(relation)):
        return None
    rest = phrase.cut(word_count(found))
    return found if not len(rest) or starts_place(rest, 0) else None


def _at(phrase: Phrase, depth: int) -> Form:
    """The place of the thing that these words describe."""
    found = thing(phrase, depth=depth)
    return {"reference_object": found} if found else {}


def _relation_place(direction: str, rest: Phrase, depth: int) -> Form:
    if direction == "BETWEEN":
        return _between(rest, "and", depth)
    found: Form = {"relative_direction": direction} if direction else {}
    lead = rest.longest(relations.TOWARDS)
    return {**found, **_at(rest.cut(word_count(lead)) if lead and word_count(lead) < len(rest) else rest, depth)}


def _between(rest: Phrase, joint: str, depth: int) -> Form:
    """The place between two things. One description for both gives two equal ones."""
    if rest.text in ("us", "you and me", "me and you"):
        ends = special("SPEAKER"), special("AGENT")
    elif (found := rest.find({joint}, 1)) and found[0] + 1 < len(rest):
        parts = rest.cut(0, found[0]), rest.cut(found[0] + 1)
        ends = thing(parts[0], depth=depth), thing(parts[1], depth=depth)
    else:
        both = without_articles(rest)
        both = both.cut(number_at(both, 0)) if number_at(both, 0) < len(both) else both
        ends = (thing(both, depth=depth),) * 2
    return {"relative_direction": "BETWEEN", "reference_object_1": ends[0], "reference_object_2": ends[1]}


def _direction_place(direction: str, rest: Phrase, depth: int) -> Form:
    """A direction alone. If it leads to a place, the place alone counts."""
    if len(rest) and depth < _DEEPEST and (starts_place(rest, 0) or rest.longest(relations.TOWARDS)):
        return place(rest, depth=depth + 1)
    found: Form = {"relative_direction": direction}
    who = "SPEAKER" if direction == "AWAY" else "AGENT"
    return found if direction in _OF_PLACES else {**found, "reference_object": special(who)}


def _without_hedges(phrase: Phrase) -> Phrase:
    while (hedge := phrase.longest(relations.HEDGES)) and word_count(hedge) < len(phrase):
        rest = phrase.cut(word_count(hedge))
        known = phrase.longest(relations.HERE) or phrase.longest(relations.THERE)
        if known or not (starts_place(rest, 0) or rest.longest(relations.TOWARDS)):
            break
        phrase = rest
    return phrase


def _measured_at(phrase: Phrase, at: int) -> int:
    """How many words from here on are a distance such as “five steps”; 0 if none."""
    length = number_at(phrase, at) or int(phrase[at] == "a" and phrase[at + 1] == "step")
    return length + 1 if length and phrase[at + length] in vocabulary.UNITS else 0


def _measure(phrase: Phrase) -> tuple[Phrase, Form]:
    """The phrase without its distance, and the distance."""
    for at in range(len(phrase)):
        length = _measured_at(phrase, at)
        bare = number_at(phrase, at) if at and at + number_at(phrase, at) == len(phrase) else 0
        if not length and not (bare and _may_stand_before(phrase, at) and phrase[at - 1] != "by"):
            continue
        if at and not _may_stand_before(phrase, at):
            continue
        end = at + (length or bare)
        number = phrase.cut(at, end - 1 if length else end)
        found: Form = {"steps": number.span}
        if length and phrase[end - 1] not in vocabulary.STEPS:
            found["has_measure"] = phrase.cut(end - 1, end).span
        start = at - 1 if at and phrase[at - 1] in _BEFORE_MEASURES else at
        return Phrase(phrase.tokens[:start] + phrase.tokens[end:]), found
    return phrase, {}


def _may_stand_before(phrase: Phrase, at: int) -> bool:
    """True if a distance may follow the word before `at`: a direction or a thing; no preposition and no article."""
    before = phrase[at - 1]
    if before in _BEFORE_MEASURES or before in relations.DIRECTIONS:
        return True
    prepositions = before in relations.RELATIONS or before in relations.TOWARDS
    return not (
        prepositions or before in vocabulary.ARTICLES or before in ("of", "coordinates", "location", "and")
    ) and (not number_at(phrase, at - 1))
