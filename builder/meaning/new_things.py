"""The description of a new thing: its kind, sizes, colour, material and number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from builder.acting.acts import CannotDo, Reason
from builder.acting.shapes import Sizes, grade_of
from builder.meaning.numbers import number_in, numbers_in
from lib.logical_form import Form
from lib.logical_form.spans import is_span, words_of
from lib.voxels.shapes import Plane

_MEASURES = ("has_height", "has_width", "has_depth", "has_length", "has_thickness", "has_radius")
SIDE = "side"
_FLAT = frozenset({"flat", "horizontal", "lying", "horizontally"})
HOLLOW = frozenset({"hollow", "empty"})


@dataclass(frozen=True)
class NewThing:
    """The description of a thing to make.

    Attributes:
        name: The words for its kind in lower case; empty if there are none. The same holds for the other texts.
        size: The word for its size.
        measures: Blocks for each property of the form, such as "has_height"; SIDE if one number is all. Negative
            numbers become 0.
        tags: Other words about it.
        count: How many things to make; None if not given.
        coreference: It is "it" or "that": the thing mentioned last.
    """

    name: str = ""
    shape: str = ""
    colour: str = ""
    material: str = ""
    size: str = ""
    measures: dict[str, int] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    count: int | None = None
    coreference: bool = False

    @property
    def sizes(self) -> Sizes:
        """All measures and size words together."""
        grade = next((one for word in (self.size, *self.tags) if (one := grade_of(word)) is not None), 2)
        known = self.measures
        long, wide = known.get("has_length"), known.get("has_width")
        depth = known.get("has_thickness") or known.get("has_depth") or (wide if long else None)
        return Sizes(
            grade,
            height=known.get("has_height"),
            width=long or wide,
            depth=depth,
            radius=known.get("has_radius"),
            side=known.get(SIDE),
        )

    def plane(self, upright: Plane) -> Plane:
        """The plane of a flat thing: on the ground if the description says so, else `upright`."""
        return (
            "xz" if _FLAT & {word for one in (*self.tags, self.shape, self.name) for word in one.split()} else upright
        )

    def check_not_empty(self) -> None:
        """
        Raises:
            CannotDo: The count or a measure is 0.
        """
        if self.count == 0:
            raise CannotDo("None at all: there is nothing for me to do.", Reason.NOTHING_TO_DO)
        if 0 in self.measures.values():
            raise CannotDo("I cannot make anything so small: one block is the least.", Reason.WRONG_SIZE)

    @property
    def is_hollow(self) -> bool:
        """True if it should be empty inside."""
        return any(word in HOLLOW for tag in self.tags for word in tag.split())


def text_of(value: Any, tokens: Sequence[str]) -> str:
    """The words of a span or of a fixed value, in lower case; empty for anything else."""
    if is_span(value):
        return words_of(value, list(tokens)).lower().strip(".,!?;: ")
    if isinstance(value, dict) and isinstance(value.get("fixed_value"), str):
        return str(value["fixed_value"]).lower()
    return value.lower() if isinstance(value, str) else ""


def new_thing(described: Form | None, tokens: Sequence[str]) -> NewThing:
    """The description in a schematic or a reference object; an empty one if it is missing."""
    filters: Form = (described or {}).get("filters") or {}
    said: dict[str, str] = {}
    measures: dict[str, int] = {}
    tags: list[str] = []
    for name, words_said in _triples(filters.get("where_clause") or {}, tokens):
        if name in _MEASURES:
            if (number := number_in(words_said)) is not None:
                measures.setdefault(name, 0 if _is_negative(words_said) else number)
            else:
                tags.append(words_said)
        elif name == "has_size" and (numbers := numbers_in(words_said)):
            names = (SIDE,) if len(numbers) == 1 else ("has_width", "has_height", "has_depth")
            measures |= dict.fromkeys(names, 0) if _is_negative(words_said) else dict(zip(names, numbers, strict=False))
        elif name in ("has_tag", "has_orientation", "has_distance"):
            tags.append(words_said)
        else:
            said.setdefault(name, words_said)
    return NewThing(
        name=said.get("has_name", ""),
        shape=said.get("has_shape", ""),
        colour=said.get("has_colour", ""),
        material=said.get("has_block_type", ""),
        size=said.get("has_size", ""),
        measures=measures,
        tags=tuple(tags),
        count=_count(filters.get("selector") or {}, tokens),
        coreference=bool(filters.get("contains_coreference")),
    )


def _is_negative(said: str) -> bool:
    return said.startswith(("-", "minus "))


def _triples(clause: Any, tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each property and its words. Of alternatives only the first counts; negations are left out."""
    if not isinstance(clause, dict):
        return
    if "pred_text" in clause:
        if said := text_of(clause.get("obj_text"), tokens):
            yield str(clause["pred_text"]), said
        return
    for part in clause.get("AND") or ():
        yield from _triples(part, tokens)
    for part in (clause.get("OR") or ())[:1]:
        yield from _triples(part, tokens)


def _count(selector: Form, tokens: Sequence[str]) -> int | None:
    quantity = selector.get("return_quantity")
    if isinstance(quantity, dict) and "random" in quantity:
        return number_in(text_of(quantity["random"], tokens))
    if isinstance(quantity, dict) and "argval" in quantity:
        return None
    said = text_of(selector.get("ordinal"), tokens)
    return 1 if said == "first" else number_in(said)
