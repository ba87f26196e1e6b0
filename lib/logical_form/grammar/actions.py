"""The part of the grammar for actions, their parts, and conditions."""

from collections.abc import Mapping

from lib.logical_form.grammar.types import (
    AnyNode,
    Box,
    Fixed,
    Flag,
    Key,
    Node,
    Of,
    OneOf,
    Option,
    Shape,
    Some,
    Span,
    Tagged,
    Template,
    Variant,
    Word,
)

_THING, _PLACE = Of("REFERENCE_OBJECT"), Of("LOCATION")


def _thing(label: str, example: str = "") -> Key:
    return Key("reference_object", _THING, label, example=example)


def _place(label: str, example: str = "") -> Key:
    return Key("location", _PLACE, label, example=example)


# Conditions ----------------------------------------------------------------------------------------------------

TIMES = Template(
    {
        "condition_type": "COMPARATOR",
        "condition": {
            "comparison_type": "EQUAL",
            "input_left": {
                "filters": {"output": {"attribute": "RUN_COUNT"}, "special": {"fixed_value": "THIS"}},
            },
        },
    },
    at=("condition", "input_right", "value"),
    of=Span(),
    ask="Which words say how many times?",
)
CONDITION = Of("CONDITION")
_CONDITIONS = Some(CONDITION, ("condition", "conditions"))
_PROPER_CONDITION = Tagged(
    "PROPER_CONDITION",
    "the condition",
    "condition_type",
    "When?",
    (
        Variant(Option("NEVER", "never: it goes on for ever", "dance *forever*")),
        Variant(
            Option("ADJACENT_TO_BLOCK_TYPE", "when it reaches some material or thing", "dig *until you hit stone*"),
            (Key("block_type", Span(), "what it reaches", required=True, example="until you hit *stone*"),),
        ),
        Variant(
            Option("COMPARATOR", "when two things compare", "until it is *5 blocks high*"),
            (Key("condition", Of("COMPARATOR"), "what is compared", required=True),),
        ),
        Variant(
            Option("TIME", "at some time, or after some time", "*for 20 minutes*, *at sunset*"),
            (Key("condition", Of("TIME_CONDITION"), "at what time", required=True),),
        ),
        Variant(
            Option("AND", "when several conditions are all met"),
            (Key("conditions", _CONDITIONS, "which conditions", required=True),),
        ),
        Variant(
            Option("OR", "when one of several conditions is met"),
            (Key("conditions", _CONDITIONS, "which conditions", required=True),),
        ),
        Variant(
            Option("NOT", "when a condition is not met"),
            (Key("condition", CONDITION, "which condition", required=True),),
        ),
        Variant(
            Option("OTHER", "when something else happens", "until *I tell you to stop*"),
            (Key("condition_span", Span(), "which words say when", "Which words say when?", required=True),),
            closed=True,
        ),
    ),
    shared=(
        Key(
            "condition_span",
            Span(),
            "which words say so",
            "Which words say it, all together?",
            example="*until you hit stone*",
        ),
    ),
)
_TIME_CONDITION = Node(
    "TIME_CONDITION",
    "the time",
    (
        Key("comparator", Of("COMPARATOR"), "how long it takes, compared with something"),
        Key(
            "special_time_event",
            Word(
                tuple(
                    Option(value, label)
                    for value, label in (
                        ("SUNSET", "at sunset"),
                        ("SUNRISE", "at sunrise"),
                        ("DAY", "when it is day"),
                        ("NIGHT", "when it is night"),
                        ("RAIN", "when it rains"),
                        ("SUNNY", "when the sun shines"),
                    )
                )
            ),
            "a time of day, or the weather",
        ),
        Key("event", CONDITION, "from what on the time counts"),
    ),
)

# Actions -------------------------------------------------------------------------------------------------------

