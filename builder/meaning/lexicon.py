"""The meaning of common words: nouns as kinds of thing, colours, materials and sizes."""

from collections.abc import Sequence
from itertools import pairwise

from lib.voxels.phrases import BROADER, may_pass
from lib.voxels.table import PALETTE


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


ANYTHING = word_set(
    "thing object item one stuff structure shape construction something anything everything that this it there "
    "element piece part figure build creation"
)
"""Nouns that fit every thing."""
_NOUNS: dict[str, str] = {
    "cube": "cube box crate block dice die chest",
    "sphere": "sphere ball globe orb planet",
    "pyramid": "pyramid",
    "square": "square tile frame",
    "circle": "circle ring disc disk hoop wheel loop",
    "triangle": "triangle",
    "dome": "dome hemisphere igloo",
    "arch": "arch archway gate gateway bridge doorway portal",
    "rectangle": "rectangle slab plate panel board",
    "rectanguloid": "rectanguloid cuboid brick box prism bar block",
    "wall": "wall fence barrier",
    "tower": "tower pillar column pole post skyscraper stack spire",
    "row": "row line road path track street beam",
    "floor": "floor platform carpet square plaza field",
    "house": "house home hut cottage building shelter cabin shack room",
    "hole": "hole pit ditch trench well cave tunnel crater pool pond gap",
    "block": "block voxel",
    "stairs": "stairs stair staircase steps",
}
NOUN_KINDS: dict[str, dict[str, float]] = {}
"""The kinds that each noun can mean, and how well it fits them: 1 for the kind's own word."""
for _kind, _words in _NOUNS.items():
    for _word in _words.split():
        NOUN_KINDS.setdefault(_word, {})[_kind] = 1.0 if _word == _kind else 0.9
for _kind, _wide in BROADER.items():
    for _word in _wide:
        NOUN_KINDS[_word].setdefault(_kind, 0.7)
_COLOURS = {
    "grey": "gray",
    "golden": "yellow",
    "violet": "purple",
    "lilac": "purple",
    "turquoise": "cyan",
    "teal": "cyan",
    "aqua": "cyan",
    "crimson": "red",
    "scarlet": "red",
    "beige": "yellow",
    "tan": "brown",
    "dark": "black",
}
COLOURS = frozenset(material.word for material in PALETTE.values()) | set(_COLOURS)
"""Every colour word that is understood; some are two words."""
_MATERIALS = {"wooden": "wood", "golden": "gold", "metal": "iron", "steel": "iron", "woolen": "wool", "rock": "stone"}
_SMALL = "small tiny little mini minute short low narrow thin shallow miniature smaller smallest"
_BIG = "big large huge giant great tall high long wide massive gigantic enormous deep thick bigger biggest larger"
SIZES: dict[str, str] = {
    **dict.fromkeys(word_set(_SMALL), "small"),
    **dict.fromkeys(word_set(_BIG), "big"),
    **dict.fromkeys(word_set("medium normal middling average mid-sized"), "medium"),
}
"""Each size word as "small", "medium" or "big"."""
_MANY = word_set("them those these they ones")
_PLURALS = {"boxes": "box", "dice": "die", "arches": "arch", "men": "man", "people": "person", "leaves": "leaf"}
_SINGULAR = word_set("grass glass moss cactus bus is this stairs fence")
_DROPPED = word_set("the a an some any all every each my your our of that this those these please")


def plain_words(words: Sequence[str]) -> list[str]:
    """The words in lower case, without punctuation at their ends, and without articles and the like."""
    bare = (word.lower().replace("(s)", "s").strip(".,!?;:'\"()").removesuffix("'s") for word in words)
    return [word for word in bare if word and word not in _DROPPED]


def singular(word: str) -> str:
    """The singular of a noun.

    >>> [singular(word) for word in ("cubes", "boxes", "arches", "glass", "houses", "berries")]
    ['cube', 'box', 'arch', 'glass', 'house', 'berry']
    """
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _SINGULAR or word.endswith("ss") or len(word) < 4 or not word.endswith("s"):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def is_plural(word: str) -> bool:
    """True if the word means several things: "cubes", "them"."""
    return word in _MANY or word in _PLURALS or singular(word) != word


def is_anything(word: str) -> bool:
    """True if the noun fits every thing."""
    return singular(word) in ANYTHING


def colour_meant(words: Sequence[str]) -> str | None:
    """The colour word of the block table that these words contain; None if there is none.

    >>> colour_meant(["Light", "Blue"]), colour_meant(["grey"]), colour_meant(["house"])
    ('light blue', 'gray', None)
    """
    bare = plain_words(words)
    pairs = [" ".join(pair) for pair in pairwise(bare)]
    for said in (*pairs, *bare):
        if said.replace("grey", "gray") in COLOURS:
            said = said.replace("grey", "gray")
            return _COLOURS.get(said, said)
    return None


def colour_fit(word: str, colours: dict[str, float]) -> float:
    """The fit of a colour word with a thing's colours: 1 for the main colour, less for a similar one."""
    most = next(iter(colours), None)
    if most is None:
        return 0.0
    if word == most:
        return 1.0
    if colours.get(word, 0.0) >= 0.3:
        return 0.8
    return 0.6 if may_pass(word, most) else 0.0


def blocks_meant(words: Sequence[str]) -> frozenset[int]:
    """The ids of the blocks whose names have all these words: "oak wood", "gold blocks"; empty for an unknown material.

    A colour word before a material, as in "red wool", is one of these words.
    """
    wanted = {_MATERIALS.get(word, word) for word in map(singular, plain_words(words)) if not word.startswith("block")}
    if not wanted:
        return frozenset()
    return frozenset(id_ for id_, one in PALETTE.items() if wanted <= {singular(w) for w in one.name.lower().split()})


def size_meant(words: Sequence[str]) -> str | None:
    """ "small", "medium" or "big" if these words contain a size."""
    return next((SIZES[word] for word in plain_words(words) if word in SIZES), None)
