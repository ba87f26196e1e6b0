"""The part of the grammar that describes things and places: filters, clauses, selectors, values, locations, turns.

What is true of real data decides where sources differ: a turn to the left is negative, as in every annotated command
(the specification says positive), and looking up is positive.
"""

from collections.abc import Mapping

from annotation.logical_form.types import (
    AnyNode,
    Box,
    Clauses,
    Fixed,
    Flag,
    Json,
    Key,
    Node,
    Of,
    OneOf,
    Option,
    Shape,
    Some,
    Span,
    Template,
    Word,
)

_OLD_SPAN = {"$ref": "#/$defs/SPAN"}
_ANYTHING: dict[str, Json] = {"type": "object"}

# Properties and clauses ----------------------------------------------------------------------------------------

USUAL = (
    Option("has_name", "what it is", "build a *house*"),
    Option("has_colour", "its colour", "the *red* cube"),
    Option("has_size", "how big it is", "a *huge* tower"),
    Option("has_block_type", "what it is made of", "a *stone* wall"),
    Option("has_tag", "what it is like, or what it is called by the worker", "the thing I called *home*"),
    Option("has_height", "how high it is", "a wall *5 blocks* high"),
    Option("has_width", "how wide it is", "*3 blocks* wide"),
    Option("has_depth", "how deep it is", "a hole *4* deep"),
    Option("has_length", "how long it is", "a road *20 blocks* long"),
)
RARE = (
    Option("has_thickness", "how thick it is", "a wall *two* thick"),
    Option("has_shape", "its shape", "a *round* tower"),
    Option("has_orientation", "how it is turned", "a wall lying *flat*"),
    Option("has_radius", "its radius", "a circle of radius *4*"),
    Option("has_distance", "how far away it is", "the tree *10 steps* away"),
)
_KNOWN_TAGS = (
    Option("SELF", "the assistant itself"),
    Option("SPEAKER", "the person who speaks"),
    Option("CURRENTLY_RUNNING", "what the assistant is doing now", "what are you *doing*"),
    Option("FINISHED", "what the assistant has finished"),
    Option("THIS", "this very command"),
)
_OBJECT = OneOf(
    (
        Shape("words", "these words of the command", Span()),
        Shape("filters", "something that must be described", Box("filters", Of("FILTERS")), marks=("filters",)),
        Shape("known", "something with a name of its own", Fixed(_KNOWN_TAGS, others=True)),
    )
)
_CLAUSE = OneOf(
    (
        Shape("property", "something it has or is", Of("TRIPLE"), marks=("pred_text",)),
        Shape(
            "comparison",
            "a comparison",
            Of("COMPARATOR"),
            marks=("comparison_type",),
            example="towers *higher than 5 blocks*",
        ),
        Shape(
            "OR",
            "one of several is enough",
            Box("OR", Some(Of("CLAUSE"), ("thing that is enough", "things of which one is enough"))),
            example="a *red or blue* cube",
        ),
        Shape(
            "NOT",
            "something it is not",
            Box("NOT", Some(Of("CLAUSE"), ("thing it is not", "things it is not"))),
            example="everything that is *not red*",
        ),
        Shape(
            "AND",
            "several things together",
            Box("AND", Some(Of("CLAUSE"), ("thing that must be so", "things that must all be so"))),
        ),
    )
)
_TRIPLE = Node(
    "TRIPLE",
    "what it has or is",
    (
        Key("pred_text", Word(USUAL + RARE), "what is told about it", "What is told about it?", required=True),
        Key("obj_text", _OBJECT, "what that is", "What says it?", required=True),
        Key("subj_text", _OBJECT, "of whom that is told", rare=True),
    ),
)
_WHERE = Clauses("WHERE", "what must be true of it", USUAL, RARE, _CLAUSE)

# Values and comparisons ----------------------------------------------------------------------------------------