TARGET = Key(
    "dialogue_target",
    OneOf(
        (
            Shape("known", "", Word((Option("AGENT", "the assistant"), Option("SWARM", "all assistants")))),
            Shape(
                "filters", "one that is named or described", Box("filters", Of("FILTERS")), example="*bot 2*, come here"
            ),
        )
    ),
    "who of several assistants is spoken to",
    rare=True,
)
REPLACE = Key("replace", Flag(True), "it corrects the command before", example="*no, I meant* the red one", rare=True)
UNTIL = Key(
    "terminate_condition",
    CONDITION,
    "how often, how long or until when",
    "How often, how long or until when?",
    "when it ends",
    example="*three times*, *forever*, *until you hit stone*",
    old=(
        {
            "type": "object",
            "properties": {"condition_span": {"$ref": "#/$defs/SPAN"}},
            "required": ["condition_span"],
            "additionalProperties": False,
        },
    ),
)
SINCE = Key(
    "init_condition",
    CONDITION,
    "when to begin",
    "When should it begin?",
    example="*when the sun sets*, build a house",
    rare=True,
)
CONTROL = Key(
    "spatial_control",
    Box(
        "direction_information",
        Word(
            tuple(
                Option(value, label)
                for value, label in (
                    ("LEFT", "to the left"),
                    ("RIGHT", "to the right"),
                    ("UP", "up"),
                    ("DOWN", "down"),
                    ("FRONT", "forward"),
                    ("BACK", "back"),
                    ("AROUND", "around"),
                    ("CLOCKWISE", "clockwise"),
                    ("ANTICLOCKWISE", "anticlockwise"),
                )
            )
        ),
    ),
    "in which direction each next one goes",
    "In which direction does each next one go?",
    example="build five towers *to the left*",
    rare=True,
)
_NAMES_OF_ACTIONS = (
    Option("BUILD", "build or copy something", "*make* a house"),
    Option("MOVE", "go somewhere", "*come* here"),
    Option("DESTROY", "destroy or remove something", "*get rid of* the tree"),
    Option("DANCE", "turn, look, point, or move in a certain way", "*turn* left, *jump*, *point at* the tree"),
    Option("DIG", "dig", "*dig* a hole"),
    Option("FILL", "fill something up", "*fill* the hole with water"),
    Option("GET", "get, bring or give something", "*bring* me a cube"),
    Option("SPAWN", "make an animal or a thing appear", "*spawn* a cow"),
    Option("FREEBUILD", "finish something half built", "*complete* the wall"),
    Option("SCOUT", "look for something", "*find* a cave"),
    Option("STOP", "stop something", "*stop* digging"),
    Option("RESUME", "go on with something", "*continue*"),
    Option("UNDO", "undo something", "*undo* that"),
    Option("SAY", "say something", "*say* hello"),
    Option("MODIFY", "change something that is there", "*make* the wall *thicker*"),
    Option("OTHERACTION", "do something that is not in this list", "*sing* a song"),
    Option("COMPOSITE_ACTION", "several things so mixed that they cannot be told apart"),
)
_OPTION = {option.value: option for option in _NAMES_OF_ACTIONS}
_WHICH_ACTION = Key(
    "target_action_type",
    OneOf(
        (
            Shape("words", "these words of the command", Span(), example="stop *digging*"),
            Shape("known", "", Fixed(_NAMES_OF_ACTIONS)),
        )
    ),
    "which action",
    example="stop *digging*",
)
_SCHEMATIC = Of("SCHEMATIC")


def _action(name: str, *keys: Key, until: bool = True) -> Variant:
    return Variant(_OPTION[name], (*keys, UNTIL) if until else keys)


