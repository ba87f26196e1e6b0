"""Descriptions of things without their places: “the two big red cubes”, “a stone wall 5 blocks high”."""

import re
from dataclasses import dataclass, field
from typing import Any

from annotation.logical_form import Form
from interaction.builder.parser import vocabulary
from interaction.builder.parser.forms import MOST_CLAUSES, all_of, clause, fixed
from interaction.builder.parser.phrase import Phrase, size_of

_DIGITS = re.compile(r"-?\d+(\.\d+)?$")
_SIZES_AT_ONCE = re.compile(r"\d+([x×*]\d+)+$")


@dataclass
class Description:
    """What is told of a thing, gathered word by word.

    Attributes:
        rank: Most or least, and of what (`vocabulary.RANKS`).
        source: From whom a distance is measured; None: nobody is named.
        count: The words that say how many.
        order: The word that says which in the row: “third”.
        same: Whether those may be alike; things to build may, things that are there may not.
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

    def tell(self, predicate: str, what: Phrase, *, instead: bool = False) -> None:
        """Adds a clause; `instead`: or the one told last, of which one is enough."""
        if not len(what):
            return
        told = clause(predicate, what.span)
        if instead and self.clauses:
            last = self.clauses.pop()
            self.clauses.append({"OR": [*last.get("OR", [last]), told][:MOST_CLAUSES]})
        elif len(self.clauses) < MOST_CLAUSES:
            self.clauses.append(told)

    def filters(self) -> Form:
        """The grammar's FILTERS; empty where nothing is told."""
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


def described(phrase: Phrase, *, sides: str = "build", same: str = "DISALLOWED") -> Description:
    """What these words tell of a thing; every word is read, those that are not known are its name.

    Args:
        sides: What the numbers of “5 x 5” are (`vocabulary.SIDES`).
        same: Whether several may be alike.
    """
    told = Description(same=same)
    name = _before_name(told, phrase, sides)
    end = 1 if name[0] in vocabulary.VAGUE else len(name)
    end = next((at for at in range(1, end) if _extent(name, at, sides)), end)
    if name.cut(0, end).text not in vocabulary.VAGUE:
        told.tell("has_name", name.cut(0, end))
    rest = name.cut(end)
    if len(rest):
        _after_name(told, rest, sides)
    elif name[0] in vocabulary.VAGUE:
        told.every = told.every or name[0] == "everything"
    return told


def tell_likeness(told: Description, phrase: Phrase, *, sides: str = "build") -> None:
    """Adds what words after “that is” say: adjectives and measures; what is not known is a tag."""
    if phrase[0] == "not" and len(phrase) > 1:
        tell_unlikeness(told, phrase.cut(1), sides=sides)
    else:
        _after_name(told, phrase, sides)


def tell_unlikeness(told: Description, phrase: Phrase, *, sides: str = "build") -> None:
    """Adds that none of this is true of it."""
    unlike = described(phrase, sides=sides).clauses
    if unlike and len(told.clauses) < MOST_CLAUSES:
        told.clauses.append({"NOT": unlike})


def extent_at(phrase: Phrase, at: int) -> int:
    """How many words from here on are measures of a thing: “5 blocks high”; 0 if none."""
    found = _extent(phrase, at, "build")
    return found.length if found else 0


def number_at(phrase: Phrase, at: int) -> int:
    """How many words from here on are a number; 0 if none."""
    if few := phrase.longest(vocabulary.FEW, at):
        return size_of(few)
    length = 0
    while at + length < len(phrase):
        if _DIGITS.match(phrase[at + length]):
            length += 1
            break
        word = phrase.longest(vocabulary.NUMBERS, at + length)
        if not word:
            break
        length += size_of(word)
    return length


def without_articles(phrase: Phrase) -> Phrase:
    """The phrase from its first word that is no article."""
    start = next((at for at in range(len(phrase)) if phrase[at] not in vocabulary.ARTICLES), len(phrase))
    return phrase.cut(start)


