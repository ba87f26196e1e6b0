"""The grammar of logical forms: what may be said, and how it is asked for. `GRAMMAR["ROOT"]` is a whole form.

The nodes restate the logical-form specification of the droidlet agent (facebookresearch/fairo) as paper 004 uses it,
stricter where it was lax and real annotated commands allow. Wording and examples are ours.
"""

from annotation.logical_form import places, things, values
from annotation.logical_form.types import (
    Box,
    Fixed,
    Flag,
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
)
_CONDITION = Of("CONDITION")
_CONDITIONS = Some(_CONDITION, ("condition", "conditions"))
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
            (Key("condition", _CONDITION, "which condition", required=True),),
        ),
        Variant(
            Option("OTHER", "when something else happens", "until *I tell you to stop*"),
            (Key("condition_span", Span(), "which words say when", required=True),),
            closed=True,
        ),
    ),
    shared=(Key("condition_span", Span(), "which words say when", example="*until you hit stone*"),),
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
        Key("event", _CONDITION, "from what on the time counts"),
    ),
)

# Actions -------------------------------------------------------------------------------------------------------

_TARGET = Key(
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
_REPLACE = Key("replace", Flag(True), "it corrects the command before", example="*no, I meant* the red one", rare=True)
_UNTIL = Key(
    "terminate_condition",
    _CONDITION,
    "how often, how long or until when",
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
_SINCE = Key("init_condition", _CONDITION, "when to begin", example="*when the sun sets*, build a house", rare=True)
_CONTROL = Key(
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
    return Variant(_OPTION[name], (*keys, _UNTIL) if until else keys)


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
    shared=(_TARGET, _REPLACE),
    old={"relative_direction": {"type": "string"}, "steps": {"$ref": "#/$defs/SPAN"}},
)
_MODIFICATION = Node(
    "MODIFICATION",
    "the change",
    (
        Key("text_span", Span(), "which words say so"),
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
        Key("text_span", Span(), "which words say so"),
        Key("filters", Of("FILTERS"), "what it is like", required=True),
    ),
)
_DANCE_TYPE = Node(
    "DANCE_TYPE",
    "the movement",
    (
        Key("body_turn", Of("FACING"), "turning the body", example="*turn* left"),
        Key("look_turn", Of("FACING"), "turning the head, looking", example="*look* up"),
        Key("point", Of("FACING"), "pointing", example="*point* at the tree"),
        Key("filters", Of("FILTERS"), "a movement with a name", example="*jump*, do a *dance*"),
    ),
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
    required=True,
)
_EVENT = Node("EVENT", "what belongs together", (_SEQUENCE, _UNTIL, _SINCE, _CONTROL))
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
                    Some(Of("NEW_TRIPLE"), ("thing to remember", "things to remember")),
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
            Option("HUMAN_GIVE_COMMAND", "that the assistant does something", "*build a house*"),
            (
                Key(
                    _SEQUENCE.name,
                    _SEQUENCE.of,
                    _SEQUENCE.label,
                    _SEQUENCE.ask,
                    required=True,
                ),
                Key(
                    "terminate_condition",
                    _CONDITION,
                    "how often, how long or until when all of it is done",
                    example="do that *three times*",
                    rare=True,
                ),
                _SINCE,
                _CONTROL,
                _TARGET,
                _REPLACE,
            ),
        ),
        Variant(
            Option("GET_MEMORY", "an answer to a question", "*where is the house?*"),
            (Key("filters", Of("FILTERS"), "what it is about", example="where is *the house*"), _REPLACE),
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
)
_CONDITION_NODE = OneOf(
    (
        Shape("TIMES", "after a number of times", TIMES, example="jump *three times*"),
        Shape("proper", "", Of("PROPER_CONDITION"), marks=("condition_type",)),
    )
)

GRAMMAR: Grammar = {
    **values.NODES,
    **things.NODES,
    **places.NODES,
    "STEP": _STEP,
    "CONDITION": _CONDITION_NODE,
    **{
        node.name: node
        for node in (
            _ROOT,
            ACTION,
            _EVENT,
            _MODIFICATION,
            _SCHEMATIC_NODE,
            _DANCE_TYPE,
            _PROPER_CONDITION,
            _TIME_CONDITION,
            _MEMORY_DATA,
            _TRIPLE_TO_SET,
        )
    },
}
"""Every node by name; "ROOT" is a whole form."""
