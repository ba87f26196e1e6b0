"""Words for the values of a form, where a sentence needs other words than a list of choices."""

from lib.logical_form.grammar.types import Option

POINTERS = ("text_span", "condition_span")
"""Keys whose value is only the span of the part itself."""

# The keys that the phrase of each node already expresses.
FILTERS_KEYS = ("where_clause", "contains_coreference", "selector", "output", "memory_type", "special")
SELECTOR_KEYS = ("return_quantity", "ordinal", "location", "same")
COMPARATOR_KEYS = ("comparison_type", "input_left", "input_right", "comparison_measure", "set_comparison")
EXTENT_KEYS = ("source", "destination", "relative_direction", "frame", "has_measure")
TWO = ("reference_object_1", "reference_object_2")
PLACE_KEYS = (
    *("text_span", "reference_object", *TWO, "relative_direction", "contains_coreference"),
    *("steps", "has_measure", "location_type"),
)
TURN_KEYS = ("text_span", "relative_yaw", "relative_pitch", "location", "yaw", "pitch", "yaw_pitch")

SPECIAL = {
    "SPEAKER": "the speaker",
    "AGENT": "the assistant",
    "SPEAKER_LOOK": "where the speaker looks",
    "SELF": "the assistant",
    "CURRENTLY_RUNNING": "what is being done now",
    "FINISHED": "what is finished",
    "THIS": "this command",
}
TAGS = {
    "SELF": "which is the assistant itself",
    "SPEAKER": "which is the speaker",
    "CURRENTLY_RUNNING": "being done now",
    "FINISHED": "finished already",
    "THIS": "which is this command",
}
NOUN = ("something", "everything", "thing")
NOUNS = {
    "TASKS": ("something done", "everything done", "task"),
    "CHAT": ("something said", "everything said", "message"),
    "PROGRAM": ("something taught", "everything taught", "lesson"),
    "AGENT": ("an assistant or a person", "all assistants and persons", "assistant or person"),
    "ALL": ("anything", "anything at all", "thing of any sort"),
}
"""For each memory_type: one thing, all things, and the bare noun."""
MOVEMENT = ("a movement", "all movements", "movement")
PROPERTIES = {
    "has_name": "named",
    "has_colour": "colour",
    "has_size": "size",
    "has_block_type": "made of",
    "has_tag": "called or like",
    "has_height": "height",
    "has_width": "width",
    "has_depth": "depth",
    "has_length": "length",
    "has_thickness": "thickness",
    "has_shape": "shape",
    "has_orientation": "turned",
    "has_radius": "radius",
    "has_distance": "distance",
}
NAMES = {"has_name": "named", "has_tag": "called", "has_block_type": "made of"}
"""The words between a noun and its name or material."""
ATTRIBUTES = {
    "HEIGHT": "the height of {}",
    "WIDTH": "the width of {}",
    "SIZE": "the size of {}",
    "COLOUR": "the colour of {}",
    "NAME": "the name of {}",
    "TAG": "what {} is called or like",
    "LOCATION": "where {} is",
    "BLOCK_TYPE": "what {} is made of",
    "BORN_TIME": "when {} was made",
    "MODIFY_TIME": "when {} was changed",
    "VISIT_TIME": "when {} was visited",
    "FINISHED_TIME": "when {} was finished",
    "RUN_COUNT": "how often {} was done",
    "X": "how far east {} is",
    "Y": "how high up {} is",
    "Z": "how far north {} is",
    "REF_TYPE": "what kind of thing {} is",
    "HEAD_PITCH": "how far up the head of {} looks",
    "HEAD_YAW": "where the head of {} is turned",
    "BODY_YAW": "where the body of {} is turned",
    "SPEAKER": "who said {}",
    "CHAT": "what was said in {}",
    "LOGICAL_FORM": "what was understood by {}",
}
SUPERLATIVES = {
    "HEIGHT": ("highest", "lowest"),
    "WIDTH": ("widest", "narrowest"),
    "SIZE": ("biggest", "smallest"),
    "BORN_TIME": ("newest", "oldest"),
    "MODIFY_TIME": ("last changed", "longest unchanged"),
    "VISIT_TIME": ("last visited", "longest unvisited"),
    "FINISHED_TIME": ("last finished", "first finished"),
    "X": ("easternmost", "westernmost"),
    "Y": ("uppermost", "lowermost"),
    "Z": ("northernmost", "southernmost"),
}
DIRECTIONS = {
    "LEFT": ("to the left of", "to the left"),
    "RIGHT": ("to the right of", "to the right"),
    "UP": ("above", "up"),
    "DOWN": ("below", "down"),
    "FRONT": ("in front of", "forward"),
    "BACK": ("behind", "back"),
    "NEAR": ("next to", "nearby"),
    "INSIDE": ("inside", "inside"),
    "OUTSIDE": ("outside", "outside"),
    "AROUND": ("around", "around"),
    "AWAY": ("away from", "away"),
    "BETWEEN": ("between", "in between"),
    "CLOCKWISE": ("clockwise around", "clockwise"),
    "ANTICLOCKWISE": ("anticlockwise around", "anticlockwise"),
}
"""The phrase with and without a reference object."""
YAWS = {
    "-90": "to the left",
    "90": "to the right",
    "-45": "half left",
    "45": "half right",
    "-135": "back and left",
    "135": "back and right",
    "180": "to the back",
    "-180": "to the back, over the left",
    "360": "all the way around, clockwise",
    "-360": "all the way around, anticlockwise",
    "0": "straight ahead",
}
PITCHES = {"90": "up", "-90": "down", "45": "half up", "-45": "half down"}
TIME_EVENTS = {
    "SUNSET": "the sun sets",
    "SUNRISE": "the sun rises",
    "DAY": "it is day",
    "NIGHT": "it is night",
    "RAIN": "it rains",
    "SUNNY": "the sun shines",
}
BEGIN_A_CONDITION = (
    *("until", "till", "for", "while", "when", "once", "as long", "unless", "if", "after", "every"),
    *("at", "before", "by", "during"),
)
"""Words of a command that begin like these need no “until” before them."""

