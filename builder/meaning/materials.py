"""The block that a word for a colour or a material means."""

from lib.voxels.table import PALETTE

STONE, GRASS, DIRT, PLANK, WATER, SAND, LEAVES, GOLD = 1, 8, 9, 13, 27, 28, 35, 66
_WOOL = {row.word: row.id for row in PALETTE.values() if row.name.endswith("Wool")}
_COLOURS = {
    **{row.word: row.id for row in reversed(PALETTE.values())},
    **_WOOL,
    "grey": _WOOL["gray"],
    "light grey": _WOOL["light gray"],
    "dark gray": _WOOL["gray"],
    "dark grey": _WOOL["gray"],
    "golden": GOLD,
    "gold": GOLD,
    "violet": _WOOL["purple"],
    "indigo": _WOOL["purple"],
    "lavender": _WOOL["purple"],
    "turquoise": _WOOL["cyan"],
    "teal": _WOOL["cyan"],
    "navy": _WOOL["blue"],
    "dark blue": _WOOL["blue"],
    "bright blue": _WOOL["blue"],
    "maroon": _WOOL["red"],
    "crimson": _WOOL["red"],
    "dark red": _WOOL["red"],
    "light green": _WOOL["lime"],
    "dark green": _WOOL["green"],
    "tan": SAND,
    "beige": SAND,
}
_MATERIALS = {
    **{row.name.lower(): row.id for row in PALETTE.values()},
    "wood": PLANK,
    "wooden": PLANK,
    "plank": PLANK,
    "oak": PLANK,
    "spruce": 14,
    "birch": 15,
    "jungle": 16,
    "acacia": 17,
    "log": 31,
    "leaf": LEAVES,
    "leave": LEAVES,
    "water": WATER,
    "glass": 68,
    "steel": 67,
    "metal": 67,
    "earth": DIRT,
    "soil": DIRT,
    "mud": DIRT,
    "rock": STONE,
    "wool": _WOOL["white"],
    "mushroom": 65,
    "flower": 63,
}
BRIGHT_WOOL = tuple(
    _WOOL[word] for word in ("red", "orange", "yellow", "green", "blue", "purple", "pink", "cyan", "white")
)
"""The agent chooses from these blocks if no colour is given."""


def block_of_colour(words: str) -> int | None:
    """The block to build from for a colour; None if there is no such colour.

    >>> [PALETTE[block_of_colour(word)].name for word in ("red", "bright green", "golden")]
    ['Red Wool', 'Green Wool', 'Gold']
    """
    return _lookup(words, _COLOURS)


def block_of_material(words: str) -> int | None:
    """The block of a material. A colour before wool counts: "red wool"."""
    words = words.lower()
    for block in _endings(words):
        if block in _MATERIALS:
            colour = _lookup(words.removesuffix(block).strip(), _WOOL) if block == "wool" else None
            return colour or _MATERIALS[block]
    return next((_MATERIALS[word] for word in words.split() if word in _MATERIALS), None)


def colour_word(block: int) -> str | None:
    """The word for a block's colour; None for air."""
    return PALETTE[block].word if block in PALETTE else None


def _lookup(words: str, table: dict[str, int]) -> int | None:
    return next((table[words] for words in _endings(words.lower()) if words in table), None)


def _endings(words: str) -> list[str]:
    """The words, then all but the first, and so on, each with and without a plural s. The word "block" is left out."""
    parts = [word for word in words.split() if word not in ("block", "blocks", "coloured", "colored")]
    whole = [" ".join(parts[start:]) for start in range(len(parts))]
    return [one for words in whole for one in (words, words.removesuffix("s"))]
