"""From answers to a form, and from a form to answers: the questions that the grammar asks, node by node.

What is known of a command is a record: the answers of its steps, by their keys. A walk goes over the grammar from the
root, reads from the record what was answered, and stops wherever it was not: there a step is open. What depends on no
open answer is asked at the same time. So the form, the open steps and what stands so far all follow from the record,
and a record can be cut anywhere and asked again.

A walk that knows the form answers its own steps: so truths, references and the tests of this file are made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.logical_form import Form
from annotation.logical_form.asking import (
    CLAUSES, MORE, OTHER, POINTERS, Where, capital, clauses_of, is_pick, only_part, options_of, said_of,
    simple_clauses, tag_question,
)
from annotation.logical_form.grammar import GRAMMAR
from annotation.logical_form.questions import Answers, Question, Step, tidy
from annotation.logical_form.spans import pieces_of, span_of
from annotation.logical_form.types import (
    Box,
    Clauses,
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
    Type,
    Word,
    fits,
)

Record = Mapping[str, Answers]
"""The answers of a command's steps, by the keys of the steps."""

AT_ONCE = 3
"""Questions in one step, at most."""
_DIRECT = 2
"""So few spans are asked for at once, without asking first which of them are said."""


class _NotYet:
    """Stands for a part of the form whose answer is open."""


_NOT_YET = _NotYet()
_UNKNOWN: Any = object()
"""Stands for the true value where it is not known."""


@dataclass
class Walked:
    """Where a command stands.

    Attributes:
        form: What is known so far; the whole form once nothing is open.
        open: The steps that can be asked now, in order.
        done: The steps that were answered, in order.
    """

    form: Form
    open: list[Step] = field(default_factory=list)
    done: list[Step] = field(default_factory=list)


def walk(record: Record) -> Walked:
    """Where a command with these answers stands. What the record has beside is left alone."""
    walker = _Walker(dict(record), knows=False)
    form = walker.visit(Of("ROOT"), "", _UNKNOWN, "", ())
    return Walked({} if isinstance(form, _NotYet) else form, walker.open, walker.done)


def record_of(form: Form) -> dict[str, dict[str, Any]]:
    """The answers of somebody who knows the form, which is valid."""
    walker = _Walker({}, knows=True)
    walker.visit(Of("ROOT"), "", form, "", ())
    return {key: dict(answers) for key, answers in walker.record.items()}


def cut(record: Record, key: str) -> dict[str, Answers]:
    """The record without this step and all that followed from it, so that it is asked again."""
    path, _, part = key.partition("#")
    inside = [step.key for step in walk(record).done if step.path.startswith(f"{path}/") or step.path == path]
    later = inside[inside.index(key) :] if key in inside else []
    # What leads to the node is kept; of the node itself, what was asked before this step.
    return {name: answers for name, answers in record.items() if name not in later}


@dataclass(frozen=True)
class _Choice:
    """One way to go on: what a worker picks, when it is the true one, and what the form has then."""

    option: Option
    is_said: Callable[[Any], bool]
    then: Callable[[str, Any, Where], Any]


@dataclass(frozen=True)
class _Lead:
    """A part of a node, its first question (none where it has none), and how the rest of it is found."""

    name: str
    question: Question | None
    kind: Type
    path: str
    true: Any
    where: Where