VERBS = {
    "BUILD": ("build", "building"),
    "MOVE": ("go", "going"),
    "DESTROY": ("destroy", "destroying"),
    "DANCE": ("move in a certain way", "moving in a certain way"),
    "DIG": ("dig", "digging"),
    "FILL": ("fill", "filling"),
    "GET": ("get", "getting"),
    "SPAWN": ("make appear", "making things appear"),
    "FREEBUILD": ("finish", "finishing"),
    "SCOUT": ("look for", "looking for things"),
    "STOP": ("stop", "stopping"),
    "RESUME": ("go on", "going on"),
    "UNDO": ("undo", "undoing"),
    "SAY": ("say", "saying"),
    "MODIFY": ("change", "changing"),
    "OTHERACTION": ("do something else", "doing something else"),
    "COMPOSITE_ACTION": ("do several mixed things", "doing several mixed things"),
}
"""The name of each action, as a verb and as a noun."""
CAPABILITIES = {
    "ANY": "what it can do",
    "BUILD": "what it can build",
    "PUT_MEMORY": "what it can remember",
    "GET_MEMORY": "what it can answer",
    "UNKNOWN": "whether it can do something else",
}
REWARDS = (Option("POSITIVE", "it was good"), Option("NEGATIVE", "it was bad"))
REMEMBERED = {
    "has_tag": "it is called or like",
    "has_colour": "its colour is",
    "has_size": "its size is",
    "has_name": "it is",
}
PURPOSES = {
    "GET_MEMORY": "a question",
    "PUT_MEMORY": "something to remember",
    "GET_CAPABILITIES": "what the assistant can do",
    "BOT_CAPABILITIES": "how the assistant can help",
    "OTHERACTION": "something no assistant in this world could do",
    "NOOP": "not a command",
}
"""The purpose of a command, as the heading of an outline."""
OPERATORS = {"OR": "one of these is enough", "NOT": "none of these"}
WHOLE = ("ARGVAL",)
"""Nodes that are one line of an outline."""
WRAPPERS = ("SCHEMATIC", "REFERENCE_OBJECT", "END")
"""Nodes without a line of their own where they have only one part."""
MERGED = ("SELECTOR",)
"""Nodes whose parts are listed among the parts of the node around them."""
DEFAULTS = {"memory_type": "REFERENCE_OBJECT"}
"""Values that an outline leaves out."""
