"""Words in descriptions: colours, sizes, materials, numbers, rankings. Data only."""

from collections.abc import Mapping

from builder.parser.phrase import word_list

COLOURS = frozenset(
    word_list(
        "red orange yellow lime green cyan blue purple magenta pink brown black white gray grey silver gold "
        "golden beige "
        "turquoise teal violet indigo maroon navy tan lavender crimson colored coloured colorful colourful"
    )
) | {
    f"{shade} {colour}"
    for shade in ("light", "dark", "bright", "pale")
    for colour in word_list("blue gray grey green red")
}
SIZES = frozenset(
    word_list(
        "big small large little tiny huge giant gigantic enormous massive medium mini miniature short tall high "
        "low wide "
        "narrow thin thick deep shallow long great vast average medium-sized"
    )
) | {"medium sized"}
SIZES |= {f"{how} {size}" for how in ("very", "really", "super", "extremely") for size in SIZES}
MATERIALS = frozenset(
    word_list(
        "stone wood wooden dirt grass sand sandstone glass iron gold brick bricks wool cobblestone concrete "
        "diamond obsidian "
        "ice snow lava water clay gravel marble oak birch spruce metal steel emerald quartz coal leaf leaves"
    )
) | {"iron ore", "gold ore"}
LIKENESSES = frozenset(
    word_list(
        "square round rectangular circular triangular flat hollow solid favorite favourite new old broken unfinished "
        "beautiful pretty cool nice abandoned hidden open closed tropical pointy"
    )
)
"""Other adjectives before a noun."""
ARTICLES = frozenset(word_list("the a an some any my your our his her their its another other's more of"))
INDEFINITE = frozenset({"a", "an", "some", "another", "any", "more"})
POINTING = frozenset({"this", "that", "these", "those"})
ONLY_POINTING = frozenset({"it", "this", "that", "them", "these", "those", "this one", "that one", "him", "her"})
VAGUE = frozenset(word_list("thing things one ones something anything everything stuff"))
"""Nouns that fit every thing."""
ALL = frozenset({"all", "all of", "all the", "all of the", "all these", "every", "every single", "each", "each of the"})
FEW = frozenset({"a few", "a couple", "a couple of", "several", "many", "a dozen", "a lot of", "lots of", "multiple"})
NUMBERS = frozenset(
    word_list(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen "
        "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand half"
    )
) | {"a hundred", "one hundred", "a thousand"}
STEPS = frozenset({"step", "steps", "block", "blocks"})
"""Units that need not be mentioned in the form."""
UNITS = STEPS | frozenset(
    word_list(
        "foot feet ft meter meters metre metres m inch inches yard yards mile miles space spaces square squares "
        "unit units "
        "voxel voxels pace paces tile tiles"
    )
)

SHAPED = frozenset({"square", "squares", "block", "tile"})
"""Units that are also things: “a 3 x 3 square”."""

ANIMALS = frozenset(
    word_list(
        "pig cow sheep dog cat horse chicken camel zebra ox goat rabbit bunny duck bear wolf fox bird fish frog mouse"
    )
    + word_list(
        "pigs cows dogs cats horses chickens camels zebras goats rabbits ducks bears wolves birds lion tiger elephant"
    )
)
"""“Make a pig” is SPAWN, not BUILD."""
ORDINALS = frozenset(word_list("second third fourth fifth sixth seventh eighth ninth tenth 2nd 3rd 4th 5th"))

_SPOTS = ("position", "location", "current position", "current location", "spot")
_STANDING = ("", " standing", " sitting", " located", " at", " now", " right now")
I_STAND = {f"where {i}{how}" for i in ("i am", "i'm") for how in _STANDING} | {"where i stand"}
YOU_STAND = {f"where {you}{how}" for you in ("you are", "you're") for how in _STANDING} | {"where you stand"}
SPEAKER = frozenset({"me", "myself", "us", *(f"my {spot}" for spot in _SPOTS)}) | I_STAND
AGENT = (
    frozenset({"you", "yourself", "the assistant", "assistant", "the bot", "the robot", "the agent", "itself"})
    | {f"your {spot}" for spot in _SPOTS}
    | YOU_STAND
)
LOOKED_AT = frozenset(
    f"{where} {who} {look}".strip()
    for where in (
        "",
        "that",
        "which",
        "where",
        "to where",
        "the place where",
        "wherever",
        "what",
        "the place",
        "at where",
    )
    for who in ("i am", "i'm", "im", "i m")
    for look in ("looking", "looking at", "pointing", "pointing at", "facing")
) | {"where i look", "where i point", "what i look at"}
POINTED_OUT = LOOKED_AT | I_STAND | YOU_STAND
"""Clauses that are places."""
PEOPLE: Mapping[str, str] = {
    **dict.fromkeys(SPEAKER, "SPEAKER"),
    **dict.fromkeys(AGENT, "AGENT"),
    **dict.fromkeys(LOOKED_AT, "SPEAKER_LOOK"),
}

RANKS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("biggest", "largest", "hugest", "greatest"), ("MAX", "SIZE")),
    **dict.fromkeys(("smallest", "tiniest", "littlest"), ("MIN", "SIZE")),
    **dict.fromkeys(("tallest", "highest"), ("MAX", "HEIGHT")),
    **dict.fromkeys(("shortest", "lowest"), ("MIN", "HEIGHT")),
    **dict.fromkeys(("widest", "broadest"), ("MAX", "WIDTH")),
    **dict.fromkeys(("narrowest", "thinnest"), ("MIN", "WIDTH")),
    **dict.fromkeys(("nearest", "closest", "nearby"), ("MIN", "DISTANCE")),
    **dict.fromkeys(("farthest", "furthest", "most distant"), ("MAX", "DISTANCE")),
    **dict.fromkeys(("newest", "latest", "last", "most recent", "previous"), ("MAX", "BORN_TIME")),
    **dict.fromkeys(("oldest", "first"), ("MIN", "BORN_TIME")),
}
"""Most or least, and the quantity. DISTANCE is measured from a person."""
EXTENTS: Mapping[str, str] = {
    **dict.fromkeys(("high", "tall", "in height"), "has_height"),
    **dict.fromkeys(("wide", "in width"), "has_width"),
    **dict.fromkeys(("deep", "in depth"), "has_depth"),
    **dict.fromkeys(("long", "in length"), "has_length"),
    **dict.fromkeys(("thick", "in thickness"), "has_thickness"),
}
MEASURED: Mapping[str, str] = {
    "with a height of": "has_height",
    "with height": "has_height",
    "height of": "has_height",
    "with a width of": "has_width",
    "with width": "has_width",
    "with a depth of": "has_depth",
    "with depth": "has_depth",
    "with a length of": "has_length",
    "with a radius of": "has_radius",
    "with radius": "has_radius",
    "of radius": "has_radius",
    "of size": "has_size",
}
BY = frozenset({"x", "by", "×", "*"})
SIDES: Mapping[str, tuple[str, ...]] = {
    "build": ("has_width", "has_thickness", "has_height", "has_length"),
    "dig": ("has_length", "has_width", "has_depth"),
}
"""The meaning of the numbers in “5 x 5 x 15”, in order."""
