"""Descriptions of things without their places: “the two big red cubes”, “a stone wall 5 blocks high”."""

import re
from dataclasses import dataclass, field
from typing import Any

from builder.parser import vocabulary
from builder.parser.forms import MOST_CLAUSES, all_of, clause, fixed
from builder.parser.phrase import Phrase, word_count
from lib.logical_form import Form

_DIGITS = re.compile(r"-?\d+(\.\d+)?$")
_SIZES_AT_ONCE = re.compile(r"\d+([x×*]\d+)+$")


@dataclass
class Description:
    """The description of a thing, collected word by word.

    Attributes:
        rank: Most or least, and the quantity (`vocabulary.RANKS`).
        source: The person that a distance is measured from; None if not named.
        count: The words of the number.
        order: The word of the position in a row: “third”.
        same: Whether several things may be equal: new things may, existing things may not.
    """

    clauses: list[Form] = field(default_factory=list)
    coreference: bool = False
    every: bool = False
    rank: tuple[str, str] | None = None
    source: Form | None = None
    count: Phrase | None = None
    same: str = "DISALLOWED"
    order: Phrase | None = None
    location: Form | None = None

    def add(self, predicate: str, what: Phrase, *, instead: bool = False) -> None:
        """Add a clause. With `instead` it is an alternative to the last clause."""
        if not len(what):
            return
        added = clause(predicate, what.span)
        if instead and self.clauses:
            last = self.clauses.pop()
            self.clauses.append({"OR": [*last.get("OR", [last]), added][:MOST_CLAUSES]})
        elif len(self.clauses) < MOST_CLAUSES:
            self.clauses.append(added)

    def filters(self) -> Form:
        """The FILTERS; empty if there is no description."""
        found: Form = {}
        if self.coreference:
            found["contains_coreference"] = "yes"
        if self.clauses:
            found["where_clause"] = all_of(self.clauses)
        if selector := self._selector():
            found["selector"] = selector
        return found

    def _selector(self) -> Form:
        found: Form = {}
        if self.every:
            found["return_quantity"] = "ALL"
        elif self.rank:
            polarity, what = self.rank
            ranking = {"polarity": polarity, "quantity": {"attribute": self._attribute(what)}}
            found["return_quantity"] = {"argval": ranking}
            found["ordinal"] = self.count.span if self.count else fixed("FIRST")
        elif self.count:
            found |= {"return_quantity": "RANDOM", "ordinal": self.count.span, "same": self.same}
        if self.order:
            found["ordinal"] = self.order.span
        if self.location:
            found["location"] = self.location
        return found

    def _attribute(self, what: str) -> Any:
        if what != "DISTANCE":
            return what
        source = self.source or {"special_reference": fixed("SPEAKER")}
        return {"linear_extent": {"source": {"reference_object": source}}}


def description_of(phrase: Phrase, *, sides: str = "build", same: str = "DISALLOWED") -> Description:
    """The description in these words. It uses every word; unknown words are the name.

    Args:
        sides: The meaning of the numbers in “5 x 5” (`vocabulary.SIDES`).
        same: Whether several things may be equal.
    """
    description = Description(same=same)
    name = _before_name(description, phrase, sides)
    end = 1 if name[0] in vocabulary.VAGUE else len(name)
    end = next((at for at in range(1, end) if _extent(name, at, sides)), end)
    if name.cut(0, end).text not in vocabulary.VAGUE:
        description.add("has_name", name.cut(0, end))
    rest = name.cut(end)
    if len(rest):
        _after_name(description, rest, sides)
    elif name[0] in vocabulary.VAGUE:
        description.every = description.every or name[0] == "everything"
    return description


def add_likeness(description: Description, phrase: Phrase, *, sides: str = "build") -> None:
    """Add the words after “that is”: adjectives and measures; unknown words are a tag."""
    if phrase[0] == "not" and len(phrase) > 1:
        add_unlikeness(description, phrase.cut(1), sides=sides)
    else:
        _after_name(description, phrase, sides)


def add_unlikeness(description: Description, phrase: Phrase, *, sides: str = "build") -> None:
    """Add that none of this describes the thing."""
    unlike = description_of(phrase, sides=sides).clauses
    if unlike and len(description.clauses) < MOST_CLAUSES:
        description.clauses.append({"NOT": unlike})


def extent_at(phrase: Phrase, at: int) -> int:
    """How many words from here on are measures of a thing, such as “5 blocks high”; 0 if none."""
    found = _extent(phrase, at, "build")
    return found.length if found else 0


def number_at(phrase: Phrase, at: int) -> int:
    """How many words from here on are a number; 0 if none."""
    if few := phrase.longest(vocabulary.FEW, at):
        return word_count(few)
    length = 0
    while at + length < len(phrase):
        if _DIGITS.match(phrase[at + length]):
            length += 1
            break
        word = phrase.longest(vocabulary.NUMBERS, at + length)
        if not word:
            break
        length += word_count(word)
    return length


def without_articles(phrase: Phrase) -> Phrase:
    """The phrase from its first word that is not an article."""
    start = next((at for at in range(len(phrase)) if phrase[at] not in vocabulary.ARTICLES), len(phrase))
    return phrase.cut(start)