ACTION = Tagged(
    "ACTION",
    "the action",
    "action_type",
    "What should the assistant do?",
    (
        _action(
            "BUILD",
            Key("schematic", _SCHEMATIC, "what to build", example="build *a small house*"),
            _place("where to build it", "build it *by the river*"),
            Key(
                "reference_object",
                _THING,
                "what to copy",
                example="make a copy of *that tower*",
                old=({"$ref": "#/$defs/SPAN"},),
            ),
        ),
        _action(
            "MOVE",
            _place("where to", "go *to the tree*"),
            Key("dance_type", Of("DANCE_TYPE"), "how to move on the way", example="*crawl* to the tree", rare=True),
        ),
        _action("DESTROY", _thing("what to destroy", "remove *all trees*")),
        _action(
            "DANCE",
            Key("dance_type", Of("DANCE_TYPE"), "how to turn, look, point or move", example="*jump*, *turn left*"),
            _place("where to do it", "dance *on the roof*"),
        ),
        _action(
            "DIG",
            Key("schematic", _SCHEMATIC, "what to dig", example="dig *a deep hole*"),
            _place("where to dig", "dig *behind the house*"),
            _thing("what to dig out", "dig out *that rock*"),
            until=False,
        ),
        _action(
            "FILL",
            _thing("what to fill", "fill *the hole*"),
            Key("schematic", _SCHEMATIC, "with what", example="fill it *with sand*"),
        ),
        _action(
            "GET",
            _thing("what to get", "bring me *a cube*"),
            Key("receiver", Of("END"), "to whom or where to bring it", example="bring it *to me*"),
            Key("source", Of("END"), "from where to get it", example="get wheat *from the farm*"),
        ),
        _action("SPAWN", _thing("what should appear", "spawn *three cows*"), _place("where it should appear")),
        _action("FREEBUILD", _thing("what to finish", "complete *the wall*"), _place("where it is"), until=False),
        _action("SCOUT", _thing("what to look for", "find *a cave*"), _place("where to look")),
        _action("STOP", _WHICH_ACTION),
        _action("RESUME", _WHICH_ACTION),
        _action("UNDO", _WHICH_ACTION),
        _action("SAY", Key("say_span", Span(), "what to say", example="say *hello there*", required=True)),
        _action(
            "MODIFY",
            _thing("what to change", "make *the wall* thicker"),
            Key("modify_dict", Of("MODIFICATION"), "how to change it", example="make the wall *thicker*"),
        ),
        _action("OTHERACTION", _thing("with what", "open *the door*"), _place("where"), until=False),
        _action("COMPOSITE_ACTION"),
    ),
    shared=(TARGET, REPLACE),
    tells="Which of these do the words say?",
    old={"relative_direction": {"type": "string"}, "steps": {"$ref": "#/$defs/SPAN"}},
)
_MODIFICATION = Node(
    "MODIFICATION",
    "the change",
    (
        Key("text_span", Span(), "which words say so", "Which words say it, all together?"),
        Key(
            "modify_type",
            Word(
                tuple(
                    Option(value, label)
                    for value, label in (
                        ("THICKER", "make it thicker"),
                        ("THINNER", "make it thinner"),
                        ("SCALE", "make it bigger or smaller"),
                        ("RIGIDMOTION", "move or turn it as it is"),
                        ("REPLACE", "put something in its place"),
                        ("FILL", "fill it"),
                        ("HOLLOW", "hollow it out"),
                    )
                )
            ),
            "how to change it",
            "How should it change?",
            required=True,
        ),
    ),
)
_SCHEMATIC_NODE = Node(
    "SCHEMATIC",
    "what it should be",
    (
        Key("text_span", Span(), "which words say so", "Which words say it, all together?"),
        Key("filters", Of("FILTERS"), "what it is like", role=None, required=True),
    ),
)
_DANCE_TYPE = Node(
    "DANCE_TYPE",
    "the movement",
    (
        Key("body_turn", Of("FACING"), "turning the body", role="how to turn", example="*turn* left"),
        Key("look_turn", Of("FACING"), "turning the head, looking", role="where to look", example="*look* up"),
        Key("point", Of("FACING"), "pointing", role="where to point", example="*point* at the tree"),
        Key("filters", Of("FILTERS"), "a movement with a name", role="the movement", example="*jump*, do a *dance*"),
    ),
    tells="What kind of movement is it?",
)
_CONDITION_NODE = OneOf(
    (
        Shape("TIMES", "after a number of times", TIMES, example="jump *three times*"),
        Shape("proper", "", Of("PROPER_CONDITION"), marks=("condition_type",)),
    )
)


NODES: Mapping[str, AnyNode] = {
    "CONDITION": _CONDITION_NODE,
    **{
        node.name: node
        for node in (_PROPER_CONDITION, _TIME_CONDITION, ACTION, _MODIFICATION, _SCHEMATIC_NODE, _DANCE_TYPE)
    },
}
