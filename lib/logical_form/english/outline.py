"""A form in English: one sentence, and an outline that names the words of the command behind each part."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lib.logical_form import Form
from lib.logical_form.asking.context import capital
from lib.logical_form.english import vocabulary
from lib.logical_form.english.actions import Commands
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import (
    AnyNode,
    Box,
    Clauses,
    Key,
    Node,
    Of,
    OneOf,
    Some,
    Span,
    Tagged,
    Template,
    Type,
    fits,
)
from lib.logical_form.spans import Piece, is_span, joined, pieces_of

_SHORT = 2
"""A part with at most this many values is one line of the outline."""


class Line(NamedTuple):
    """One line of an outline.

    Attributes:
        depth: Indentation of the line, from 0.
        label: The name of the part in words.
        text: The value in words; empty where only the lines below it have values.
        words: The runs of words (first and last, inclusive) behind the part, including those of the lines below it.
        path: JSON pointer to the part of the form.
    """

    depth: int
    label: str
    text: str
    words: list[Piece]
    path: str


def sentence(form: Form, tokens: Sequence[str]) -> str:
    """A form as one English sentence. A partial form gives a sentence of its known parts, an empty form "".

    Words of the command stand in “ ”, values that are not words of the command in ‘ ’.
    """
    text = Commands(tokens).root(form) if form else ""
    start = len(text) - len(text.lstrip("("))
    return f"{text[:start]}{capital(text[start:])}." if text else ""


def outline(form: Form, tokens: Sequence[str]) -> list[Line]:
    """A form as indented lines, outermost part first: one line for each value and each part with several values."""
    if not form:
        return []
    return list(_Outline(tokens).root(form))


def words_under(value: Any) -> list[Piece]:
    """All runs of words that a part of a form names, in order."""
    return joined(_runs(value))


def _runs(value: Any) -> Iterator[Piece]:
    if is_span(value):
        yield from pieces_of(value)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _runs(part)
    elif isinstance(value, list):
        for part in value:
            yield from _runs(part)


class _Outline:
    def __init__(self, tokens: Sequence[str]) -> None:
        self.say = Commands(tokens)

    def root(self, form: Form) -> Iterator[Line]:
        """The lines of a whole form. Actions have no heading; any other purpose has one."""
        node = GRAMMAR["ROOT"]
        assert isinstance(node, Tagged)  # noqa: S101 - the grammar has it so
        variant = node.variant(form.get(node.tag))
        keys = node.keys_of(variant) if variant else ()
        if variant is None or variant.option.value != "HUMAN_GIVE_COMMAND":
            label = vocabulary.PURPOSES.get(variant.option.value, variant.option.label) if variant else "the command"
            yield Line(0, label, "", words_under(form), "")
            yield from self.members(keys, form, "", 1, (node.tag,))
        elif set(form) <= {node.tag}:
            yield Line(0, "do something", "", [], "")
        else:
            steps = form.get("event_sequence")
            several = isinstance(steps, list) and len(steps) > 1
            yield from self.steps(steps, "/event_sequence", 0)
            depth = 0 if several else 1
            yield from self.members(keys, form, "", depth, (node.tag, "event_sequence"))

    def steps(self, steps: Any, path: str, depth: int) -> Iterator[Line]:
        for index, step in enumerate(steps if isinstance(steps, list) else ()):
            if step == {}:
                yield Line(depth, "do something", "", [], f"{path}/{index}")
            else:
                yield from self.value(Of("STEP"), step, "", f"{path}/{index}", depth)

    def value(self, kind: Type, value: Any, label: str, path: str, depth: int) -> Iterator[Line]:
        """The lines of a value of this type."""
        match kind:
            case Box(key, of) if isinstance(value, dict):
                yield from self.value(of, value.get(key), label, f"{path}/{key}", depth)
            case OneOf(shapes):
                shape = next((one for one in shapes if not isinstance(one.of, Template) and fits(one, value)), None)
                if shape is None:
                    yield self.line(kind, value, label, path, depth)
                else:
                    yield from self.value(shape.of, value, label, path, depth)
            case Some(of, (one, _)) if isinstance(value, list):
                for index, item in enumerate(value):
                    number = f"{one} {index + 1}" if len(value) > 1 else label or one
                    yield from self.value(of, item, number, f"{path}/{index}", depth)
            case Of(name) if isinstance(value, dict):
                yield from self.node(name, value, label, path, depth)
            case _:
                yield self.line(kind, value, label, path, depth)

    def line(self, kind: Type, value: Any, label: str, path: str, depth: int) -> Line:
        return Line(depth, label, self.say.value(kind, value), words_under(value), path)

    def node(self, name: str, value: Form, label: str, path: str, depth: int) -> Iterator[Line]:
        node = GRAMMAR[name]
        if isinstance(node, OneOf):
            yield from self.value(node, value, label, path, depth)
        elif isinstance(node, Clauses):
            yield from self.clauses(node, value, label, path, depth)
        elif name in ("ACTION", "EVENT"):
            yield from self.event(name, value, path, depth)
        elif (_leaves(value) <= _SHORT and name not in vocabulary.MERGED) or name in vocabulary.WHOLE:
            yield self.line(Of(name), value, label or node.noun, path, depth)
            yield from self.pointers(value, path, depth + 1)
        elif name in vocabulary.WRAPPERS and (key := _only_key(node, value)):
            inner = self.value(key.of, value[key.name], label or node.noun, f"{path}/{key.name}", depth)
            for index, line in enumerate(inner):
                yield line if index else line._replace(words=words_under(value))
            yield from self.pointer(value, path, depth + 1)
        elif name in vocabulary.MERGED:
            yield from self.members(_keys_of(node, value), value, path, depth, ())
        else:
            variant = node.variant(value.get(node.tag)) if isinstance(node, Tagged) else None
            tag = (node.tag,) if isinstance(node, Tagged) else ()
            yield Line(depth, label or node.noun, variant.option.label if variant else "", words_under(value), path)
            yield from self.members(_keys_of(node, value), value, path, depth + 1, tag)

    def event(self, name: str, value: Form, path: str, depth: int) -> Iterator[Line]:
        node = GRAMMAR[name]
        if isinstance(node, Tagged):
            kind = str(value.get(node.tag))
            variant = node.variant(kind)
            verb = vocabulary.VERBS.get(kind, (variant.option.label if variant else "do something",))[0]
            yield Line(depth, verb, "", words_under(value), path)
            yield from self.members(node.keys_of(variant) if variant else (), value, path, depth + 1, (node.tag,))
        elif isinstance(node, Node):
            yield Line(depth, "together", "", words_under(value), path)
            yield from self.steps(value.get("event_sequence"), f"{path}/event_sequence", depth + 1)
            yield from self.members(node.keys, value, path, depth + 1, ("event_sequence",))

    def clauses(self, node: Clauses, value: Form, label: str, path: str, depth: int) -> Iterator[Line]:
        """One line for each property; properties joined by OR or NOT stand below a heading."""
        operator = next(iter(value), "")
        heading = vocabulary.OPERATORS.get(operator)
        if heading:
            yield Line(depth, heading, "", words_under(value), path)
            depth += 1
        for index, clause in enumerate(value.get(operator) or ()):
            here = f"{path}/{operator}/{index}"
            if not isinstance(clause, dict):
                continue
            if set(clause) <= set(node.operators):
                yield from self.clauses(node, clause, label, here, depth)
            elif set(clause) == {"pred_text", "obj_text"} and not _has_parts(clause["obj_text"]):
                name = str(clause["pred_text"])
                known = next((one.label for one in node.properties if one.value == name), name)
                yield self.line(_OBJECT, clause["obj_text"], known, f"{here}/obj_text", depth)
            else:
                kind = Of("COMPARATOR" if "comparison_type" in clause else "TRIPLE")
                yield from self.value(kind, clause, "", here, depth)

    def members(self, keys: Sequence[Key], value: Form, path: str, depth: int, shown: Sequence[str]) -> Iterator[Line]:
        """The keys of an object in the order of the grammar; its own span comes last."""
        known = {key.name: key for key in keys}
        names = [name for name in known if name in value] + [name for name in value if name not in known]
        for one in sorted(names, key=lambda name: name in vocabulary.POINTERS):
            part = value[one]
            is_default = part == vocabulary.DEFAULTS.get(one, _NOTHING)
            if one in shown or is_default or (one in vocabulary.POINTERS and _is_covered(one, value)):
                continue
            key = known.get(one)
            label = key.label if key else one.replace("_", " ").lower()
            if key is not None and key.name == "terminate_condition":
                yield Line(depth, key.label, self.say.until(part), words_under(part), f"{path}/{one}")
                yield from self.pointers(part, f"{path}/{one}", depth + 1)
            elif key is None:
                yield Line(depth, label, self.say.unknown(part), words_under(part), f"{path}/{one}")
            else:
                yield from self.value(key.of, part, label, f"{path}/{one}", depth)

    def pointer(self, value: Form, path: str, depth: int) -> Iterator[Line]:
        """The line of a part's own span, where its other keys do not name all of these words."""
        for name in vocabulary.POINTERS:
            if name in value and len(value) > 1 and not _is_covered(name, value):
                yield self.line(Span(), value[name], "which words say so", f"{path}/{name}", depth)

    def pointers(self, value: Any, path: str, depth: int) -> Iterator[Line]:
        """The lines of `pointer` for a part and all parts inside it."""
        if isinstance(value, dict):
            yield from self.pointer(value, path, depth)
        if isinstance(value, dict | list) and not is_span(value):
            for name, part in value.items() if isinstance(value, dict) else enumerate(value):
                yield from self.pointers(part, f"{path}/{name}", depth)


