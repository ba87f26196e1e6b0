"""A verb and the words after it as an ACTION of the grammar."""

from collections.abc import Callable, Mapping

from builder.parser import relations, vocabulary
from builder.parser.creation import (
    action_with_thing,
    action_with_thing_and_place,
    build_action,
    copy_action,
    dig_action,
    fill_action,
    finish_action,
)
from builder.parser.forms import all_of, clause, fixed
from builder.parser.movement import follow_action, get_action, is_thing, move_action, put_action
from builder.parser.phrase import Phrase
from builder.parser.places import place, starts_place
from builder.parser.rotation import facing
from builder.parser.things import number_at, without_articles
from builder.parser.verbs import GERUNDS, VERBS
from lib.logical_form import Form

_OTHER_MATTERS = frozenset({"before", "after", "because", "by", "when", "if", "so"})
_FOR_SOMEBODY = frozenset({"BUILD", "DIG", "SPAWN", "PUT", "COPY", "SCOUT"})
_PARTICLES = frozenset({"down", "up", "apart", "out", "off"})
_ALSO_NOUNS = frozenset({"place", "mine", "point", "back", "head", "form", "dance", "water", "light", "fire", "plant"})
"""Verbs that are more likely nouns after “to”."""
_JUMPED = frozenset({"into", "onto", "over", "out", "off", "to", "through", "across", "towards"})
"""Words after “jump” that lead to a place."""
_ON_THE_SPOT = frozenset({"in place", "on the spot", "in one place", "on one spot"})
_CONTROLS = ("STOP", "RESUME", "UNDO")
_EMPTY_WORDS = vocabulary.ONLY_POINTING | relations.HERE | relations.THERE | {""}


def action(verb: Phrase, kind: str, rest: Phrase) -> Form:
    """The action of a verb.

    Args:
        verb: The verb's own words, at least one.
        kind: The kind of verb (`verbs.VERBS`).
        rest: The words after it, without conditions.
    """
    if kind in _CONTROLS:
        return _control_action(kind, rest)
    if kind != "SAY":
        rest = _without_particle(kind, _without_purpose(rest))
    if kind in _FOR_SOMEBODY and rest[0] in ("me", "us") and len(rest) > 1:
        rest = rest.cut(1)
    return _KINDS[kind](verb, rest)


def _without_purpose(rest: Phrase) -> Phrase:
    """The words before a purpose: “a wall so that …”, “a pen for the pigs”, “a hole to get out”."""
    for at in range(1, len(rest)):
        verb = rest[at] == "to" and rest.longest(VERBS, at + 1) and at + 2 < len(rest) and not starts_place(rest, at)
        gift = rest[at] == "for" and not number_at(rest, at + 1)
        if gift or rest[at] in ("so", "because", "in_order") or (verb and rest[at + 1] not in _ALSO_NOUNS):
            return rest.cut(0, at)
    return rest


def _without_particle(kind: str, rest: Phrase) -> Phrase:
    """“it down” of “tear it down” becomes “it”."""
    split = kind in ("DESTROY", "GET", "COPY") and rest[-1] in _PARTICLES and len(rest) > 1
    return rest.cut(0, len(rest) - 1) if split and rest[-2] not in ("the", "straight") else rest


def _dance_action(verb: Phrase, rest: Phrase) -> Form:
    if verb.text in ("jump", "hop") and rest[0] in _JUMPED and len(rest) > 1:
        return move_action(verb, rest)
    named = verb
    if verb[0] in ("do", "perform") and len(rest):
        end = next((at for at in range(1, len(rest)) if starts_place(rest, at)), len(rest))
        named, rest = rest.cut(0, end), rest.cut(end)
    found: Form = {"action_type": "DANCE", "dance_type": {"filters": _tag_filters(named)}}
    where = place(rest) if len(rest) and starts_place(rest, 0) and rest.text not in _ON_THE_SPOT else {}
    return {**found, "location": where} if where else found


def _tag_filters(words: Phrase) -> Form:
    return {"where_clause": all_of([clause("has_tag", words.span)])}


def _facing_action(turn: str) -> Callable[[Phrase, Phrase], Form]:
    def build(verb: Phrase, rest: Phrase) -> Form:
        if turn == "body_turn" and not rest.find({"degrees", "left", "right", "around"}) and is_thing(rest):
            return action_with_thing_and_place("OTHERACTION", rest)
        turned = facing(rest, looks=turn == "look_turn") or _turned_by_itself(verb)
        return {"action_type": "DANCE", "dance_type": {turn: turned}}

    return build


def _control_action(kind: str, rest: Phrase) -> Form:
    """STOP, RESUME and UNDO, with the words for the other action if there are any."""
    found: Form = {"action_type": kind}
    until = rest.find(_OTHER_MATTERS, 1)
    core = without_articles(rest.cut(0, until[0] if until else len(rest)))
    if core.text in _EMPTY_WORDS:
        return found
    if (starts_place(rest, 0) or rest[0] in ("before", "after", "when", "if")) and rest[0] not in GERUNDS:
        return found
    return {**found, "target_action_type": core.span}


def _turned_by_itself(verb: Phrase) -> Form:
    """The turn of a verb without more words: “spin” is a full turn."""
    return {"relative_yaw": fixed("360")} if verb[0] == "spin" else {"text_span": verb.span}


def _thing_action(kind: str) -> Callable[[Phrase, Phrase], Form]:
    return lambda _, rest: action_with_thing(kind, rest)


def _thing_and_place_action(kind: str) -> Callable[[Phrase, Phrase], Form]:
    return lambda _, rest: action_with_thing_and_place(kind, rest)


def _say_action(_: Phrase, rest: Phrase) -> Form:
    return {"action_type": "SAY", "say_span": rest.span} if len(rest) else {"action_type": "OTHERACTION"}


_KINDS: Mapping[str, Callable[[Phrase, Phrase], Form]] = {
    "BUILD": build_action,
    "COPY": copy_action,
    "DESTROY": _thing_action("DESTROY"),
    "DIG": dig_action,
    "FILL": fill_action,
    "GET": get_action,
    "PUT": put_action,
    "SPAWN": _thing_and_place_action("SPAWN"),
    "FREEBUILD": finish_action,
    "MOVE": move_action,
    "FOLLOW": follow_action,
    "SCOUT": _thing_action("SCOUT"),
    "DANCE": _dance_action,
    "TURN": _facing_action("body_turn"),
    "LOOK": _facing_action("look_turn"),
    "POINT": _facing_action("point"),
    "SAY": _say_action,
    "OTHER": _thing_and_place_action("OTHERACTION"),
}
