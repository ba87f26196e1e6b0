"""The grammar of logical forms: the valid forms, and the question for each part. `GRAMMAR["ROOT"]` is a whole form.

The nodes restate the logical-form specification of the droidlet agent (facebookresearch/fairo) as paper 004 uses it.
They are stricter where the specification was vague and real annotated commands allow it. Questions and examples are
ours.
"""

from lib.logical_form.grammar import actions, places, things, values
from lib.logical_form.grammar.actions import CONDITION, CONTROL, REPLACE, SINCE, TARGET, UNTIL
from lib.logical_form.grammar.types import (
    Box,
    Fixed,
    Grammar,
    Key,
    Node,
    Of,
    OneOf,
    Option,
    Shape,
    Some,
    Span,
    Tagged,
    Variant,
    Word,
)

# Whole forms ---------------------------------------------------------------------------------------------------

_STEPS = Some(Of("STEP"), ("thing to do", "things to do, one after the other"))
_STEP = OneOf(
    (
        Shape("action", "", Of("ACTION"), marks=("action_type",)),
        Shape(
            "EVENT",
            "several things that belong together",
            Of("EVENT"),
            marks=("event_sequence",),
            example="*jump and turn* three times",
        ),
    )
)
_SEQUENCE = Key(
    "event_sequence",
    _STEPS,
    "what to do",
    "How many different things should be done, one after the other?",
    role=None,
    required=True,
)
_EVENT = Node("EVENT", "what belongs together", (_SEQUENCE, UNTIL, SINCE, CONTROL))
_TRIPLE_TO_SET = Node(
    "NEW_TRIPLE",
    "what to remember",
    (
        Key(
            "pred_text",
            Word(
                (
                    Option("has_tag", "what it is called or like"),
                    Option("has_colour", "its colour"),
                    Option("has_size", "its size"),
                    Option("has_name", "what it is"),
                )
            ),
            "what is remembered",
            "What should be remembered of it?",
            required=True,
        ),
        Key(
            "obj_text",
            OneOf(
                (
                    Shape("words", "these words of the command", Span(), example="call it *home*"),
                    Shape("known", "something that no word says", Fixed((), others=True)),
                )
            ),
            "what that is",
            "What says it?",
            required=True,
        ),
    ),
)
_MEMORY_DATA = Tagged(
    "MEMORY_DATA",
    "what to remember",
    "memory_type",
    "What should be remembered?",
    (
        Variant(
            Option("TRIPLE", "something about a thing", "this is *my house*"),
            (
                Key(
                    "triples",
                    Some(Of("NEW_TRIPLE"), ("thing to remember", "things should be remembered")),
                    "what to remember",
                    required=True,
                ),
            ),
        ),
        Variant(
            Option("REWARD", "whether it was done well", "*well done*"),
            (
                Key(
                    "reward_value",
                    Word(
                        (
                            Option("POSITIVE", "it was good", "*great job*"),
                            Option("NEGATIVE", "it was bad", "*that is wrong*"),
                        )
                    ),
                    "good or bad",
                    "Was it good or bad?",
                    required=True,
                ),
            ),
        ),
    ),
)
_ROOT = Tagged(
    "ROOT",
    "the command",
    "dialogue_type",
    "What does the person want?",
    (
        Variant(
            Option("HUMAN_GIVE_COMMAND", "several things, one after the other", "*dig a hole and fill it*"),
            (
                Key(
                    _SEQUENCE.name,
                    _SEQUENCE.of,
                    _SEQUENCE.label,
                    _SEQUENCE.ask,
                    role=None,
                    required=True,
                ),
                Key(
                    "terminate_condition",
                    CONDITION,
                    "how often, how long or until when all of it is done",
                    "How often, how long or until when is all of it done?",
                    "when all of it ends",
                    example="do that *three times*",
                    rare=True,
                ),
                SINCE,
                CONTROL,
                TARGET,
                REPLACE,
            ),
        ),
        Variant(
            Option("GET_MEMORY", "an answer to a question", "*where is the house?*"),
            (Key("filters", Of("FILTERS"), "what it is about", example="where is *the house*"), REPLACE),
        ),
        Variant(
            Option("PUT_MEMORY", "that something is remembered, or was good or bad", "*call this home*, *well done*"),
            (
                Key("filters", Of("FILTERS"), "what it is about", example="call *this house* home"),
                Key("upsert", Box("memory_data", Of("MEMORY_DATA")), "what to remember", example="call it *home*"),
            ),
        ),
        Variant(
            Option("GET_CAPABILITIES", "to know what the assistant can do", "*what can you build?*"),
            (
                Key(
                    "action_type",
                    Word(
                        (
                            Option("ANY", "anything at all"),
                            Option("BUILD", "what it can build"),
                            Option("PUT_MEMORY", "what it can remember"),
                            Option("GET_MEMORY", "what it can answer"),
                            Option("UNKNOWN", "something else"),
                        )
                    ),
                    "what it is about",
                    "What about?",
                ),
            ),
        ),
        Variant(Option("BOT_CAPABILITIES", "to know in general how the assistant can help", "*what can you do?*")),
        Variant(Option("OTHERACTION", "something that no assistant in this world could do", "*post it online*")),
        Variant(Option("NOOP", "nothing: this is not a command", "*hello*, *thank you*, *blue sky*")),
    ),
    tells="Which of these does the command say?",
)
GRAMMAR: Grammar = {
    **values.NODES,
    **things.NODES,
    **places.NODES,
    **actions.NODES,
    "STEP": _STEP,
    **{
        node.name: node
        for node in (
            _ROOT,
            _EVENT,
            _MEMORY_DATA,
            _TRIPLE_TO_SET,
        )
    },
}
"""Every node by name; "ROOT" is a whole form."""