def _before_name(description: Description, phrase: Phrase, sides: str) -> Phrase:
    """Reads the words before the name. Returns the name and the words after it."""
    at = 0
    last: tuple[int, str] | None = None
    while at < len(phrase):
        length = _modifier(description, phrase, at, sides)
        if length:
            last = None
        else:
            joint = _joint(phrase, at)
            predicate, length = _adjective(phrase, at + joint)
            if not length:
                break
            description.add(predicate, phrase.cut(at + joint, at + joint + length), instead=phrase[at] == "or")
            last = (at + joint, predicate)
            length += joint
        at += length
    if at == len(phrase) and last and last[1] in ("has_block_type", "has_tag") and description.clauses:
        # In “a square” and “get wood” the last word is the name itself.
        description.clauses.pop()
        return phrase.cut(last[0])
    return phrase.cut(at)


def _after_name(description: Description, phrase: Phrase, sides: str) -> None:
    at = 0
    while at < len(phrase):
        if length := _modifier(description, phrase, at, sides):
            at += length
            continue
        predicate, length = _adjective(phrase, at)
        if length:
            description.add(predicate, phrase.cut(at, at + length), instead=at > 0 and phrase[at - 1] == "or")
        elif phrase[at] in ("and", "or", "but"):
            length = 1
        else:
            description.add("has_tag", phrase.cut(at))
            return
        at += length


def _modifier(description: Description, phrase: Phrase, at: int, sides: str) -> int:
    """Reads one word or group that is not an adjective. Returns its number of words, 0 if there is none."""
    left = len(phrase) - at
    if found := phrase.longest(vocabulary.ALL, at):
        description.every = True
        return word_count(found)
    if (left == 1 and phrase[at] in vocabulary.ONLY_POINTING) or (left > 1 and phrase[at] in vocabulary.POINTING):
        description.coreference = True
        return 1
    if extents := _extent(phrase, at, sides):
        for predicate, (first, end) in extents.tells:
            description.add(predicate, phrase.cut(first, end))
        return extents.length
    if left > 1 and (found := phrase.longest(vocabulary.RANKS, at)) and not description.rank:
        description.rank = vocabulary.RANKS[found]
        return word_count(found)
    if left > 1 and phrase[at] in vocabulary.ORDINALS and not description.order:
        description.order = phrase.cut(at, at + 1)
        return 1
    if (length := number_at(phrase, at)) and length < left and not description.count:
        description.count = phrase.cut(at, at + length)
        return length
    return 1 if phrase[at] in vocabulary.ARTICLES else 0


def _adjective(phrase: Phrase, at: int) -> tuple[str, int]:
    for predicate, table in (
        ("has_size", vocabulary.SIZES),
        ("has_block_type", vocabulary.MATERIALS),
        ("has_colour", vocabulary.COLOURS),
        ("has_tag", vocabulary.LIKENESSES),
    ):
        if found := phrase.longest(table, at):
            return predicate, word_count(found)
    return "", 0


def _joint(phrase: Phrase, at: int) -> int:
    """1 if “and” or “or” stands between two adjectives, else 0."""
    between = at > 0 and phrase[at] in ("and", "or") and _adjective(phrase, at - 1)[1] and _adjective(phrase, at + 1)[1]
    return int(bool(between))


@dataclass(frozen=True)
class _Extents:
    """The number of words of some measures, and for each predicate the positions of its words."""

    length: int
    tells: list[tuple[str, tuple[int, int]]]


def _extent(phrase: Phrase, at: int, sides: str) -> _Extents | None:
    """The measures that begin here: “5 blocks high”, “5 x 5 x 15”, “with a height of 5”."""
    if _SIZES_AT_ONCE.match(phrase[at]):
        return _Extents(1, [("has_size", (at, at + 1))])
    if lead := phrase.longest(vocabulary.MEASURED, at):
        first = at + word_count(lead)
        if length := number_at(phrase, first):
            end = _past_unit(phrase, first + length)
            return _Extents(end - at, [(vocabulary.MEASURED[lead], (first, first + length))])
    length = number_at(phrase, at)
    if not length:
        return None
    end = _past_unit(phrase, at + length)
    if word := phrase.longest(vocabulary.EXTENTS, end):
        tells = [(vocabulary.EXTENTS[word], (at, at + length))]
        return _Extents(end + word_count(word) - at, tells)
    return _by(phrase, at, sides)


def _by(phrase: Phrase, at: int, sides: str) -> _Extents | None:
    numbers: list[tuple[int, int]] = []
    end = at
    while length := number_at(phrase, end):
        numbers.append((end, end + length))
        after = _past_unit(phrase, end + length)
        if phrase[after] not in vocabulary.BY or not number_at(phrase, after + 1):
            end = after
            break
        end = after + 1
    if len(numbers) < 2:
        return None
    return _Extents(end - at, list(zip(vocabulary.SIDES[sides], numbers, strict=False)))


def _past_unit(phrase: Phrase, at: int) -> int:
    """The position after a unit. In “3 x 3 square” the square is the thing, not a unit."""
    thing = phrase[at] in vocabulary.SHAPED and not (
        phrase[at + 1] in vocabulary.BY or phrase.longest(vocabulary.EXTENTS, at + 1)
    )
    return at + 1 if phrase[at] in vocabulary.UNITS and not thing else at
