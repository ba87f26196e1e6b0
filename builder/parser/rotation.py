"""Turning, looking and pointing: “turn 30 degrees left”, “look at the cube”, “point up”."""

from collections.abc import Mapping

from builder.parser import relations
from builder.parser.forms import fixed, special
from builder.parser.phrase import Phrase, word_count
from builder.parser.places import place
from builder.parser.things import number_at
from lib.logical_form import Form

YAWS: Mapping[str, int] = {
    "left": -90,
    "right": 90,
    "front left": -45,
    "front right": 45,
    "half left": -45,
    "half right": 45,
    "back left": -135,
    "back right": 135,
    "front": 0,
    "forward": 0,
    "forwards": 0,
    "straight": 0,
    "straight ahead": 0,
    "ahead": 0,
    "back": 180,
    "backward": 180,
    "backwards": 180,
    "behind": 180,
    "around": 180,
    "all the way around": 360,
    "all around": 360,
    "in a circle": 360,
    "in circles": 360,
    "clockwise": 360,
    "anticlockwise": -360,
    "counterclockwise": -360,
    "counter clockwise": -360,
    "north": 0,
    "east": 90,
    "south": 180,
    "west": -90,
    "northeast": 45,
    "north east": 45,
    "southeast": 135,
    "south east": 135,
    "southwest": -135,
    "south west": -135,
    "northwest": -45,
    "north west": -45,
}
"""Degrees to the right of the agent's present direction. “Around” is half a turn, because people mean “turn back”."""
_FULL_TURNS: Mapping[str, int] = {
    f"{lead} {way}": degrees
    for lead in ("all the way around", "all around")
    for way, degrees in (
        ("clockwise", 360),
        ("anticlockwise", -360),
        ("antiuclockwise", -360),
        ("counterclockwise", -360),
        ("counter clockwise", -360),
    )
}
PITCHES: Mapping[str, int] = {
    "up": 90,
    "down": -90,
    "upward": 90,
    "upwards": 90,
    "downward": -90,
    "downwards": -90,
    "half up": 45,
    "half down": -45,
}
_LEADS = frozenset(
    {"to", "to the", "to my", "to your", "to your own", "towards the", "toward the", "your", "over to the", "by", "for"}
    | {"it", "yourself", "your head", "my", "the", "on your", "to face", "straight"}
)
_DEGREES = frozenset({"degree", "degrees", "deg", "°"})
_AT = frozenset({"at", "to", "towards", "toward", "to face", "over at", "out at", "into", "out to", "up at", "down at"})
_TAILS = frozenset({"side", "a little", "a bit", "now", "slightly", "direction", "hand side"})


def facing(phrase: Phrase, *, looks: bool = False) -> Form:
    """The FACING of the words after “turn”, “look” or “point”; empty for no words.

    Args:
        looks: Whether the verb is about eyes. “Around” then means the surroundings.
    """
    if looks and phrase.text in ("around", "all around", "around you"):
        return {"location": {"relative_direction": "AROUND", "reference_object": special("AGENT")}}
    return _turned_by(phrase) or _turned_to(_bare(phrase)) or _turned_at(phrase)


def _turned_by(phrase: Phrase) -> Form:
    """A turn by a number of degrees, with or without a side."""
    number = next((at for at in range(len(phrase)) if number_at(phrase, at)), None)
    if number is None:
        return {}
    after = number + number_at(phrase, number)
    degrees = int(phrase[after] in _DEGREES)
    lead, tail = phrase.cut(0, number).text, _bare(phrase.cut(after + degrees))
    if not degrees and (len(tail) or number > 1):
        return {}
    first = number
    if lead in YAWS or lead in PITCHES:
        first = 0
    sided = lead if first == 0 and number else tail.text
    last = after + degrees + (len(phrase) - after - degrees if tail.text in YAWS or tail.text in PITCHES else 0)
    words = phrase.cut(first, last).span
    if sided in PITCHES:
        return {"relative_pitch": {"pitch_span": words}}
    if sided in YAWS:
        return {"relative_yaw": {"yaw_span": words}}
    signed = lead == "by" or not degrees or phrase[number].startswith("-")
    return {"yaw": words} if signed else {"relative_yaw": {"yaw_span": words}}


def _turned_to(phrase: Phrase) -> Form:
    for table, key in ((_FULL_TURNS, "relative_yaw"), (YAWS, "relative_yaw"), (PITCHES, "relative_pitch")):
        if phrase.text in table:
            return {key: fixed(str(table[phrase.text]))}
    return {}


def _turned_at(phrase: Phrase) -> Form:
    if not len(phrase):
        return {}
    lead, related = phrase.longest(_AT), phrase.longest(relations.RELATIONS)
    sided = related and word_count(related) > word_count(lead or "")
    rest = phrase.cut(word_count(lead)) if lead and not sided else phrase
    found = place(rest)
    return {"location": found} if found else {}


def _bare(phrase: Phrase) -> Phrase:
    """The phrase without the words around a direction."""
    while len(phrase) > 1 and (lead := phrase.longest(_LEADS)) and word_count(lead) < len(phrase):
        phrase = phrase.cut(word_count(lead))
    for length in (2, 1):
        if len(phrase) > length and phrase.cut(len(phrase) - length).text in _TAILS:
            phrase = phrase.cut(0, len(phrase) - length)
    return phrase
