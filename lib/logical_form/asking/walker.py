"""The walk over the objects of the grammar, which asks for each part of a form in order; see `walk.py`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lib.logical_form import Form
from lib.logical_form.asking.context import (
    CLAUSES,
    MORE,
    POINTERS,
    Where,
    clauses_of,
    mentioned_of,
    only_part,
    options_of,
    simple_clauses,
)
from lib.logical_form.asking.questions import Answers, Question, mentions_question, words_question
from lib.logical_form.asking.values import NOT_YET, UNKNOWN, Asking, Clash, NotYet
from lib.logical_form.grammar.types import Key, Node, Some, Span, Tagged, Type
from lib.logical_form.spans import span_of

AT_ONCE = 3
"""The most questions in one step."""
_DIRECT = 2
"""Up to this many optional spans are asked for directly; with more, a first question asks which are mentioned."""
_NOTHING_SAID = "Nothing is said here: choose at least one, or the words that say it."


@dataclass(frozen=True)
class _Lead:
    """A part of a node, its first question (None without one), and the arguments that give its value."""

    name: str
    question: Question | None
    kind: Type
    path: str
    true: Any
    where: Where


class Walker(Asking):
    """One walk over the grammar, object by object."""

    def members(self, node: Node | Tagged, keys: tuple[Key, ...], path: str, true: Any, where: Where) -> Any:
        """The object: ask which keys are mentioned, then the first question of each, then the rest of each."""
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
        properties: Form = {}
        for part in (*parts, *(one for one in asking if one not in parts)):
            if part.question and part.name not in begun:
                continue
            value = self.after(part.kind, part.path, begun.get(part.name), part.true, part.where)
            if isinstance(value, NotYet):
                continue
            (found if part in parts else properties)[part.name] = value
        if clauses is not None:
            clause = self.clauses(clauses, properties, path, true, where, first)
            found |= {clauses.name: clause} if clause else {}
        return {**found, **forced} or NOT_YET

    def joined(self, only: Key, keys: tuple[Key, ...], path: str, true: Any, where: Where) -> Any:
        """The node with one part: its own span is asked for together with the first question of that part."""
        pointers = [key for key in keys if key.name in POINTERS]
        answers = [
            self.true_answer(key.of, true[key.name]) if self.knows and key.name in true else None for key in pointers
        ]
        self.joining += [(self.words(key, path, where), one) for key, one in zip(pointers, answers, strict=True)]
        part = self.part(only, path, true, where)
        value = self.visit(only.of, part.path, part.true, part.where)
        given = self.record.get(f"{part.path}#parts", {})
        found: Form = {key.name: span_of(given[key.name]) for key in pointers if given.get(key.name)}
        return found | ({} if isinstance(value, NotYet) else {only.name: value}) or NOT_YET

    def which(
        self, node: Node | Tagged, keys: tuple[Key, ...], path: str, true: Any, where: Where
    ) -> tuple[list[Key], Answers]:
        """The mentioned keys, and the answers so far; no key is mentioned while the step is open."""
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
        tells = mentions_question(node, has_more=bool(needed))
        topic = f"what is said about {where.about or node.noun}"
        if direct:
            questions += [self.words(key, path, where) for key in optional]
        else:
            offered = (*usual, MORE) if usual and rare else usual or rare
            must = isinstance(node, Node) and not node.bare and not needed and not pointers
            questions.append(Question("tells", path, tells, "choices", offered, needed=must, name=topic))
        if not questions:
            return needed, {}
        known = mentioned_of(optional, true) if self.knows else []
        hidden = [name for name in known if usual and name in {option.value for option in rare}]
        answered: dict[str, Any] = {"tells": [*known, MORE.value] if hidden else known}
        for key in (*pointers, *(optional if direct else ())):
            answered[key.name] = self.true_answer(key.of, true[key.name]) if self.knows and key.name in true else None
        for part in with_lead:
            answered[part.name] = self.true_answer(part.kind, part.true)
        answers = self.ask(path, "parts", node.noun, where, questions, answered)
        if answers is None:
            return [], {}
        mentioned, step = list(answers.get("tells", ())), "parts"
        if MORE.value in mentioned:
            question = Question("tells", path, tells, "choices", rare, name=topic)
            further = self.ask(path, "more", node.noun, where, [question], {"tells": hidden})
            if further is None:
                # The next steps depend on all mentioned keys, so they wait; only the spans are known.
                return [key for key in pointers if key.name in answers], {**answers, "tells": ()}
            mentioned, step = [*mentioned, *further.get("tells", ())], "more"
        given = {*mentioned, *answers}
        picked = {key.name for key in keys if key.name in given or key.required}
        picked |= {key.brings for key in keys if key.name in picked and key.brings}
        if reason := _clash(node, {key.name for key in keys} & picked, mentioned):
            self.faults.append(Clash(f"{path}#{step}", questions[-1].id if step == "parts" else "tells", reason))
        return [key for key in keys if key.name in picked], {**answers, "tells": mentioned}

    def part(self, key: Key, path: str, true: Any, where: Where) -> _Lead:
        here = f"{path}/{key.name}"
        value = true.get(key.name, UNKNOWN) if self.knows else UNKNOWN
        return _Lead(
            key.name, self.lead(key.of, here, key, where), key.of, here, value, where.into(key.label, key.role)
        )

    def words(self, key: Key, path: str, where: Where) -> Question:
        """The question for an optional span."""
        ask = words_question(key)
        name = where.names(key.label)
        return Question(key.name, f"{path}/{key.name}", ask, "spans", needed=False, example=key.example, name=name)

    # Clauses -----------------------------------------------------------------------------------------------------

    def properties(self, key: Key, path: str, true: Any, where: Where, first: Answers) -> list[_Lead]:
        """The properties that the command mentions, each with the question for its words."""
        node = clauses_of(key)
        assert node is not None  # noqa: S101 - the caller has checked it
        mentioned = first.get("tells", ())
        simple = dict(simple_clauses(true.get(key.name))[0]) if self.knows else {}
        found: list[_Lead] = []
        for option in node.properties:
            if option.value in mentioned:
                here = f"{path}/{key.name}/AND/{len(found)}/obj_text"
                asked = Key(option.value, Span(), option.label, example=option.example)
                question = self.lead(Span(), here, asked, where)
                found.append(_Lead(option.value, question, Span(), here, simple.get(option.value), where))
        return found

    def clauses(self, key: Key, properties: Form, path: str, true: Any, where: Where, first: Answers) -> Form | None:
        """The clauses: first the properties with their spans, then the others one by one."""
        node = clauses_of(key)
        assert node is not None  # noqa: S101 - the caller has checked it
        clauses: list[Form] = [{"pred_text": name, "obj_text": words} for name, words in properties.items()]
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


def _clash(node: Node | Tagged, picked: set[str], mentioned: Sequence[str]) -> str | None:
    """The reason why these keys contradict each other, or why at least one is needed; None if they are valid."""
    if not picked and not mentioned and isinstance(node, Node) and not node.bare:
        return _NOTHING_SAID
    return node.rule(dict.fromkeys(picked)) if isinstance(node, Node) and node.rule else None
