"""The part of the grammar that selects things: filters, selectors, rankings."""

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
    Template,
    Word,
)
from lib.logical_form.grammar.values import ATTRIBUTE

_ANYTHING: dict[str, Json] = {"type": "object"}


def _nearest(whom: str) -> Json:
    source = {"reference_object": {"special_reference": {"fixed_value": whom}}}
    return {"argval": {"polarity": "MIN", "quantity": {"attribute": {"linear_extent": {"source": source}}}}}


_FILTERS = Node(
    "FILTERS",
    "the thing",
    (
        Key("where_clause", Of("WHERE"), "what it is like", role=None),
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
            role="which are meant",
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
            "What is asked about it?",
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
            "What sort of thing is it?",
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
    tells="How do the words say which ones?",
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


NODES: Mapping[str, AnyNode] = {
    **{node.name: node for node in (_FILTERS, _ARGVAL, _SELECTOR, _NUM_BLOCKS, _TASK_INFO)},
}
