"""One small task: its questions and its payload, made from the answers before it, and the effect of an answer. Pure.

A record (`logical_form.asking.walk`) has the answers so far. When no step is open, the last step shows the whole form
in words and asks if it is what the command asks for; its key is `CONFIRM`.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from annotation.tool_registry import Json
from lib.logical_form import Form
from lib.logical_form.asking.context import POINTERS
from lib.logical_form.asking.correcting import Rest, corrected, part_name, parts_of, rest_of
from lib.logical_form.asking.questions import Question, Step, answer_faults, tidy
from lib.logical_form.asking.usual import in_usual_order, usual_answers
from lib.logical_form.asking.walk import Record, cut, walk
from lib.logical_form.english.outline import outline, sentence
from lib.logical_form.grammar.types import Option
from lib.logical_form.spans import pieces_of, tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import Fault
from lib.logical_form.validate import faults_of as faults_of_form

CONFIRM = "#confirm"
ROOT = "#"
_SMALL = frozenset({"a", "an", "the", "it", "to", "of", "in", "on", "is", "and", "or", "by", "with", "at"})
"""Words that tell no answer."""
DEEPEST = 60
"""Most names in the path of a step; forms with deeper parts are refused (`validate.MOST_DEPTH`)."""
NOOP = {ROOT: {"value": "NOOP"}}
"""The record of a text that is not a command."""


def open_steps(record: Record) -> list[Step]:
    """The steps that can be asked now: those that depend on no open answer, then the last one; none after that.

    A text that is not a command has no form to look over, so there is no last step.
    """
    walked = walk(record)
    if walked.open:
        return walked.open
    return [] if record == NOOP or record.get(CONFIRM, {}).get("right") else [confirm_step(record)]


def step_named(record: Record, key: str) -> Step | None:
    """The step with this key, as it is asked after the answers in the record; None if it is not asked."""
    if key == CONFIRM:
        return confirm_step(record)
    walked = walk({name: answers for name, answers in record.items() if name != key})
    return next((step for step in walked.open if step.key == key), None)


def step_asked(record: Record, key: str) -> Step:
    """The same; a step without questions if the grammar does not ask it any more."""
    return step_named(record, key) or Step(key, key.partition("#")[0], "a question that is not asked any more", (), ())


def confirm_step(record: Record) -> Step:
    parts = tuple(
        Option(part_name(step.key, question.id), question.name or label_of(step))
        for step, question in parts_of(record)
        if not is_pointer(question)
    )
    return Step(
        CONFIRM,
        "",
        "the whole command",
        (),
        (
            Question("right", "", "Is this what it asks for?", "yes_no"),
            Question("wrong", "", "Which part is wrong?", "choice", parts, needed=False),
        ),
    )


def is_pointer(question: Question) -> bool:
    """True if the question asks only which words a part stands for as a whole; the rest of the part tells that too."""
    return question.id in POINTERS and not question.needed


def label_of(step: Step) -> str:
    """A step in words, different from the other steps of its command."""
    if step.key == CONFIRM:
        return "the whole command: is this what it asks for"
    # A question that begins with its part names it already.
    ask = step.questions[0].ask.rstrip("?").strip()
    trail = [part for part in step.trail[-2:] if not ask.lower().startswith(part.lower())]
    return " › ".join([*trail, f"{ask[:1].lower()}{ask[1:]}"])


def faults_of(record: Record, step: Step, answers: Any, *, words: int) -> list[Fault]:
    """The faults of the answers to a step, alone and together with the record; pointers relative to the answers."""
    faults = answer_faults(step, answers, words=words)
    if faults or step.key == CONFIRM:
        if not faults and answers["right"] is False and not answers.get("wrong"):
            return [Fault("/wrong", "Say which part is wrong.")]
        return faults
    after = walk({**record, step.key: tidy(step, answers)})
    clashes = [Fault(f"/{clash.question}", clash.reason) for clash in after.faults if clash.step == step.key]
    if not clashes and any(one.path.count("/") > DEEPEST for one in after.open):
        return [Fault("", "This is nested too deep: nobody says such a thing.")]
    return clashes


def with_known(step: Step, answers: Mapping[str, Any], hints: Record) -> dict[str, Any]:
    """The answers to a step, with those that are known already and are not asked again."""
    rest = rest_of(step, hints)
    return {**{name: value for name, value in rest.known.items() if name not in rest.asks}, **answers}


def tidied(step: Step, answers: Any) -> dict[str, Any]:
    """Valid answers in their one spelling; of the last step, no wrong part if all is right."""
    found = tidy(step, answers)
    if step.key == CONFIRM and found.get("right"):
        found.pop("wrong", None)
    return found


class ReadRecord(NamedTuple):
    """How far a record that a client kept itself can be followed.

    Attributes:
        known: The valid answers, in their one spelling.
        step: The first step without a valid answer; None if nothing is open.
        faults: The faults of the answers to that step; none if it has no answers.
    """

    known: dict[str, Any]
    step: Step | None
    faults: list[Fault]


def read_record(record: Mapping[str, Any], *, words: int) -> ReadRecord:
    """Follow a record from its first step; each step is checked as if it had been answered alone."""
    known: dict[str, Any] = {}
    while opened := open_steps(known):
        step = opened[0]
        faults = faults_of(known, step, record[step.key], words=words) if step.key in record else []
        if faults or step.key not in record:
            return ReadRecord(known, step, faults)
        known[step.key] = tidied(step, record[step.key])
        if step.key == CONFIRM:
            break
    return ReadRecord(known, None, [])


class AfterAnswer(NamedTuple):
    """The state of a chain after an answer.

    Attributes:
        hints: Answers that were taken out and may fit again, by step.
        is_sent_back: A step is asked again.
        is_unknown: The worker could not tell.
    """

    record: dict[str, Any]
    hints: Mapping[str, Any] = MappingProxyType({})
    is_sent_back: bool = False
    is_unknown: bool = False


def after_answer(record: Record, key: str, answer: Json, *, hints: Record = MappingProxyType({})) -> AfterAnswer:
    """The record after an answer to the step `key`; the answer has the form that `Parse.check` returns."""
    if answer.get("unknown"):
        return AfterAnswer(dict(record), hints, is_unknown=True)
    if answer.get("not_a_command"):
        return AfterAnswer(dict(NOOP))
    if "back" in answer:
        return AfterAnswer(*corrected(record, answer["back"], hints), is_sent_back=True)
    answers = answer["answers"]
    if key == CONFIRM and not answers["right"]:
        return AfterAnswer(*corrected(record, answers["wrong"], hints), is_sent_back=True)
    known = cut(record, key) if key in record else record
    # An earlier confirmation was of another form.
    after = {**{name: said for name, said in known.items() if name != CONFIRM}, key: answers}
    return AfterAnswer(after, {name: said for name, said in hints.items() if name != key})


def after_guess(guess: Record, answer: Json) -> AfterAnswer:
    """The record after what a worker said of a guess: that it is right, or which part of it is wrong."""
    if answer.get("accept"):
        return AfterAnswer({**guess, CONFIRM: {"right": True}})
    return AfterAnswer(*corrected(guess, answer["wrong"], {}))


def is_part(record: Record, part: str) -> bool:
    """True if a record has this part: a step, or a question of one."""
    return any(part in (step.key, part_name(step.key, question.id)) for step, question in parts_of(record))


# Presenting ----------------------------------------------------------------------------------------------------


def shown_step(payload: Json, step: Step) -> Json:
    """The payload that a worker gets for one step of a command.

    Beside what the contract names it has `guess` (null here, see `shown_guess`); `parts`, everything that can be wrong,
    where the step asks that; `known` and `asks`: answers of before, and the questions that they leave open.
    """
    walked = walk(payload["record"])
    rest = rest_of(step, payload.get("hints", {}))
    tokens = tokenise(payload["text"])
    return {
        **_shown_text(payload),
        "node": {
            "path": step.path,
            "noun": step.noun,
            "trail": list(step.trail),
            "words": _words_at(walked.form, step.path),
            "step": step.key,
        },
        "so_far": so_far(walked.form, payload["text"]),
        "questions": [_shown(question, tokens) for question in step.questions],
        "guess": None,
        "parts": parts_in_words(payload["record"], tokens) if step.key == CONFIRM else [],
        **_shown_rest(rest),
        "undo": walked.done[-1].key if walked.done and payload.get("own") and not payload.get("with_guess") else None,
        "back": [{"key": one.key, "label": label_of(one)} for one in walked.done] if payload.get("own") else [],
    }


def shown_next(payload: Json, record: Record) -> Json:
    """The payload for a client that keeps the record of a whole command itself: its first open step."""
    step = next(iter(open_steps(record)), None) or confirm_step(record)
    return shown_step({**payload, "record": dict(record), "own": True}, step)


def _shown_rest(rest: Rest) -> Json:
    return {"known": rest.known, "asks": rest.asks}


def shown_guess(guess: Record, text: str) -> Json:
    """A guess as a worker sees it: the form in words, and everything of it that can be wrong."""
    return {**so_far(walk(guess).form, text), "parts": parts_in_words(guess, tokenise(text))}


def parts_in_words(record: Record, tokens: Sequence[str]) -> list[Json]:
    """Everything of a record that can be wrong: its name for an answer, what it is, and what it says."""
    found = []
    for step, question in parts_of(record):
        if is_pointer(question):
            continue
        said = record[step.key].get(question.id)
        spans = said if question.kind == "spans" and said else []
        found.append(
            {
                "part": part_name(step.key, question.id),
                "label": question.name or label_of(step),
                "text": _said(question, said, tokens),
                "words": spans,
                "about": step.path,
            }
        )
    return found


def _said(question: Question, said: Any, tokens: Sequence[str]) -> str:
    if said in (None, []):
        return "nothing"
    if question.kind == "spans":
        return " … ".join(" ".join(tokens[first : last + 1]) for first, last in said)
    if question.kind == "yes_no":
        return "yes" if said else "no"
    labels = {option.value: option.label for option in question.options}
    return ", ".join(labels.get(one, one) for one in ([said] if isinstance(said, str) else said))


def shown_whole(payload: Json, reads: Json) -> Json:
    """The payload for an expert, who gives the whole form: the agent's form to begin with, and its text (`reads`)."""
    return {
        **_shown_text(payload),
        "node": None,
        "so_far": {name: reads[name] for name in ("form", "words", "outline")},
        "questions": [],
        "guess": None,
        "parts": [],
        "known": {},
        "asks": [],
        "undo": None,
        "back": [],
    }