class _Walker:
    def __init__(self, record: dict[str, Answers], *, knows: bool) -> None:
        self.record, self.knows = record, knows
        self.open: list[Step] = []
        self.done: list[Step] = []

    def ask(
        self, path: str, part: str, noun: str, where: Where, questions: Sequence[Question], true: Answers
    ) -> Answers | None:
        """The answers of a step; None if it is open."""
        step = Step(f"{path}#{part}", path, noun, trail, tuple(questions))
        answers = self.record.get(step.key)
        if answers is None and self.knows:
            answers = self.record[step.key] = tidy(step, true)
        (self.open if answers is None else self.done).append(step)
        return answers

    # Values ------------------------------------------------------------------------------------------------------

    def visit(self, kind: Type, path: str, true: Any, noun: str, where: Where, part: str = "") -> Any:
        """The value at a place, asked for by itself; `part` tells the steps of one place apart."""
        question = self.lead(kind, path, Key("value", kind, noun))
        if question is None:
            return self.after(kind, path, None, true, trail)
        answers = self.ask(path, part, noun, trail, [question], {"value": self.true_answer(kind, true)})
        if answers is None:
            return _NOT_YET
        return self.after(kind, path, answers["value"], true, trail)

    def lead(self, kind: Type, path: str, key: Key) -> Question | None:
        """The question with which a value begins; None where it begins with steps of its own, or needs none."""
        match kind:
            case Span():
                ask = key.ask or f"Which words say {key.label}?"
                return Question(key.name, path, ask, "spans", example=key.example)
            case Some(_, (_, many), least, most):
                counts = tuple(Option(str(n), str(n)) for n in range(least, most + 1))
                return Question(key.name, path, key.ask or f"How many {many}?", "choice", counts)
            case Box(inside, of):
                return self.lead(of, f"{path}/{inside}", key)
            case Fixed(options=()):
                return Question(key.name, path, key.ask or f"Write down {key.label}.", "text", example=key.example)
            case Flag():
                return None
            case Of(name) if isinstance(GRAMMAR[name], Node | Clauses):
                return None
            case _:
                options = tuple(choice.option for choice in self.choices(kind))
                ask = key.ask or tag_question(kind) or f"{capital(key.label)}?"
                found = Question(key.name, path, ask, "choice", options, example=key.example)
                return found if len(options) > 1 else None

    def true_answer(self, kind: Type, true: Any) -> Any:
        """What somebody who knows the value answers to its leading question."""
        if not self.knows:
            return None
        match kind:
            case Span():
                return [list(piece) for piece in pieces_of(true)]
            case Some():
                return str(len(true))
            case Box(inside, of):
                return self.true_answer(of, true[inside])
            case Fixed(options=()):
                return true["fixed_value"]
            case _:
                return next(choice.option.value for choice in self.choices(kind) if choice.issaid_of(true))

    def after(self, kind: Type, path: str, answer: Any, true: Any, where: Where) -> Any:
        """The value, once its leading question is answered."""
        match kind:
            case Span():
                return span_of(answer)
            case Some(of, (one, _)):
                return self.items(of, path, int(answer), true, one, trail)
            case Box(inside, of):
                true_inside = true[inside] if self.knows else _UNKNOWN
                found = self.after(of, f"{path}/{inside}", answer, true_inside, trail)
                return found if isinstance(found, _NotYet) else {inside: found}
            case Fixed(options=()):
                return {"fixed_value": answer}
            case Flag(value):
                return value
            case Of(name) if isinstance(node := GRAMMAR[name], Node):
                return self.members(node.noun, node.keys, path, true, trail)
            case _:
                choices = self.choices(kind)
                chosen = next((one for one in choices if one.option.value == answer), choices[0])
                return chosen.then(path, true, trail)

    def items(self, of: Type, path: str, count: int, true: Any, one: str, where: Where) -> Any:
        found = []
        for index in range(count):
            here = (*trail, f"{one} {index + 1}") if count > 1 else trail
            value = true[index] if self.knows else _UNKNOWN
            found.append(self.visit(of, f"{path}/{index}", value, one, here))
        return [item for item in found if not isinstance(item, _NotYet)] or _NOT_YET

    # Choices -----------------------------------------------------------------------------------------------------

    def choices(self, kind: Type) -> list[_Choice]:
        """The ways to give a value that are told apart by one pick; shapes that are picks themselves are spliced in."""
        match kind:
            case Word(options):
                return [self._plain(option, option.value) for option in options]
            case Fixed(options, others):
                found = [self._plain(option, {"fixed_value": option.value}) for option in options]
                return [*found, self._written(options)] if others else found
            case OneOf(shapes):
                return [choice for shape in shapes for choice in self._of_shape(shape)]
            case Of(name):
                node = GRAMMAR[name]
                if isinstance(node, Tagged):
                    return [self._variant(node, index) for index in range(len(node.variants))]
                assert isinstance(node, OneOf)  # noqa: S101 - what has steps of its own is no choice
                return self.choices(node)
            case _:
                raise AssertionError(f"{kind} is no choice")

    def _plain(self, option: Option, value: Any) -> _Choice:
        return _Choice(option, lambda true: bool(true == value), lambda *_: value)

    def _written(self, known: tuple[Option, ...]) -> _Choice:
        """The choice of any other text, asked for in a step of its own."""
        values = {option.value for option in known}

        def then(path: str, true: Any, where: Where) -> Any:
            question = Question("text", path, "Write it down.", "text")
            said = true["fixed_value"] if self.knows else None
            answers = self.ask(path, "text", "it", trail, [question], {"text": said})
            return _NOT_YET if answers is None else {"fixed_value": answers["text"]}

        return _Choice(
            OTHER, lambda true: isinstance(true, dict) and true.get("fixed_value") not in {None, *values}, then
        )

    def _of_shape(self, shape: Shape) -> list[_Choice]:
        match shape.of:
            case Word() | OneOf() | Of() if not isinstance(shape.of, Of) or is_pick(shape.of):
                inner = self.choices(shape.of)
            case Fixed(options) if options:
                inner = self.choices(shape.of)
            case Template() as template:
                return [self._template(shape, template)]
            case _:
                option = Option(shape.value, shape.label, shape.example)

                def then(path: str, true: Any, where: Where) -> Any:
                    return self.visit(shape.of, path, true, shape.label, trail, shape.value)

                return [_Choice(option, lambda true: fits(shape, true), then)]
        return [
            _Choice(one.option, lambda true, one=one: fits(shape, true) and one.issaid_of(true), one.then)  # type: ignore[misc]
            for one in inner
        ]

    def _template(self, shape: Shape, template: Template) -> _Choice:
        def then(path: str, true: Any, where: Where) -> Any:
            if template.of is None:
                return template.value
            inside = template.taken_out(true)[1] if self.knows else _UNKNOWN
            found = self.visit(template.of, "/".join((path, *template.at)), inside, shape.label, trail)
            return found if isinstance(found, _NotYet) else template.filled(found)

        return _Choice(Option(shape.value, shape.label, shape.example), lambda true: fits(shape, true), then)

    def _variant(self, node: Tagged, index: int) -> _Choice:
        variant = node.variants[index]
        value = variant.option.value

        def then(path: str, true: Any, where: Where) -> Any:
            here = (*trail, variant.option.label) if node.name in ("ACTION",) else trail
            rest = self.members(node.noun, node.keys_of(variant), path, true, here)
            return {node.tag: value, **({} if isinstance(rest, _NotYet) else rest)}

        return _Choice(variant.option, lambda true: isinstance(true, dict) and true.get(node.tag) == value, then)

    # Members of an object ----------------------------------------------------------------------------------------

    def members(self, noun: str, keys: tuple[Key, ...], path: str, true: Any, where: Where) -> Any:
        """The keys of an object: which of them are said, what they begin with, then the rest of each."""
        if not keys:
            return {}
        chosen, first = self.which(noun, keys, path, true, trail)
        found: Form = {}
        forced = dict(key.needs for key in chosen if key.needs)
        parts = [self.part(key, path, true, trail) for key in keys if key in chosen and key.name not in forced]
        clauses = next((key for key in keys if clauses_of(key)), None)
        begun = dict(first)
        asking = [part for part in parts if part.question and part.name not in begun]
        if clauses is not None:
            asking += self.properties(clauses, path, true, trail, first)
        for number in range(0, len(asking), AT_ONCE):
            group = asking[number : number + AT_ONCE]
            answers = self.ask(
                path,
                f"details{number // AT_ONCE + 1}",
                noun,
                trail,
                [part.question for part in group if part.question],
                {part.name: self.true_answer(part.kind, part.true) for part in group},
            )
            begun |= answers or {}
        said: Form = {}
        for part in (*parts, *(one for one in asking if one not in parts)):
            if part.question and part.name not in begun:
                continue
            value = self.after(part.kind, part.path, begun.get(part.name), part.true, part.trail)
            if isinstance(value, _NotYet):
                continue
            (found if part in parts else said)[part.name] = value
        if clauses is not None:
            where = self.where(clauses, said, path, true, trail, first)
            found |= {clauses.name: where} if where else {}
        return {**found, **forced} or _NOT_YET

    def which(
        self, noun: str, keys: tuple[Key, ...], path: str, true: Any, where: Where
    ) -> tuple[list[Key], Answers]:
        """Which keys are said, and what is answered already; nothing is said yet where the step is open."""
        brought = {key.brings for key in keys if key.brings}
        needed = [key for key in keys if key.required]
        optional = [key for key in keys if not key.required and key.name not in (*POINTERS, *brought)]
        pointers = [key for key in keys if key.name in POINTERS and not key.required]
        questions = [self.words(key, noun, path) for key in pointers]
        leads = [self.part(key, path, true, trail) for key in needed]
        with_lead = [part for part in leads if part.question]
        if len(with_lead) + len(questions) + bool(optional) <= AT_ONCE:
            questions = [*(part.question for part in with_lead if part.question), *questions]
        else:
            with_lead = []
        direct = len(optional) <= _DIRECT and all(isinstance(key.of, Span) for key in optional)
        usual, rare = _options(optional, noun)
        if direct:
            questions += [self.words(key, noun, path) for key in optional]
        else:
            offered = (*usual, MORE) if usual and rare else usual or rare
            alone = not needed and not pointers
            questions.append(Question("tells", path, _tells(noun, needed), "choices", offered, needed=alone))
        if not questions:
            return needed, {}
        names = {key.name for key in keys}
        said = said_of(optional, true) if self.knows else []
        hidden = [name for name in said if usual and name in {option.value for option in rare}]
        answered: dict[str, Any] = {"tells": [*said, MORE.value] if hidden else said}
        for key in (*pointers, *(optional if direct else ())):
            answered[key.name] = self.true_answer(key.of, true[key.name]) if self.knows and key.name in true else None
        for part in with_lead:
            answered[part.name] = self.true_answer(part.kind, part.true)
        answers = self.ask(path, "parts", noun, trail, questions, answered)
        if answers is None:
            return [], {}
        told = list(answers.get("tells", ()))
        if MORE.value in told:
            question = Question("tells", path, _tells(noun, needed), "choices", rare)
            further = self.ask(path, "more", noun, trail, [question], {"tells": hidden})
            told += (further or {}).get("tells", ())
        picked = {*told, *answers, *(key.name for key in needed)} & names
        picked |= {key.brings for key in keys if key.name in picked and key.brings}
        return [key for key in keys if key.name in picked], {**answers, "tells": told}

    def part(self, key: Key, path: str, true: Any, where: Where) -> _Lead:
        here = f"{path}/{key.name}"
        value = true.get(key.name, _UNKNOWN) if self.knows else _UNKNOWN
        return _Lead(key.name, self.lead(key.of, here, key), key.of, here, value, (*trail, key.label))

    def words(self, key: Key, noun: str, path: str) -> Question:
        ask = f"Which words stand for {noun}?" if key.name == POINTERS[0] else f"Which words say {key.label}?"
        return Question(key.name, f"{path}/{key.name}", ask, "spans", needed=False, example=key.example)

    # Clauses -----------------------------------------------------------------------------------------------------

    def properties(self, key: Key, path: str, true: Any, where: Where, first: Answers) -> list[_Lead]:
        """The properties that are said with words of the command, each with the question for these words."""
        node = clauses_of(key)
        assert node is not None  # noqa: S101 - the caller has looked
        told = first.get("tells", ())
        simple = dict(simple_clauses(true.get(key.name))[0]) if self.knows else {}
        found = []
        for option in node.properties:
            if option.value in told:
                here = f"{path}/{key.name}/AND/{len(found)}/obj_text"
                asked = Key(option.value, Span(), option.label, example=option.example)
                question = self.lead(Span(), here, asked)
                found.append(_Lead(option.value, question, Span(), here, simple.get(option.value), trail))
        return found

    def where(self, key: Key, said: Form, path: str, true: Any, where: Where, first: Answers) -> Form | None:
        """The clauses: the properties said with words, then the others, one by one."""
        node = clauses_of(key)
        assert node is not None  # noqa: S101 - the caller has looked
        clauses: list[Form] = [{"pred_text": name, "obj_text": words} for name, words in said.items()]
        if CLAUSES.value in first.get("tells", ()):
            others = simple_clauses(true.get(key.name))[1] if self.knows else _UNKNOWN
            kind = Some(node.clause, ("further thing told", "further things are told"))
            more = self.visit(kind, f"{path}/{key.name}/AND", others, node.noun, trail)
            clauses += [] if isinstance(more, _NotYet) else more
        if len(clauses) == 1 and set(clauses[0]) <= set(node.operators):
            return clauses[0]
        return {"AND": clauses} if clauses else None
