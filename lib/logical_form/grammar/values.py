"""The part of the grammar for the properties of a thing: clauses, values, comparisons."""

from collections.abc import Mapping

from lib.logical_form.grammar.types import (
    AnyNode,
    Box,
    Clauses,
    Fixed,
    Key,
    Node,
    Of,
    OneOf,
    Option,
    Shape,
    Some,
    Span,
    Word,
)

_OLD_SPAN = {"$ref": "#/$defs/SPAN"}

USUAL = (
    Option("has_name", "what it is", "build a *house*"),
    Option("has_colour", "its colour", "the *red* cube"),
    Option("has_size", "how big it is", "a *huge* tower"),
    Option("has_block_type", "what it is made of", "a *stone* wall"),
    Option("has_tag", "what it is like, or what somebody calls it", "the thing I called *home*"),
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


ATTRIBUTES = (
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
        Shape("name", "one of these", Word(ATTRIBUTES)),
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
MEASURES = (Option("block", "blocks"), Option("meter", "metres"))
MEASURE = OneOf(
    (
        Shape("words", "these words of the command", Span()),
        Shape("known", "a usual measure", Fixed(MEASURES, others=True)),
    )
)
_VALUE = OneOf(
    (
        Shape("value", "these words of the command", Box("value", Span()), example="higher than *five*"),
        Shape("attribute", "something about the thing itself", Box("attribute", ATTRIBUTE)),
        Shape("filters", "something that must be looked up", Box("filters", Of("FILTERS"))),
        Shape("known", "a value that no word says", Fixed((), others=True)),
    )
)
COMPARISONS = Word(
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
                    Shape("plain", "", COMPARISONS),
                    Shape("tolerance", "is close to", Of("TOLERANCE"), example="*about* 5"),
                )
            ),
            "how the two compare",
            "How do the two compare? The first …",
            required=True,
        ),
        Key("input_left", _VALUE, "the first", "What is the first?", required=True, old=(_OLD_SPAN,)),
        Key("input_right", _VALUE, "the second", "What is the second?", required=True, old=(_OLD_SPAN,)),
        Key("comparison_measure", MEASURE, "in which measure", rare=True),
        Key(
            "set_comparison",
            Word((Option("ANY", "for at least one of them"), Option("ALL", "for all of them"))),
            "for how many of them it must hold",
            rare=True,
        ),
    ),
)


NODES: Mapping[str, AnyNode] = {
    "CLAUSE": _CLAUSE,
    **{node.name: node for node in (_TRIPLE, _WHERE, _TOLERANCE, _COMPARATOR)},
}