_ATTRIBUTES = (
    Option("HEIGHT", "the height"),
    Option("WIDTH", "the width"),
    Option("SIZE", "the size"),
    Option("COLOUR", "the colour", "*what colour* is this"),
    Option("NAME", "the name", "*what is* that"),
    Option("TAG", "what it is called or like"),
    Option("LOCATION", "where it is", "*where* is the house"),
    Option("BLOCK_TYPE", "what it is made of", "*what is* this *made of*"),
    Option("BORN_TIME", "when it was made", "the *last* house you made"),
    Option("MODIFY_TIME", "when it was changed"),
    Option("VISIT_TIME", "when it was visited"),
    Option("FINISHED_TIME", "when it was finished"),
    Option("CURRENT_TIME", "what time it is now", "*what time* is it"),
    Option("RUN_COUNT", "how often it was done"),
    Option("X", "how far east it is (x)"),
    Option("Y", "how high up it is (y)"),
    Option("Z", "how far north it is (z)"),
    Option("REF_TYPE", "what kind of thing it is"),
    Option("HEAD_PITCH", "how far up the head looks"),
    Option("HEAD_YAW", "where the head is turned"),
    Option("BODY_YAW", "where the body is turned"),
    Option("SPEAKER", "who said it"),
    Option("CHAT", "what was said"),
    Option("LOGICAL_FORM", "what was understood"),
)
ATTRIBUTE = OneOf(
    (
        Shape("name", "one of these", Word(_ATTRIBUTES)),
        Shape(
            "linear_extent",
            "how far it is from something",
            Box("linear_extent", Of("LINEAR_EXTENT")),
            example="the tree *nearest* to me",
        ),
        Shape(
            "num_blocks",
            "how many blocks of a kind it has",
            Box("num_blocks", Of("NUM_BLOCKS")),
            example="the house with *most red blocks*",
        ),
        Shape("task_info", "something about what was done", Box("task_info", Of("TASK_INFO"))),
    )
)
_MEASURE = OneOf(
    (
        Shape("words", "these words of the command", Span()),
        Shape("known", "a usual measure", Fixed((Option("block", "blocks"), Option("meter", "metres")), others=True)),
    )
)
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
        Key("has_measure", _MEASURE, "in which measure", rare=True),
    ),
)
_END = Node(
    "END",
    "that end",
    (
        Key("reference_object", Of("REFERENCE_OBJECT"), "a thing or a person"),
        Key("location", Of("LOCATION"), "a place"),
    ),
    rule=lambda end: "It has either a reference_object or a location." if len(end) > 1 else None,
    rule_schema={"maxProperties": 1},
)
_VALUE = OneOf(
    (
        Shape("value", "these words of the command", Box("value", Span()), example="higher than *five*"),
        Shape("attribute", "something about the thing itself", Box("attribute", ATTRIBUTE)),
        Shape("filters", "something that must be looked up", Box("filters", Of("FILTERS"))),
        Shape("known", "a value that no word says", Fixed((), others=True)),
    )
)
_COMPARISONS = Word(
    (
        Option("EQUAL", "is the same as", "*exactly* 5"),
        Option("NOT_EQUAL", "is not the same as"),
        Option("GREATER_THAN", "is more than", "*taller than*"),
        Option("LESS_THAN", "is less than", "*under* 300"),
        Option("GREATER_THAN_EQUAL", "is at least", "*at least* 3"),
        Option("LESS_THAN_EQUAL", "is at most", "*up to* 10"),
    )
)
_CLOSENESS = OneOf(
    (
        Shape("default", "", Word((Option("DEFAULT", "as one usually means it"),))),
        Shape("words", "these words of the command", Span()),
    )
)
_TOLERANCE = Node(
    "TOLERANCE",
    "how close",
    (
        Key("close_tolerance", _CLOSENESS, "how close it must be"),
        Key("modulus", _CLOSENESS, "after how many it begins again"),
    ),
)
_COMPARATOR = Node(
    "COMPARATOR",
    "the comparison",
    (
        Key(
            "comparison_type",
            OneOf(
                (
                    Shape("plain", "", _COMPARISONS),
                    Shape("tolerance", "is close to", Of("TOLERANCE"), example="*about* 5"),
                )
            ),
            "how the two compare",
            "How do the two compare? The first …",
            required=True,
        ),
        Key("input_left", _VALUE, "the first", "What is the first?", required=True, old=(_OLD_SPAN,)),
        Key("input_right", _VALUE, "the second", "What is the second?", required=True, old=(_OLD_SPAN,)),
        Key("comparison_measure", _MEASURE, "in which measure", rare=True),
        Key(
            "set_comparison",
            Word((Option("ANY", "for at least one of them"), Option("ALL", "for all of them"))),
            "for how many of them it must hold",
            rare=True,
        ),
    ),
)

