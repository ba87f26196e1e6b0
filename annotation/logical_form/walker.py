"""The way over the grammar: asks for each part of a form in its order. `walk.py` says what for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.logical_form import Form
from annotation.logical_form.asking import (
    CLAUSES,
    MORE,
    OTHER,
    POINTERS,
    Where,
    capital,
    clauses_of,
    is_pick,
    only_part,
    options_of,
    said_of,
    simple_clauses,
    tag_question,
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

AT_ONCE = 3
"""Questions in one step, at most."""
_DIRECT = 2
"""So few spans are asked for at once, without asking first which of them are said."""
_NOTHING_SAID = "Nothing is said here: choose at least one, or the words that say it."


class NotYet:
    """Stands for a part of the form whose answer is open."""


_NOT_YET = NotYet()
UNKNOWN: Any = object()
"""Stands for the true value where it is not known."""


class Clash(NamedTuple):
    """Answers that cannot stand together: the step they were given in, the question to look at, and a sentence."""

    step: str
    question: str
    reason: str


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


class Walker:
    """One way over the grammar.

    Args:
        record: The answers of the steps, by their keys; one who knows the form adds their own.
        knows: Whether the true values are given along.
    """

    def __init__(self, record: dict[str, Answers], *, knows: bool) -> None:
        self.record, self.knows = record, knows
        self.open: list[Step] = []
        self.done: list[Step] = []
        self.faults: list[Clash] = []
        self.joining: list[tuple[Question, Any]] = []
        """Questions that the next step asks too, and the true answers to them."""

    def ask(
        self, path: str, part: str, noun: str, where: Where, questions: Sequence[Question], true: Answers
    ) -> Answers | None:
        """The answers of a step; None if it is open."""
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

    def visit(self, kind: Type, path: str, true: Any, where: Where, part: str = "") -> Any:
        """The value at a place, asked for by itself; `part` tells the steps of one place apart."""
        question = self.lead(kind, path, Key("value", kind, where.role or where.item), where)
        if question is None:
            return self.after(kind, path, None, true, where)
        answers = self.ask(path, part, "the command", where, [question], {"value": self.true_answer(kind, true)})
        if answers is None:
            return _NOT_YET
        return self.after(kind, path, answers["value"], true, where)

    def lead(self, kind: Type, path: str, key: Key, where: Where) -> Question | None:
        """The question with which a value begins; None where it begins with steps of its own, or needs none."""
        itself = key.label in (where.role, where.item)
        match kind:
            case Span():
                ask = where.asks(key.ask or ("Which words say it?" if itself else f"Which words say {key.label}?"))
                return Question(key.name, path, ask, "spans", example=key.example)
            case Some(_, (_, many), least, most):
                counts = tuple(Option(str(n), str(n)) for n in range(least, most + 1))
                ask = where.asks(key.ask or f"How many {many}?")
                return Question(key.name, path, ask, "choice", counts, example=key.example)
            case Box(inside, of):
                return self.lead(of, f"{path}/{inside}", key, where)
            case Fixed(options=()):
                ask = where.asks(key.ask or ("Write it down." if itself else f"Write down {key.label}."))
                return Question(key.name, path, ask, "text", example=key.example)
            case Flag():
                return None
            case Of(name) if isinstance(GRAMMAR[name], Node | Clauses):
                return None
            case _:
                options = tuple(choice.option for choice in self.choices(kind))
                own = key.ask or tag_question(kind)
                ask = where.asks(own or (f"{capital(key.label)}?" if not itself else "Which of these?"))
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
                return next(choice.option.value for choice in self.choices(kind) if choice.is_said(true))

    def after(self, kind: Type, path: str, answer: Any, true: Any, where: Where) -> Any:
        """The value, once its leading question is answered."""
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
        """The members of a list; of those that are open, an empty object holds the place."""
        found = []
        for index in range(count):
            value = true[index] if self.knows else UNKNOWN
            item = self.visit(of, f"{path}/{index}", value, where.numbered(one, index, count))
            found.append({} if isinstance(item, NotYet) else item)
        return found

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
            question = Question("text", path, where.asks("Write it down."), "text")
            said = true["fixed_value"] if self.knows else None
            answers = self.ask(path, "text", "it", where, [question], {"text": said})
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
                    # What is said in words of the command is the same thing; all else is a thing of its own.
                    here = where if _is_words(shape.of) else where.into(shape.label)
                    return self.visit(shape.of, path, true, here, shape.value)

                return [_Choice(option, lambda true: fits(shape, true), then)]
        return [
            _Choice(one.option, lambda true, one=one: fits(shape, true) and one.is_said(true), one.then)  # type: ignore[misc]
            for one in inner
        ]

    def _template(self, shape: Shape, template: Template) -> _Choice:
        def then(path: str, true: Any, where: Where) -> Any:
            if template.of is None:
                return template.value
            inside = template.taken_out(true)[1] if self.knows else UNKNOWN
            found = self.visit(template.of, "/".join((path, *template.at)), inside, where.into(shape.label))
            return found if isinstance(found, NotYet) else template.filled(found)

        return _Choice(Option(shape.value, shape.label, shape.example), lambda true: fits(shape, true), then)

    def _variant(self, node: Tagged, index: int) -> _Choice:
        variant = node.variants[index]
        value = variant.option.value

        def then(path: str, true: Any, where: Where) -> Any:
            here = where.into(variant.option.label) if node.name == "ACTION" else where
            rest = self.members(node, node.keys_of(variant), path, true, here)
            return {node.tag: value, **({} if isinstance(rest, NotYet) else rest)}

        return _Choice(variant.option, lambda true: isinstance(true, dict) and true.get(node.tag) == value, then)

    # Members of an object ----------------------------------------------------------------------------------------

    def members(self, node: Node | Tagged, keys: tuple[Key, ...], path: str, true: Any, where: Where) -> Any:
        """The keys of an object: which of them are said, what they begin with, then the rest of each."""
        if not keys:
            return {}
        if only := only_part(keys):
            return self.joined(only, keys, path, true, where)
        chosen, first = self.which(node, keys, path, true, where)
        found: Form = {}
        forced = dict(key.needs for key in chosen if key.needs)
        parts = [self.part(key, path, true, where) for key in keys if key in chosen and key.name not in forced]
        clauses = next((key for key in keys if clauses_of(key)), None)
        begun = dict(first)
        asking = [part for part in parts if part.question and part.name not in begun]
        if clauses is not None:
            asking += self.properties(clauses, path, true, where, first)
        for number in range(0, len(asking), AT_ONCE):
            group = asking[number : number + AT_ONCE]
            answers = self.ask(
                path,
                f"details{number // AT_ONCE + 1}",
                node.noun,
                where,
                [part.question for part in group if part.question],
                {part.name: self.true_answer(part.kind, part.true) for part in group},
            )
            begun |= answers or {}
        said: Form = {}
        for part in (*parts, *(one for one in asking if one not in parts)):
            if part.question and part.name not in begun:
                continue
            value = self.after(part.kind, part.path, begun.get(part.name), part.true, part.where)
            if isinstance(value, NotYet):
                continue
            (found if part in parts else said)[part.name] = value
        if clauses is not None:
            clause = self.clauses(clauses, said, path, true, where, first)
            found |= {clauses.name: clause} if clause else {}
        return {**found, **forced} or _NOT_YET

    def joined(self, only: Key, keys: tuple[Key, ...], path: str, true: Any, where: Where) -> Any:
        """A node that has one part: the words it stands for are asked for together with what that part begins with."""
        pointers = [key for key in keys if key.name in POINTERS]
        answers = [
            self.true_answer(key.of, true[key.name]) if self.knows and key.name in true else None for key in pointers
        ]
        self.joining += [(self.words(key, path, where), said) for key, said in zip(pointers, answers, strict=True)]
        part = self.part(only, path, true, where)
        value = self.visit(only.of, part.path, part.true, part.where)
        given = self.record.get(f"{part.path}#parts", {})
        found: Form = {key.name: span_of(given[key.name]) for key in pointers if given.get(key.name)}
        return found | ({} if isinstance(value, NotYet) else {only.name: value}) or _NOT_YET

    def which(
        self, node: Node | Tagged, keys: tuple[Key, ...], path: str, true: Any, where: Where
    ) -> tuple[list[Key], Answers]:
        """Which keys are said, and what is answered already; nothing is said yet where the step is open."""
        brought = {key.brings for key in keys if key.brings}
        needed = [key for key in keys if key.required]
        optional = [key for key in keys if not key.required and key.name not in (*POINTERS, *brought)]
        pointers = [key for key in keys if key.name in POINTERS and not key.required]
        questions = [self.words(key, path, where) for key in pointers]
        leads = [self.part(key, path, true, where) for key in needed]
        with_lead = [part for part in leads if part.question]
        if len(with_lead) + len(questions) + bool(optional) <= AT_ONCE:
            questions = [*(part.question for part in with_lead if part.question), *questions]
        else:
            with_lead = []
        direct = len(optional) <= _DIRECT and all(isinstance(key.of, Span) for key in optional)
        usual, rare = options_of(optional)
        tells = where.asks(node.tells or f"What {'else ' if needed else ''}do the words say about it?")
        if direct:
            questions += [self.words(key, path, where) for key in optional]
        else:
            offered = (*usual, MORE) if usual and rare else usual or rare
            must = isinstance(node, Node) and not node.bare and not needed and not pointers
            questions.append(Question("tells", path, tells, "choices", offered, needed=must))
        if not questions:
            return needed, {}
        said = said_of(optional, true) if self.knows else []
        hidden = [name for name in said if usual and name in {option.value for option in rare}]
        answered: dict[str, Any] = {"tells": [*said, MORE.value] if hidden else said}
        for key in (*pointers, *(optional if direct else ())):
            answered[key.name] = self.true_answer(key.of, true[key.name]) if self.knows and key.name in true else None
        for part in with_lead:
            answered[part.name] = self.true_answer(part.kind, part.true)
        answers = self.ask(path, "parts", node.noun, where, questions, answered)
        if answers is None:
            return [], {}
        told, step = list(answers.get("tells", ())), "parts"
        if MORE.value in told:
            question = Question("tells", path, tells, "choices", rare)
            further = self.ask(path, "more", node.noun, where, [question], {"tells": hidden})
            if further is not None:
                told, step = [*told, *further.get("tells", ())], "more"
        given = {*told, *answers}
        picked = {key.name for key in keys if key.name in given or key.required}
        picked |= {key.brings for key in keys if key.name in picked and key.brings}
        if reason := _clash(node, {key.name for key in keys} & picked, told):
            self.faults.append(Clash(f"{path}#{step}", questions[-1].id if step == "parts" else "tells", reason))
        return [key for key in keys if key.name in picked], {**answers, "tells": told}

    def part(self, key: Key, path: str, true: Any, where: Where) -> _Lead:
        here = f"{path}/{key.name}"
        value = true.get(key.name, UNKNOWN) if self.knows else UNKNOWN
        return _Lead(
            key.name, self.lead(key.of, here, key, where), key.of, here, value, where.into(key.label, key.role)
        )

    def words(self, key: Key, path: str, where: Where) -> Question:
        """The question for words that need not be there."""
        ask = key.ask or f"Which words say {key.label}?"
        return Question(key.name, f"{path}/{key.name}", where.asks(ask), "spans", needed=False, example=key.example)

    # Clauses -----------------------------------------------------------------------------------------------------

    def properties(self, key: Key, path: str, true: Any, where: Where, first: Answers) -> list[_Lead]:
        """The properties that are said with words of the command, each with the question for these words."""
        node = clauses_of(key)
        assert node is not None  # noqa: S101 - the caller has looked
        told = first.get("tells", ())
        simple = dict(simple_clauses(true.get(key.name))[0]) if self.knows else {}
        found: list[_Lead] = []
        for option in node.properties:
            if option.value in told:
                here = f"{path}/{key.name}/AND/{len(found)}/obj_text"
                asked = Key(option.value, Span(), option.label, example=option.example)
                question = self.lead(Span(), here, asked, where)
                found.append(_Lead(option.value, question, Span(), here, simple.get(option.value), where))
        return found

    def clauses(self, key: Key, said: Form, path: str, true: Any, where: Where, first: Answers) -> Form | None:
        """The clauses: the properties said with words, then the others, one by one."""
        node = clauses_of(key)
        assert node is not None  # noqa: S101 - the caller has looked
        clauses: list[Form] = [{"pred_text": name, "obj_text": words} for name, words in said.items()]
        if CLAUSES.value in first.get("tells", ()):
            others = simple_clauses(true.get(key.name))[1] if self.knows else UNKNOWN
            kind = Some(node.clause, ("further thing told", "further things are told"), most=node.most)
            more = self.visit(kind, f"{path}/{key.name}/AND", others, where, "")
            clauses += [] if isinstance(more, NotYet) else more
        if len(clauses) > node.most:
            self.faults.append(Clash(f"{path}/{key.name}/AND#", "value", f"There can be {node.most} of these at most."))
        if len(clauses) == 1 and clauses[0] and set(clauses[0]) <= set(node.operators):
            return clauses[0]
        return {"AND": clauses} if clauses else None


def _is_words(kind: Type) -> bool:
    return isinstance(kind, Span) or (isinstance(kind, Box) and isinstance(kind.of, Span))


def _clash(node: Node | Tagged, picked: set[str], told: Sequence[str]) -> str | None:
    """Why these keys cannot stand together, or why none cannot."""
    if not picked and not told and isinstance(node, Node) and not node.bare:
        return _NOTHING_SAID
    return node.rule(dict.fromkeys(picked)) if isinstance(node, Node) and node.rule else None
