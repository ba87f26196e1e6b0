"""What a verb and the words behind it ask for, as the grammar's ACTION."""

from collections.abc import Callable, Mapping

from annotation.logical_form import Form
from interaction.builder.parser import relations, vocabulary
from interaction.builder.parser.forms import all_of, clause, fixed
from interaction.builder.parser.making import built, copied, dug, filled, finished, with_thing, with_thing_and_place
from interaction.builder.parser.moving import followed, got, is_thing, moved, put
from interaction.builder.parser.phrase import Phrase
from interaction.builder.parser.places import place, starts_place
from interaction.builder.parser.things import number_at, without_articles
from interaction.builder.parser.turning import facing
from interaction.builder.parser.verbs import GERUNDS, VERBS

_OTHER_MATTERS = frozenset({"before", "after", "because", "by", "when", "if", "so"})
_FOR_SOMEBODY = frozenset({"BUILD", "DIG", "SPAWN", "PUT", "COPY", "SCOUT"})
_PARTICLES = frozenset({"down", "up", "apart", "out", "off"})
_ALSO_NOUNS = frozenset({"place", "mine", "point", "back", "head", "form", "dance", "water", "light", "fire", "plant"})
"""Verbs that behind “to” are rather things."""
_JUMPED = frozenset({"into", "onto", "over", "out", "off", "to", "through", "across", "towards"})
"""Words behind “jump” that lead somewhere."""
_ON_THE_SPOT = frozenset({"in place", "on the spot", "in one place", "on one spot"})
_MEANT = ("STOP", "RESUME", "UNDO")
_SAYS_NOTHING = vocabulary.ONLY_POINTING | relations.HERE | relations.THERE | {""}


def action(verb: Phrase, kind: str, rest: Phrase) -> Form:
    """The action of a verb.

    Args:
        verb: The verb's own words, at least one.
        kind: What kind it is (`verbs.VERBS`).
        rest: The words behind it, without conditions.
    """
    if kind in _MEANT:
        return _of_actions(kind, rest)
    if kind != "SAY":
        rest = _without_particle(kind, _without_purpose(rest))
    if kind in _FOR_SOMEBODY and rest[0] in ("me", "us") and len(rest) > 1:
        rest = rest.cut(1)
    return _KINDS[kind](verb, rest)


def _without_purpose(rest: Phrase) -> Phrase:
    """The words up to what it is done for: “a wall so that …”, “a pen for the pigs”, “a hole to get out”."""
    for at in range(1, len(rest)):
        verb = rest[at] == "to" and rest.longest(VERBS, at + 1) and at + 2 < len(rest) and not starts_place(rest, at)
        gift = rest[at] == "for" and not number_at(rest, at + 1)
        if gift or rest[at] in ("so", "because", "in_order") or (verb and rest[at + 1] not in _ALSO_NOUNS):
            return rest.cut(0, at)
    return rest


def _without_particle(kind: str, rest: Phrase) -> Phrase:
    """“it down” of “tear it down” is “it”."""
    split = kind in ("DESTROY", "GET", "COPY") and rest[-1] in _PARTICLES and len(rest) > 1
    return rest.cut(0, len(rest) - 1) if split and rest[-2] not in ("the", "straight") else rest


def _danced(verb: Phrase, rest: Phrase) -> Form:
    if verb.text in ("jump", "hop") and rest[0] in _JUMPED and len(rest) > 1:
        return moved(verb, rest)
    named = verb
    if verb[0] in ("do", "perform") and len(rest):
        end = next((at for at in range(1, len(rest)) if starts_place(rest, at)), len(rest))
        named, rest = rest.cut(0, end), rest.cut(end)
    found: Form = {"action_type": "DANCE", "dance_type": {"filters": _tagged(named)}}
    where = place(rest) if len(rest) and starts_place(rest, 0) and rest.text not in _ON_THE_SPOT else {}
    return {**found, "location": where} if where else found


def _tagged(words: Phrase) -> Form:
    return {"where_clause": all_of([clause("has_tag", words.span)])}


def _faced(turn: str) -> Callable[[Phrase, Phrase], Form]:
    def build(verb: Phrase, rest: Phrase) -> Form:
        if turn == "body_turn" and not rest.find({"degrees", "left", "right", "around"}) and is_thing(rest):
            return with_thing_and_place("OTHERACTION", rest)
        turned = facing(rest, looks=turn == "look_turn") or _turned_by_itself(verb)
        return {"action_type": "DANCE", "dance_type": {turn: turned}}

    return build


def _of_actions(kind: str, rest: Phrase) -> Form:
    """STOP, RESUME and UNDO, with the words for which action, if there are any."""
    found: Form = {"action_type": kind}
    until = rest.find(_OTHER_MATTERS, 1)
    core = without_articles(rest.cut(0, until[0] if until else len(rest)))
    if core.text in _SAYS_NOTHING:
        return found
    if (starts_place(rest, 0) or rest[0] in ("before", "after", "when", "if")) and rest[0] not in GERUNDS:
        return found
    return {**found, "target_action_type": core.span}


def _turned_by_itself(verb: Phrase) -> Form:
    """What a verb with nothing behind it says: who spins turns all the way around."""
    return {"relative_yaw": fixed("360")} if verb[0] == "spin" else {"text_span": verb.span}


def _thing_of(kind: str) -> Callable[[Phrase, Phrase], Form]:
    return lambda _, rest: with_thing(kind, rest)


def _thing_and_place_of(kind: str) -> Callable[[Phrase, Phrase], Form]:
    return lambda _, rest: with_thing_and_place(kind, rest)


def _said(_: Phrase, rest: Phrase) -> Form:
    return {"action_type": "SAY", "say_span": rest.span} if len(rest) else {"action_type": "OTHERACTION"}


_KINDS: Mapping[str, Callable[[Phrase, Phrase], Form]] = {
    "BUILD": built,
    "COPY": copied,
    "DESTROY": _thing_of("DESTROY"),
    "DIG": dug,
    "FILL": filled,
    "GET": got,
    "PUT": put,
    "SPAWN": _thing_and_place_of("SPAWN"),
    "FREEBUILD": finished,
    "MOVE": moved,
    "FOLLOW": followed,
    "SCOUT": _thing_of("SCOUT"),
    "DANCE": _danced,
    "TURN": _faced("body_turn"),
    "LOOK": _faced("look_turn"),
    "POINT": _faced("point"),
    "SAY": _said,
    "OTHER": _thing_and_place_of("OTHERACTION"),
}