# Filters -------------------------------------------------------------------------------------------------------


def _nearest(whom: str) -> Json:
    source = {"reference_object": {"special_reference": {"fixed_value": whom}}}
    return {"argval": {"polarity": "MIN", "quantity": {"attribute": {"linear_extent": {"source": source}}}}}


_FILTERS = Node(
    "FILTERS",
    "the thing",
    (
        Key("where_clause", Of("WHERE"), "what it is like"),
        Key(
            "contains_coreference",
            Flag(),
            "it was named before, or is pointed at",
            example="destroy *it*, *that* house",
        ),
        Key(
            "selector",
            Of("SELECTOR"),
            "which ones, how many, or where they are",
            example="*all* trees, the *tallest* one, the house *near me*",
            old=({"const": "ALL"},),
        ),
        Key(
            "output",
            OneOf(
                (
                    Shape(
                        "whole",
                        "",
                        Word((Option("MEMORY", "all that is known of it"), Option("COUNT", "how many there are"))),
                    ),
                    Shape("attribute", "one thing about it", Box("attribute", ATTRIBUTE)),
                )
            ),
            "what is asked about it",
            rare=True,
        ),
        Key(
            "memory_type",
            Word(
                (
                    Option("REFERENCE_OBJECT", "a thing in the world"),
                    Option("TASKS", "something that was done or is being done"),
                    Option("CHAT", "something that was said"),
                    Option("PROGRAM", "something that was taught"),
                    Option("AGENT", "the assistant or a person"),
                    Option("ALL", "anything at all"),
                )
            ),
            "what sort of thing it is, if not a thing in the world",
            rare=True,
        ),
        Key("special", Fixed((Option("THIS", "this very command"),)), "it is this very command", rare=True),
    ),
)
_ARGVAL = Node(
    "ARGVAL",
    "the ranking",
    (
        Key(
            "polarity",
            Word(
                (
                    Option("MAX", "the most: tallest, farthest, newest"),
                    Option("MIN", "the least: smallest, nearest, oldest"),
                )
            ),
            "the most or the least",
            "Is it the one with the most or with the least?",
            required=True,
        ),
        Key(
            "quantity",
            Box("attribute", ATTRIBUTE),
            "of what",
            "The most or the least of what?",
            old=(
                {"type": "object", "properties": {"location": _ANYTHING}, "required": ["location"]},
                {"const": {"attribute": {}}},
            ),
        ),
    ),
)
_SELECTOR = Node(
    "SELECTOR",
    "which ones",
    (
        Key(
            "return_quantity",
            OneOf(
                (
                    Shape(
                        "number",
                        "",
                        Word(
                            (Option("ALL", "all of them", "*every* tree"), Option("RANDOM", "any of them", "*a* tree"))
                        ),
                    ),
                    Shape(
                        "NEAREST_SPEAKER",
                        "the nearest to the person who speaks",
                        Template(_nearest("SPEAKER")),
                        example="the *nearest* tree",
                    ),
                    Shape("NEAREST_AGENT", "the nearest to the assistant", Template(_nearest("AGENT"))),
                    Shape(
                        "argval",
                        "the one with most or least of something",
                        Box("argval", Of("ARGVAL")),
                        example="the *tallest* tower",
                    ),
                    Shape("random", "a number of them, whichever", Box("random", Span())),
                )
            ),
            "which of them",
            "Which of them?",
        ),
        Key(
            "ordinal",
            OneOf(
                (
                    Shape("known", "", Fixed((Option("FIRST", "the first, or just one"),), others=True)),
                    Shape("words", "these words of the command", Span(), example="*two* trees, the *third* house"),
                )
            ),
            "how many of them, or which in the row",
        ),
        Key(
            "location",
            Of("LOCATION"),
            "where they are",
            example="the tree *behind the house*",
            old=({"const": "OTHER"},),
        ),
        Key(
            "same",
            Word(
                (
                    Option("ALLOWED", "they may be the same"),
                    Option("DISALLOWED", "they must be different ones"),
                    Option("REQUIRED", "they must be the same"),
                )
            ),
            "whether they may be the same one again",
            rare=True,
        ),
    ),
    old={
        "triples": {"type": "array", "items": {"$ref": "#/$defs/TRIPLE"}},
        "where_clause": {"$ref": "#/$defs/WHERE"},
    },
)
_NUM_BLOCKS = Node(
    "NUM_BLOCKS", "the number of blocks", (Key("block_filters", Of("FILTERS"), "which blocks", required=True),)
)
_TASK_INFO = Node(
    "TASK_INFO",
    "what was done",
    (Key("reference_object", Of("REFERENCE_OBJECT"), "with what it was done", required=True),),
)