def so_far(form: Form, text: str) -> Json:
    """A form, whole or partial, and its text."""
    tokens = tokenise(text)
    return {
        "form": form,
        "words": sentence(form, tokens) if form else "",
        "outline": [
            {
                "depth": line.depth,
                "label": line.label,
                "text": line.text,
                "words": [list(piece) for piece in line.words],
                "path": line.path,
            }
            for line in (outline(form, tokens) if form else [])
        ],
    }


def _shown_text(payload: Json) -> Json:
    return {"text": payload["text"], "tokens": tokenise(payload["text"]), "context": payload.get("context", [])}


def _shown(question: Question, tokens: Sequence[str]) -> Json:
    """A question: the commonest options first, no example with words of this command.

    `usual` has the commonest answers of several choices, `name` what the answer describes; `only_alone`: it is worth
    asking only where no other question of the step has an answer, for these tell it too.
    """
    return {
        "id": question.id,
        "path": question.path,
        "ask": question.ask,
        "kind": question.kind,
        "options": [
            {"value": option.value, "label": option.label, "example": _foreign(option.example, tokens)}
            for option in in_usual_order(question)
        ],
        "optional": not question.needed,
        "example": _foreign(question.example, tokens),
        "usual": usual_answers(question),
        "name": question.name,
        "only_alone": is_pointer(question),
    }


