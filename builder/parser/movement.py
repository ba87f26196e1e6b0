"""Actions that move a thing or a figure: GET, putting things at a place, MOVE."""

from builder.parser import relations, vocabulary
from builder.parser.creation import POINTED_AT, action_with_thing, build_action
from builder.parser.forms import special
from builder.parser.phrase import Phrase, word_list
from builder.parser.places import place, starts_place, thing
from builder.parser.things import number_at
from lib.logical_form import Form

_ARRIVING = frozenset({"enter"})
_LEAVING = frozenset({"exit", "leave", "escape"})
_WAYS = frozenset(word_list("in into on onto out off to back over behind away under inside"))
"""Words after “get” and “take me” that lead to a place."""
_MOVED = vocabulary.POINTING | vocabulary.ONLY_POINTING | {"the", "a", "an", "all", "my", "every", "some", "your"}
_DEFINITE = vocabulary.POINTING | {"the", "it", "my", "your", "them"}
_WHITHER = frozenset({"to", "towards", "toward", "into", "onto", "closer", "back to"})
_BESIDE = frozenset({"next", "close", "closest", "nearest", "adjacent"})
"""Words before “to” that make it describe the thing's present place."""
_A_LITTLE = frozenset({"a bit", "a little", "any further"})
_ENDS = (special("SPEAKER"), special("AGENT"))


def get_action(verb: Phrase, rest: Phrase) -> Form:
    """GET. “Get in”, “take me there” and “take five steps” are MOVE."""
    somebody = bool(rest.longest(vocabulary.SPEAKER))
    if verb[0] in ("get", "take") and (rest[0] in _WAYS or (somebody and rest[1] in _WAYS)):
        return move_action(verb, rest.cut(1) if somebody else rest)
    if verb.text == "bring" and somebody and rest[1] == "to":
        return move_action(verb, rest.cut(1))
    if verb.text == "take" and "steps" in place(rest):
        return move_action(verb, rest)
    found: Form = {"action_type": "GET"}
    if rest[0] in ("me", "us") and len(rest) > 1:
        found["receiver"] = {"reference_object": special("SPEAKER")}
        rest = rest.cut(1)
    if origin := rest.find({"from"}, 1):
        source = place(rest.cut(origin[0] + 1))
        found |= {"source": {"location": source}} if source else {}
        rest = rest.cut(0, origin[0])
    whither = (at for at in range(1, len(rest)) if _receives(rest, at) and rest[at - 1] not in _BESIDE)
    at = next(whither, len(rest))
    if what := thing(rest.cut(0, at)):
        found["reference_object"] = what
    return {**found, **_receiver(rest.cut(at))}


def put_action(verb: Phrase, rest: Phrase) -> Form:
    """BUILD for a new thing, GET with a receiver for an existing one."""
    if rest[0] not in _DEFINITE:
        return build_action(verb, rest)
    return _carry_action(rest)


def move_action(verb: Phrase, rest: Phrase) -> Form:
    """MOVE. “Move” followed by a thing is GET with a receiver."""
    if verb.text == "move" and is_thing(rest):
        return _carry_action(rest)
    if rest[0] in ("us", "me", "yourself") and len(rest) > 1:
        rest = rest.cut(1)
    where = place(rest)
    if rest.text in relations.HERE or (not where and verb[0] == "come"):
        where = {"reference_object": special("SPEAKER")}
    elif verb.text == "back up" and "relative_direction" not in where:
        where |= {"relative_direction": "BACK", "reference_object": special("AGENT")}
    elif verb.text in _ARRIVING | _LEAVING and "relative_direction" not in where:
        where |= {"relative_direction": "INSIDE" if verb.text in _ARRIVING else "OUTSIDE"}
    elif where and set(where) <= {"steps", "has_measure"}:
        where |= {"relative_direction": "FRONT", "reference_object": special("AGENT")}
    return {"action_type": "MOVE", **({"location": where} if where else {})}


def follow_action(verb: Phrase, rest: Phrase) -> Form:
    return {**move_action(verb, rest), "terminate_condition": {"condition_type": "NEVER"}}


def is_thing(rest: Phrase) -> bool:
    """True if the words after “move” are a thing and not a place. The agent itself is not a thing."""
    if rest.cut(0, 2).text in vocabulary.AGENT or rest[0] in vocabulary.AGENT or rest[0] in ("us", "me"):
        return False
    if rest[1] in vocabulary.STEPS or rest.cut(0, 2).text in _A_LITTLE or starts_place(rest, 0):
        return False
    leads = rest[0] in relations.TOWARDS or rest[0] in relations.RELATIONS or rest[0] in relations.DIRECTIONS
    bare = not leads and any(_receives(rest, at) for at in range(1, len(rest))) and not number_at(rest, 0)
    return rest[0] in _MOVED or bare


def _carry_action(rest: Phrase) -> Form:
    """GET with an existing thing, and the place to bring it to."""
    at = next((at for at in range(1, len(rest)) if starts_place(rest, at) or _receives(rest, at)), len(rest))
    return {**action_with_thing("GET", rest.cut(0, at)), **_receiver(rest.cut(at))}


def _receives(rest: Phrase, at: int) -> bool:
    """True if these words are the place to bring a thing to, and not the place where it is."""
    whither = rest.longest(_WHITHER, at)
    return bool(whither or (rest.longest(POINTED_AT, at) and rest[at - 1] not in ("from", "the", "to")))


def _receiver(words: Phrase) -> Form:
    where = place(words)
    if not where:
        return {}
    if set(where) == {"reference_object"} and where["reference_object"] in _ENDS:
        return {"receiver": where}
    return {"receiver": {"location": where}}
