"""What one small task asks and shows, from what is known of its command; and what an answer to it does. Pure.

A record (`logical_form.walk`) has what is answered. When nothing is open any more the last step shows the whole form in
words and asks whether it is what the command asks for; its key is `CONFIRM`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from annotation.tool_registry import Json
from lib.logical_form import Form
from lib.logical_form.asking.questions import Question, Step, answer_faults, tidy
from lib.logical_form.asking.walk import Record, cut, walk
from lib.logical_form.english.outline import outline, sentence
from lib.logical_form.grammar.types import Option
from lib.logical_form.spans import pieces_of, tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import Fault
from lib.logical_form.validate import faults_of as faults_of_form

CONFIRM = "#confirm"
ROOT = "#"
DEEPEST = 60
"""Names in the path of a step, at most; forms with deeper parts are refused (`validate.MOST_DEPTH`)."""
NOOP = {ROOT: {"value": "NOOP"}}
"""The record of what is no command."""


def open_steps(record: Record) -> list[Step]:
    """What can be asked now: the steps that depend on no open answer, then the last; nothing once that is answered."""
    walked = walk(record)
    if walked.open:
        return walked.open
    return [] if record.get(CONFIRM, {}).get("right") else [confirm_step(record)]


def step_named(record: Record, key: str) -> Step | None:
    """The step of this key, as it is asked of somebody for whom the record is what is known."""
    if key == CONFIRM:
        return confirm_step(record)
    walked = walk({name: answers for name, answers in record.items() if name != key})
    return next((step for step in walked.open if step.key == key), None)


def step_asked(record: Record, key: str) -> Step:
    """The same; one without questions where the grammar asks no such thing any more."""
    return step_named(record, key) or Step(key, key.partition("#")[0], "a question that is not asked any more", (), ())


def confirm_step(record: Record) -> Step:
    parts = tuple(Option(step.key, label_of(step)) for step in walk(record).done)
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


def label_of(step: Step) -> str:
    """A step in words, to tell it from the others of its command."""
    if step.key == CONFIRM:
        return "the whole command: is this what it asks for"
    # A question that begins with its part names it already.
    ask = step.questions[0].ask.rstrip("?").strip()
    trail = [part for part in step.trail[-2:] if not ask.lower().startswith(part.lower())]
    return " › ".join([*trail, f"{ask[:1].lower()}{ask[1:]}"])


def faults_of(record: Record, step: Step, answers: Any, *, words: int) -> list[Fault]:
    """What is wrong with the answers of a step, by themselves and beside what is known; pointers from the answers."""
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


def tidied(step: Step, answers: Any) -> dict[str, Any]:
    """Valid answers in their one spelling; of the last step, no wrong part where all is right."""
    found = tidy(step, answers)
    if step.key == CONFIRM and found.get("right"):
        found.pop("wrong", None)
    return found


class ReadRecord(NamedTuple):
    """How far a record that somebody kept themselves can be followed.

    Attributes:
        known: The answers that answer their steps, in their one spelling.
        step: The first step that they do not answer; None if nothing is open.
        faults: What is wrong with the answers to that step; none where there are no answers.
    """

    known: dict[str, Any]
    step: Step | None
    faults: list[Fault]


def read_record(record: Mapping[str, Any], *, words: int) -> ReadRecord:
    """Follow a record from its first step, each checked as if its answers had been given alone."""
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


class Moved(NamedTuple):
    """Where a chain stands after an answer: what is known, and whether a step is asked again, or nothing more is."""

    record: dict[str, Any]
    is_sent_back: bool = False
    is_unknown: bool = False


def moved(record: Record, key: str, answer: Json) -> Moved:
    """The record after an answer to the step `key`, in the form that `Parse.check` gives it."""
    if answer.get("unknown"):
        return Moved(dict(record), is_unknown=True)
    if answer.get("not_a_command"):
        return Moved(dict(NOOP))
    if "back" in answer:
        return Moved(dict(cut(record, answer["back"])), is_sent_back=True)
    answers = answer["answers"]
    if key == CONFIRM and not answers["right"]:
        return Moved(dict(cut(record, answers["wrong"])), is_sent_back=True)
    known = cut(record, key) if key in record else record
    # Whoever said that all is right had another form before them.
    return Moved({**{name: said for name, said in known.items() if name != CONFIRM}, key: answers})


# What is shown -------------------------------------------------------------------------------------------------


def shown_step(payload: Json, step: Step) -> Json:
    """What a worker is served for one step of a command."""
    walked = walk(payload["record"])
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
        "questions": [_shown(question) for question in step.questions],
        "back": [{"key": one.key, "label": label_of(one)} for one in walked.done] if payload.get("own") else [],
    }


def shown_next(payload: Json, record: Record) -> Json:
    """What somebody is served who keeps the record of a whole command themselves: its first open step."""
    step = next(iter(open_steps(record)), None) or confirm_step(record)
    return shown_step({**payload, "record": dict(record), "own": True}, step)


def shown_whole(payload: Json, reads: Json) -> Json:
    """What an expert is served, who gives the whole form: the agent's own to begin with, and how it `reads`."""
    return {
        **_shown_text(payload),
        "node": None,
        "so_far": {name: reads[name] for name in ("form", "words", "outline")},
        "questions": [],
        "back": [],
    }


def so_far(form: Form, text: str) -> Json:
    """A form, whole or in part, and how it reads."""
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


def _shown(question: Question) -> Json:
    return {
        "id": question.id,
        "path": question.path,
        "ask": question.ask,
        "kind": question.kind,
        "options": [
            {"value": option.value, "label": option.label, "example": option.example} for option in question.options
        ],
        "optional": not question.needed,
        "example": question.example,
    }


def _words_at(form: Form, path: str) -> list[list[int]]:
    """The words that the node at a path, or the nearest around it, is known to stand for."""
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
    """The faults of a form, what was rewritten of old spellings, the form so rewritten; if it is valid, its words."""
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
