"""The part of the grammar for places: reference objects, locations, distances, turns.

Where the sources differ, real data decides: a turn to the left is negative, as in every annotated command (the
specification says positive), and a look upwards is positive.
"""

from collections.abc import Mapping

from lib.logical_form.grammar.types import (
    AnyNode,
    Box,
    Fixed,
    Flag,
    Json,
    Key,
    Node,
    Of,
    OneOf,
    Option,
    Shape,
    Span,
    Word,
)
from lib.logical_form.grammar.values import MEASURE

_OLD_SPAN = {"$ref": "#/$defs/SPAN"}
_ANYTHING: dict[str, Json] = {"type": "object"}

_LINEAR_EXTENT = Node(
    "LINEAR_EXTENT",
    "the distance",
    (
        Key("source", Of("END"), "from where it is measured"),
        Key("destination", Of("END"), "to where it is measured"),
        Key(
            "relative_direction",
            Word(
                tuple(
                    Option(value, label)
                    for value, label in (
                        ("LEFT", "to the left"),
                        ("RIGHT", "to the right"),
                        ("UP", "up"),
                        ("DOWN", "down"),
                        ("FRONT", "to the front"),
                        ("BACK", "to the back"),
                        ("AWAY", "away"),
                        ("INSIDE", "inside"),
                        ("OUTSIDE", "outside"),
                    )
                )
            ),
            "in which direction",
            rare=True,
        ),
        Key(
            "frame",
            OneOf(
                (
                    Shape(
                        "known",
                        "",
                        Fixed(
                            (
                                Option("SPEAKER", "as the person who speaks sees it"),
                                Option("AGENT", "as the assistant sees it"),
                                Option("ABSOLUTE", "as the world lies"),
                            )
                        ),
                    ),
                    Shape("player_span", "as somebody else sees it", Box("player_span", Span())),
                )
            ),
            "as who sees it",
            rare=True,
        ),
        Key("has_measure", MEASURE, "in which measure", rare=True),
    ),
)
_END = Node(
    "END",
    "that end",
    (
        Key("reference_object", Of("REFERENCE_OBJECT"), "a thing or a person", role=None),
        Key("location", Of("LOCATION"), "a place", role=None),
    ),
    rule=lambda end: (
        "It is either a thing (reference_object) or a place (location), not both." if len(end) > 1 else None
    ),
    tells="Is it a thing or a person, or a place?",
    rule_schema={"maxProperties": 1},
)
_WORDS = Key("text_span", Span(), "which words say so", "Which words say it, all together?")
DIRECTIONS = Word(
    (
        Option("LEFT", "to the left of it", "*left of* the house"),
        Option("RIGHT", "to the right of it"),
        Option("UP", "above it, or up", "*on top of* the tower"),
        Option("DOWN", "below it, or down", "*under* the bridge"),
        Option("FRONT", "in front of it, or forward"),
        Option("BACK", "behind it, or back"),
        Option("NEAR", "near it", "*next to* the tree"),
        Option("INSIDE", "inside it", "*in* the house"),
        Option("OUTSIDE", "outside it"),
        Option("AROUND", "around it"),
        Option("AWAY", "away from it"),
        Option("BETWEEN", "between two things", "*between* the trees"),
        Option("CLOCKWISE", "clockwise around it"),
        Option("ANTICLOCKWISE", "anticlockwise around it"),
    )
)
_REFERENCE_OBJECT = Node(
    "REFERENCE_OBJECT",
    "the thing",
    (
        _WORDS,
        Key(
            "filters",
            Of("FILTERS"),
            "a thing that the words describe",
            role=None,
            example="*the red house*, *it*, *all trees*",
        ),
        Key(
            "special_reference",
            OneOf(
                (
                    Shape(
                        "known",
                        "",
                        Fixed(
                            (
                                Option("SPEAKER", "the person who speaks", "come to *me*"),
                                Option("AGENT", "the assistant", "behind *you*"),
                                Option("SPEAKER_LOOK", "what the person who speaks looks at", "build *here*"),
                            )
                        ),
                    ),
                    Shape(
                        "coordinates",
                        "a place given in numbers",
                        Box("coordinates_span", Span()),
                        example="go to *4, 5, 6*",
                    ),
                )
            ),
            "the speaker, the assistant, where the speaker looks, or numbers",
            "Who or what is it?",
            role=None,
            example="to *me*, behind *you*, *here*, *4, 5, 6*",
            old=({"enum": ["SPEAKER", "AGENT"]},),
        ),
    ),
    tells="What is it?",
    old={"reference_object_2": _ANYTHING},
)