def _keys_of(node: AnyNode, value: Form) -> tuple[Key, ...]:
    if isinstance(node, Tagged):
        variant = node.variant(value.get(node.tag))
        return node.keys_of(variant) if variant else ()
    return node.keys if isinstance(node, Node) else ()


def _only_key(node: AnyNode, value: Form) -> Key | None:
    """The only key of an object beside the words it stands for, if there is one only."""
    only = [name for name in value if name not in vocabulary.POINTERS]
    return next((key for key in _keys_of(node, value) if [key.name] == only), None)


def _object() -> Type:
    triple = GRAMMAR["TRIPLE"]
    assert isinstance(triple, Node)  # noqa: S101 - the grammar has it so
    return triple.key("obj_text").of


_OBJECT = _object()
_NOTHING = object()


def _has_parts(value: Any) -> bool:
    return isinstance(value, dict) and "filters" in value


def _is_covered(pointer: str, value: Form) -> bool:
    """Whether the other keys of a part name all words of its own span."""
    rest = words_under({name: part for name, part in value.items() if name != pointer})
    return bool(rest) and rest == words_under(value[pointer])


def _leaves(value: Any) -> int:
    """How many values a part of a form has, without its own span."""
    if is_span(value) or not isinstance(value, dict | list):
        return 1
    if isinstance(value, dict):
        names = [one for one in value if one != "pred_text" and not (one in vocabulary.POINTERS and len(value) > 1)]
        if any(one in vocabulary.POINTERS and one not in names and not _is_covered(one, value) for one in value):
            return _SHORT + 1  # its own span needs a line
        return sum(_leaves(value[one]) for one in names) or 1
    return sum(_leaves(part) for part in value)