# Things, places, turns -----------------------------------------------------------------------------------------

_WORDS = Key("text_span", Span(), "which words say so")
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
            example="to *me*, behind *you*, *here*, *4, 5, 6*",
            old=({"enum": ["SPEAKER", "AGENT"]},),
        ),
    ),
    old={"reference_object_2": _ANYTHING},
)
_LOCATION = Node(
    "LOCATION",
    "the place",
    (
        _WORDS,
        Key(
            "reference_object",
            Of("REFERENCE_OBJECT"),
            "a thing or a person it is seen from",
            example="next to *the house*, behind *me*",
        ),
        Key(
            "relative_direction",
            DIRECTIONS,
            "in which direction",
            "Where is it, seen from there?",
            example="*left of* the house, *up*",
        ),
        Key("contains_coreference", Flag(), "only “there”, “over here” or the like", example="go *there*"),
        Key("steps", Span(), "how far, in numbers", example="move *five* steps"),
        Key("has_measure", _MEASURE, "in which measure", example="five *blocks*"),
        Key(
            "reference_object_1",
            Of("REFERENCE_OBJECT"),
            "two things that it lies between",
            example="*between the house and the river*",
            needs=("relative_direction", "BETWEEN"),
            brings="reference_object_2",
            rare=True,
        ),
        Key(
            "reference_object_2",
            Of("REFERENCE_OBJECT"),
            "the second thing that it lies between",
            needs=("relative_direction", "BETWEEN"),
            rare=True,
        ),
        Key(
            "location_type", Word((Option("OTHER", "a place that none of this fits"),)), "none of this fits", rare=True
        ),
    ),
    rule=lambda place: (
        "A place between two things has a reference_object_1 and a reference_object_2, and no reference_object."
        if ("reference_object_1" in place) != ("reference_object_2" in place)
        or ("reference_object_1" in place and "reference_object" in place)
        else None
    ),
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
        Key("yaw", Span(), "by how many degrees, to no side", example="turn by *95 degrees*"),
        Key("pitch", Span(), "how far up or down, in degrees", rare=True),
        Key("yaw_pitch", Span(), "both turns in numbers", rare=True),
    ),
)

NODES: Mapping[str, AnyNode] = {
    "CLAUSE": _CLAUSE,
    **{
        node.name: node
        for node in (
            _WHERE,
            _TRIPLE,
            _COMPARATOR,
            _TOLERANCE,
            _LINEAR_EXTENT,
            _END,
            _NUM_BLOCKS,
            _TASK_INFO,
            _FILTERS,
            _ARGVAL,
            _SELECTOR,
            _REFERENCE_OBJECT,
            _LOCATION,
            _FACING,
        )
    },
}