def _place_rule(place: Mapping[str, Json]) -> str | None:
    two = [name for name in ("reference_object_1", "reference_object_2") if name in place]
    if len(two) == 1:
        return "A place between two things has both of them: reference_object_1 and reference_object_2."
    if two and "reference_object" in place:
        return "A place lies between two things or is seen from one (reference_object), not both."
    return None


_LOCATION = Node(
    "LOCATION",
    "the place",
    (
        _WORDS,
        Key(
            "reference_object",
            Of("REFERENCE_OBJECT"),
            "a thing or a person that tells where",
            role="the thing or person that tells where",
            example="next to *the house*, behind *me*",
        ),
        Key(
            "relative_direction",
            DIRECTIONS,
            "in which direction",
            "Where exactly?",
            example="*left of* the house, *up*",
        ),
        Key("contains_coreference", Flag(), "only “there”, “over here” or the like", example="go *there*"),
        Key("steps", Span(), "how far, in numbers", example="move *five* steps"),
        Key("has_measure", MEASURE, "in which measure", example="five *blocks*"),
        Key(
            "reference_object_1",
            Of("REFERENCE_OBJECT"),
            "two things that it lies between",
            role="the first of the two things",
            example="*between the house and the river*",
            needs=("relative_direction", "BETWEEN"),
            brings="reference_object_2",
            rare=True,
        ),
        Key(
            "reference_object_2",
            Of("REFERENCE_OBJECT"),
            "the second of the two things",
            needs=("relative_direction", "BETWEEN"),
            rare=True,
        ),
        Key(
            "location_type", Word((Option("OTHER", "a place that none of this fits"),)), "none of this fits", rare=True
        ),
    ),
    tells="How do the words say where?",
    rule=_place_rule,
    rule_schema={
        "dependentRequired": {
            "reference_object_1": ["reference_object_2"],
            "reference_object_2": ["reference_object_1"],
        },
        "not": {"required": ["reference_object", "reference_object_1"]},
    },
    old={"location_type": {"enum": ["REFERENCE_OBJECT", "AGENT_POS", "SPEAKER_POS"]}},
)


def _turns(*values: tuple[int, str]) -> Fixed:
    return Fixed(tuple(Option(str(degrees), label) for degrees, label in values))


_YAWS = _turns(
    (-90, "to the left, or west"),
    (90, "to the right, or east"),
    (-45, "half left, or north-west"),
    (45, "half right, or north-east"),
    (-135, "back and left, or south-west"),
    (135, "back and right, or south-east"),
    (180, "to the back, or south"),
    (-180, "to the back, over the left"),
    (360, "all the way around, clockwise"),
    (-360, "all the way around, anticlockwise"),
    (0, "straight ahead, or north"),
)
_PITCHES = _turns((90, "up"), (-90, "down"), (45, "half up"), (-45, "half down"))
_FACING = Node(
    "FACING",
    "the turn",
    (
        _WORDS,
        Key(
            "relative_yaw",
            OneOf(
                (
                    Shape("known", "", _YAWS),
                    Shape(
                        "yaw_span", "these words of the command", Box("yaw_span", Span()), example="*30 degrees left*"
                    ),
                )
            ),
            "to which side, from where it looks now",
            "To which side?",
            example="turn *left*",
            old=({"type": "object", "properties": {"angle": {"type": "string"}}, "required": ["angle"]}, _OLD_SPAN),
        ),
        Key(
            "relative_pitch",
            OneOf(
                (
                    Shape("known", "", _PITCHES),
                    Shape("pitch_span", "these words of the command", Box("pitch_span", Span())),
                )
            ),
            "up or down, from where it looks now",
            "Up or down?",
            example="look *up*",
            old=(_OLD_SPAN,),
        ),
        Key("location", Of("LOCATION"), "at what or where to", example="look at *the house*"),
        Key(
            "yaw",
            Span(),
            "by how many degrees, to no side",
            "Which words say how far to turn?",
            example="turn by *95 degrees*",
        ),
        Key("pitch", Span(), "how far up or down, in degrees", rare=True),
        Key("yaw_pitch", Span(), "both turns in numbers", rare=True),
    ),
    tells="How do the words say where to turn or look?",
)


NODES: Mapping[str, AnyNode] = {
    **{node.name: node for node in (_LINEAR_EXTENT, _END, _REFERENCE_OBJECT, _LOCATION, _FACING)},
}