def _foreign(example: str, tokens: Sequence[str]) -> str:
    """The example; "" if its important words stand in the command, because then it would tell the answer."""
    words = {word for word in re.findall(r"\w+", " ".join(tokens).casefold()) if word not in _SMALL}
    meant = {word for part in re.findall(r"\*([^*]+)\*", example) for word in re.findall(r"\w+", part.casefold())}
    return "" if meant & words else example


def _words_at(form: Form, path: str) -> list[list[int]]:
    """The words of the node at a path, or of the nearest node around it."""
    here: Any = form
    found: list[list[int]] = []
    for name in path.split("/")[1:]:
        here = here.get(name) if isinstance(here, Mapping) else _at(here, name)
        if isinstance(here, Mapping) and "text_span" in here:
            found = [list(piece) for piece in pieces_of(here["text_span"])]
    return found


def _at(items: Any, place: str) -> Any:
    return items[int(place)] if isinstance(items, list) and place.isdigit() and int(place) < len(items) else None


def checked(*, text: str, form: Json) -> Json:
    """The faults of a form, its changes of old spellings, and the changed form; its text if it is valid."""
    found, changes = upgraded(form)
    faults = faults_of_form(found, words=len(tokenise(text)))
    reads = so_far({} if faults else found, text)
    return {
        "faults": [{"path": fault.path, "reason": fault.reason} for fault in faults],
        "changes": [{"path": change.path, "reason": change.reason} for change in changes],
        "form": found,
        "words": reads["words"],
        "outline": reads["outline"],
    }
