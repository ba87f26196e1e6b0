"""Ask for the values of a form: the question for each value, and the value that an answer gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lib.logical_form.asking.context import OTHER, Where, is_pick, tag_question
from lib.logical_form.asking.questions import (
    Answers,
    Question,
    Step,
    choice_question,
    number_question,
    text_question,
    tidy,
    words_question,
)
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import (
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
from lib.logical_form.spans import pieces_of, span_of

_ACTION = Of("ACTION")
GIVE_COMMAND = "HUMAN_GIVE_COMMAND"
ONE = "ONE_"
"""The prefix of the choices that the whole command is one action: ONE_BUILD."""


class NotYet:
    """A placeholder for a part of the form whose question is not answered yet."""


NOT_YET = NotYet()
UNKNOWN: Any = object()
"""A placeholder for the true value where it is not known."""


class Clash(NamedTuple):
    """Answers that contradict each other: their step, the question to change, and a sentence."""

    step: str
    question: str
    reason: str


@dataclass(frozen=True)
class Choice:
    """One choice: its option, the test whether it is true of a value, and the function that gives the form's value."""

    option: Option
    is_true: Callable[[Any], bool]
    then: Callable[[str, Any, Where], Any]


class Asking:
    """One walk over the grammar.

    Args:
        record: Answers of the steps by step key. A walk that knows the form adds its answers to it.
        knows: Whether the walk knows the form: then every `true` argument is the true value.
        joins: Whether a walk that knows the form names a command of one action by that action at once.
    """

    def __init__(self, record: dict[str, Answers], *, knows: bool, joins: bool = True) -> None:
        self.record, self.knows, self.joins = record, knows, joins
        self.open: list[Step] = []
        self.done: list[Step] = []
        self.faults: list[Clash] = []
        self._choices: dict[int, list[Choice]] = {}
        self.joining: list[tuple[Question, Any]] = []
        """Questions that the next step asks in addition, with their true answers."""

    def ask(
        self, path: str, part: str, noun: str, where: Where, questions: Sequence[Question], true: Answers
    ) -> Answers | None:
        """The answers of a step; None if the step is not answered yet."""
        joining, self.joining = self.joining, []
        all_questions = (*(question for question, _ in joining), *questions)
        step = Step(f"{path}#{part}", path, where.role or where.item or noun, where.trail, all_questions)
        answers = self.record.get(step.key)
        if answers is None and self.knows:
            answers = tidy(step, {**true, **{question.id: answer for question, answer in joining}})
            self.record[step.key] = answers
        (self.open if answers is None else self.done).append(step)
        return answers

    # Values ------------------------------------------------------------------------------------------------------

    def visit(self, kind: Type, path: str, true: Any, where: Where, part: str = "", ask: str = "") -> Any:
        """Ask for the value at a place in a step of its own; `part` distinguishes the steps of one place."""
        question = self.lead(kind, path, Key("value", kind, where.role or where.item, ask), where)
        if question is None:
            return self.after(kind, path, None, true, where)
        answers = self.ask(path, part, "the command", where, [question], {"value": self.true_answer(kind, true)})
        if answers is None:
            return NOT_YET
        return self.after(kind, path, answers["value"], true, where)

    def lead(self, kind: Type, path: str, key: Key, where: Where) -> Question | None:
        """The first question about a value; None where the value has steps of its own or needs no question."""
        itself = key.label in (where.role, where.item)
        part = where.names(key.label or where.about or "what to do", key.name)
        match kind:
            case Span():
                ask = words_question(key, part=where.about, is_the_part=itself)
                return Question(key.name, path, ask, "spans", example=key.example, name=part)
            case Some(_, (_, many), least, most):
                counts = tuple(Option(str(n), str(n)) for n in range(least, most + 1))
                ask = number_question(key, many)
                return Question(key.name, path, ask, "choice", counts, example=key.example, name=f"how many {many}")
            case Box(inside, of):
                return self.lead(of, f"{path}/{inside}", key, where)
            case Fixed(options=()):
                ask = text_question(key, is_the_part=itself)
                return Question(key.name, path, ask, "text", example=key.example, name=part)
            case Flag():
                return None
            case Of(name) if isinstance(GRAMMAR[name], Node | Clauses):
                return None
            case _:
                options = tuple(choice.option for choice in self.choices(kind))
                ask = choice_question(key, tag_question(kind), is_the_part=itself)
                found = Question(key.name, path, ask, "choice", options, example=key.example, name=part)
                return found if len(options) > 1 else None

    def true_answer(self, kind: Type, true: Any) -> Any:
        """The true answer to the first question about a known value; None if the walk does not know the form."""
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
                return next(choice.option.value for choice in self.choices(kind) if choice.is_true(true))

    def after(self, kind: Type, path: str, answer: Any, true: Any, where: Where) -> Any:
        """The value that follows from the answer to its first question."""
        match kind:
            case Span():
                return span_of(answer)
            case Some(of, (one, _)):
                return self.items(of, path, int(answer), true, one, where)
            case Box(inside, of):
                true_inside = true[inside] if self.knows else UNKNOWN
                found = self.after(of, f"{path}/{inside}", answer, true_inside, where)
                return found if isinstance(found, NotYet) else {inside: found}
            case Fixed(options=()):
                return {"fixed_value": answer}
            case Flag(value):
                return value
            case Of(name) if isinstance(node := GRAMMAR[name], Node):
                return self.members(node, node.keys, path, true, where)
            case _:
                choices = self.choices(kind)
                chosen = next((one for one in choices if one.option.value == answer), choices[0])
                return chosen.then(path, true, where)

    def items(self, of: Type, path: str, count: int, true: Any, one: str, where: Where) -> list[Any]:
        """The members of a list; an empty object stands for each member that is not answered yet."""
        found = []
        for index in range(count):
            value = true[index] if self.knows else UNKNOWN
            item = self.visit(of, f"{path}/{index}", value, where.numbered(one, index, count))
            found.append({} if isinstance(item, NotYet) else item)
        return found

    # Choices -----------------------------------------------------------------------------------------------------

    def choices(self, kind: Type) -> list[Choice]:
        """The choices of one question about a value; a shape that is a choice itself adds its own choices instead."""
        # Cached by id: each type occurs many times, and all types live as long as the grammar.
        if id(kind) not in self._choices:
            self._choices[id(kind)] = self._made_choices(kind)
        return self._choices[id(kind)]

    def _made_choices(self, kind: Type) -> list[Choice]:
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
                    variants = [self._variant(node, index) for index in range(len(node.variants))]
                    return [*self._one_action(), *variants] if name == "ROOT" else variants
                assert isinstance(node, OneOf)  # noqa: S101 - a node with steps of its own is not a choice
                return self.choices(node)
            case _:
                raise AssertionError(f"{kind} is no choice")

    def _plain(self, option: Option, value: Any) -> Choice:
        return Choice(option, lambda true: bool(true == value), lambda *_: value)

    def _written(self, known: tuple[Option, ...]) -> Choice:
        """The choice of any other text, which a step of its own asks for."""
        values = {option.value for option in known}

        def then(path: str, true: Any, where: Where) -> Any:
            question = Question("text", path, "Write it down.", "text", name=where.about)
            text = true["fixed_value"] if self.knows else None
            answers = self.ask(path, "text", "it", where, [question], {"text": text})
            return NOT_YET if answers is None else {"fixed_value": answers["text"]}

        return Choice(
            OTHER, lambda true: isinstance(true, dict) and true.get("fixed_value") not in {None, *values}, then
        )

    def _of_shape(self, shape: Shape) -> list[Choice]:
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
                    # A span describes the same thing as the part around it; any other value is a part of its own.
                    here = where if _is_words(shape.of) else where.into(shape.label)
                    return self.visit(shape.of, path, true, here, shape.value)

                return [Choice(option, lambda true: fits(shape, true), then)]
        return [
            Choice(one.option, lambda true, one=one: fits(shape, true) and one.is_true(true), one.then)  # type: ignore[misc]
            for one in inner
        ]

    def _template(self, shape: Shape, template: Template) -> Choice:
        def then(path: str, true: Any, where: Where) -> Any:
            if template.of is None:
                return template.value
            inside = template.taken_out(true)[1] if self.knows else UNKNOWN
            here = "/".join((path, *template.at))
            found = self.visit(template.of, here, inside, where, ask=template.ask)
            return found if isinstance(found, NotYet) else template.filled(found)

        return Choice(Option(shape.value, shape.label, shape.example), lambda true: fits(shape, true), then)

    def _variant(self, node: Tagged, index: int) -> Choice:
        variant = node.variants[index]
        value = variant.option.value

        def then(path: str, true: Any, where: Where) -> Any:
            here = where.into(variant.option.label) if node.name == "ACTION" else where
            rest = self.members(node, node.keys_of(variant), path, true, here)
            return {node.tag: value, **({} if isinstance(rest, NotYet) else rest)}

        return Choice(variant.option, lambda true: isinstance(true, dict) and true.get(node.tag) == value, then)

    def _one_action(self) -> list[Choice]:
        """For each action the choice that the whole command is this one action: three answers in one.

        A command of several actions, or with a part that belongs to no action, is asked for step by step.
        """
        return [self._whole(choice) for choice in self.choices(_ACTION)]

    def _whole(self, choice: Choice) -> Choice:
        def is_true(true: Any) -> bool:
            if not self.joins or not isinstance(true, dict) or set(true) != {"dialogue_type", "event_sequence"}:
                return False
            steps = true["event_sequence"]
            return true["dialogue_type"] == GIVE_COMMAND and len(steps) == 1 and choice.is_true(steps[0])

        def then(path: str, true: Any, where: Where) -> Any:
            inside = true["event_sequence"][0] if self.knows else UNKNOWN
            found = choice.then(f"{path}/event_sequence/0", inside, where)
            return {"dialogue_type": GIVE_COMMAND, "event_sequence": [found]}

        return Choice(replace(choice.option, value=f"{ONE}{choice.option.value}"), is_true, then)

    def members(self, node: Node | Tagged, keys: tuple[Key, ...], path: str, true: Any, where: Where) -> Any:
        """The object with these keys."""
        raise NotImplementedError


def _is_words(kind: Type) -> bool:
    return isinstance(kind, Span) or (isinstance(kind, Box) and isinstance(kind.of, Span))