def _before_name(told: Description, phrase: Phrase, sides: str) -> Phrase:
    """Reads the words before the name; gives the name and what follows it."""
    at = 0
    last: tuple[int, str] | None = None
    while at < len(phrase):
        length = _modifier(told, phrase, at, sides)
        if length:
            last = None
        else:
            joint = _joint(phrase, at)
            predicate, length = _adjective(phrase, at + joint)
            if not length:
                break
            told.tell(predicate, phrase.cut(at + joint, at + joint + length), instead=phrase[at] == "or")
            last = (at + joint, predicate)
            length += joint
        at += length
    if at == len(phrase) and last and last[1] in ("has_block_type", "has_tag") and told.clauses:
        # “a square”, “get wood”: with nothing behind it the word is the name itself.
        told.clauses.pop()
        return phrase.cut(last[0])
    return phrase.cut(at)


def _after_name(told: Description, phrase: Phrase, sides: str) -> None:
    at = 0
    while at < len(phrase):
        if length := _modifier(told, phrase, at, sides):
            at += length
            continue
        predicate, length = _adjective(phrase, at)
        if length:
            told.tell(predicate, phrase.cut(at, at + length), instead=at > 0 and phrase[at - 1] == "or")
        elif phrase[at] in ("and", "or", "but"):
            length = 1
        else:
            told.tell("has_tag", phrase.cut(at))
            return
        at += length


def _modifier(told: Description, phrase: Phrase, at: int, sides: str) -> int:
    """Reads one word or group that is no adjective; gives its length, 0 if there is none."""
    left = len(phrase) - at
    if found := phrase.longest(vocabulary.ALL, at):
        told.every = True
        return size_of(found)
    if (left == 1 and phrase[at] in vocabulary.ONLY_POINTING) or (left > 1 and phrase[at] in vocabulary.POINTING):
        told.coreference = True
        return 1
    if extents := _extent(phrase, at, sides):
        for predicate, (first, end) in extents.tells:
            told.tell(predicate, phrase.cut(first, end))
        return extents.length
    if left > 1 and (found := phrase.longest(vocabulary.RANKS, at)) and not told.rank:
        told.rank = vocabulary.RANKS[found]
        return size_of(found)
    if left > 1 and phrase[at] in vocabulary.ORDINALS and not told.order:
        told.order = phrase.cut(at, at + 1)
        return 1
    if (length := number_at(phrase, at)) and length < left and not told.count:
        told.count = phrase.cut(at, at + length)
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
            return predicate, size_of(found)
    return "", 0


def _joint(phrase: Phrase, at: int) -> int:
    """1 where “and” or “or” stands between two adjectives, else 0."""
    between = at > 0 and phrase[at] in ("and", "or") and _adjective(phrase, at - 1)[1] and _adjective(phrase, at + 1)[1]
    return int(bool(between))


@dataclass(frozen=True)
class _Extents:
    """How many words measures take, and what they tell: predicates with the places of their words."""

    length: int
    tells: list[tuple[str, tuple[int, int]]]


def _extent(phrase: Phrase, at: int, sides: str) -> _Extents | None:
    """“5 blocks high”, “5 x 5 x 15”, “with a height of 5”, if it stands here."""
    if _SIZES_AT_ONCE.match(phrase[at]):
        return _Extents(1, [("has_size", (at, at + 1))])
    if lead := phrase.longest(vocabulary.MEASURED, at):
        first = at + size_of(lead)
        if length := number_at(phrase, first):
            end = _past_unit(phrase, first + length)
            return _Extents(end - at, [(vocabulary.MEASURED[lead], (first, first + length))])
    length = number_at(phrase, at)
    if not length:
        return None
    end = _past_unit(phrase, at + length)
    if word := phrase.longest(vocabulary.EXTENTS, end):
        tells = [(vocabulary.EXTENTS[word], (at, at + length))]
        return _Extents(end + size_of(word) - at, tells)
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
    """The place behind a measure; “3 x 3 square” has none, the square is the thing."""
    thing = phrase[at] in vocabulary.SHAPED and not (
        phrase[at + 1] in vocabulary.BY or phrase.longest(vocabulary.EXTENTS, at + 1)
    )
    return at + 1 if phrase[at] in vocabulary.UNITS and not thing else at
