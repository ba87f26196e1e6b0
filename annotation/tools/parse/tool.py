"""The parse annotator: workers write the logical form of a command by answering small questions (paper 004, 2.2, 2.4).

Pipelines post commands. By the project's setting `given_to`, one worker answers all steps of a command, different
workers answer them, or experts give the whole form at once. `chains` describes the way of a command.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Model, Q

from annotation.models import Annotation, Chain, Consensus, Enrolment, Project, Task
from annotation.redaction import BATCH, clean
from annotation.tool_registry import FreeText, Guesses, Json, Merged, Parts, Questions, Wholes
from annotation.tools.parse import chains, guesses, question_effort, steps
from annotation.tools.parse.agreement import (
    ACCEPT,
    ANSWERS,
    GUESS,
    NOT_A_COMMAND,
    WRONG,
    agreement,
    merged,
    scored,
)
from annotation.tools.parse.assembly import assemble
from annotation.tools.parse.practice import PRACTICE
from annotation.tools.parse.serializers import AnswerSerializer, PayloadSerializer, TruthSerializer
from annotation.tools.parse.settings import (
    BLANK_SHARE,
    EXPERTS,
    GIVEN_TO,
    MANY_WORKERS,
    ONE_WORKER,
    USUAL_BLANK_SHARE,
    given_to,
)
from annotation.tools.parse.steps import checked
from lib.faults import Fault, Invalid, moved
from lib.logical_form.asking.walk import walk
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of
from lib.question_effort import QuestionEffort
from workforce.privacy import Person

_WAYS = ("answers", "unknown", "not_a_command", "back", "form", "record")


class Parse(Parts, Guesses, Questions, FreeText):
    """The tool. The payload of a task is a posted command, or one step of a command, made by `chains`."""

    name = "parse"
    payload = PayloadSerializer
    answer = AnswerSerializer
    truth = TruthSerializer
    matter = "text"

    def check_own_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        wanted = settings.get(GIVEN_TO, ONE_WORKER)
        known = (ONE_WORKER, MANY_WORKERS, EXPERTS)
        if wanted not in known:
            raise Invalid.at(f"#/settings/{GIVEN_TO}", f"Commands are given to one of {', '.join(known)}.")
        share = settings.get(BLANK_SHARE, USUAL_BLANK_SHARE)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise Invalid.at(f"#/settings/{BLANK_SHARE}", "This is a share, from 0 to 1.")
        if project is not None and given_to(project) != wanted and project.tasks.exists():
            raise Invalid.at(f"#/settings/{GIVEN_TO}", "This cannot change once there are tasks.")

    def usual_practice(self, project: Project) -> Json | None:
        """A short command; experts write forms, which they know."""
        return None if given_to(project) == EXPERTS else PRACTICE

    def check_payload(self, payload: Json) -> None:
        """The serializer has checked the rest."""
        if "parse" in payload and "form" in payload:
            raise Invalid.at("#/parse", "The parse is given once, as `parse` or as `form`.")

    def keep_payloads(self, project: Project, payloads: Sequence[Json], *, at: datetime) -> list[Json]:
        faults: list[Fault] = []
        for number, payload in enumerate(payloads):
            try:
                self.check_payload(payload)
            except Invalid as error:
                faults += moved(error.faults, f"#/tasks/{number}/payload")
        if faults:
            raise Invalid(faults=faults)
        return [_with_form(payload) for payload in payloads]

    def are_wholes(self, project: Project) -> bool:
        return given_to(project) != EXPERTS

    def wholes_of(self, enrolment: Enrolment) -> Wholes | None:
        if given_to(enrolment.project) != ONE_WORKER:
            return None
        ways = Chain.objects.filter(worker=enrolment.worker_id, task__project=enrolment.project_id)
        return Wholes(**ways.aggregate(begun=Count("pk"), finished=Count("pk", filter=~Q(status=Chain.Status.OPEN))))

    def begin(self, wholes: Sequence[Task], *, at: datetime) -> None:
        chains.begin(wholes, at=at)

    def truth_changed(self, task: Task, *, at: datetime) -> None:
        if task.is_whole:
            chains.truth_changed(task, at=at)

    # Answers -----------------------------------------------------------------------------------------------------

    def check(self, payload: Json, answer: Json) -> Json:
        given = [way for way in _WAYS if answer.get(way) not in (None, False, "")]
        if "step" in payload:
            return self._checked_step(payload, answer, given)
        if given == ["unknown"]:
            return {"unknown": True}
        if given == ["record"]:
            return {"form": self._form_of(payload, answer["record"])}
        if given == ["form"]:
            return {"form": self._checked_form(payload, answer["form"], "#/answer/form")}
        raise Invalid.at("#/answer", "Give the form, or say that you cannot tell.")

    def _checked_step(self, payload: Json, answer: Json, given: Sequence[str]) -> Json:
        key = payload["step"]
        extra = [way for way in given if way != "answers"]
        if "form" in given or "record" in given or len(extra) > 1 or (extra and answer.get("answers")):
            raise Invalid.at("#/answer", "Give answers to the questions, or say one thing else.")
        if extra == ["back"]:
            back = answer["back"]
            if not payload.get("own") or back not in {step.key for step in walk(payload["record"]).done}:
                raise Invalid.at("#/answer/back", "There is no such step to go back to.")
            return {"answers": {}, "back": back, "step": key}
        if extra == [NOT_A_COMMAND] and key == steps.ROOT:
            # The first question has the same choice, so both give one answer.
            return {"answers": dict(steps.NOOP[steps.ROOT]), "step": key}
        if extra:
            return {"answers": {}, extra[0]: True, "step": key}
        step = steps.step_named(payload["record"], key)
        if step is None:
            raise Invalid.at("#/answer", "This question is not asked any more. Please take another task.")
        words = len(tokenise(payload["text"]))
        answers = steps.with_known(step, answer.get("answers", {}), payload.get("hints", {}))
        faults = steps.faults_of(payload["record"], step, answers, words=words)
        if faults:
            raise Invalid(faults=[Fault(f"#/answer/answers{fault.path}", fault.reason) for fault in faults])
        return {"answers": steps.tidied(step, answers), "step": key}

    def _form_of(self, payload: Json, record: Mapping[str, Any]) -> Json:
        """The form of a complete record that the client kept; each step is checked as if it had been answered alone."""
        words = len(tokenise(payload["text"]))
        read = steps.read_record(record, words=words)
        if read.step is not None and read.step.key != steps.CONFIRM:
            reason = read.faults[0].reason if read.faults else "This step is not answered."
            raise Invalid.at("#/answer/record", f"{steps.label_of(read.step)}: {reason}")
        form = walk(read.known).form
        if faults := faults_of(form, words=words):
            raise Invalid.at("#/answer/record", faults[0].reason)
        return form

    def _checked_form(self, payload: Json, form: Json, pointer: str) -> Json:
        found, _ = upgraded(form)
        faults = faults_of(found, words=len(tokenise(payload["text"])))
        if faults:
            raise Invalid(faults=[Fault(f"{pointer}{fault.path}", fault.reason) for fault in faults])
        checked: Json = found
        return checked

    def draws_guess(self, *, project: Project, worker: int, shown: Task, slot_of: Task) -> bool:
        return guesses.shows_guess(project=project, worker=worker, shown=shown, slot_of=slot_of)

    def present_guess(self, task: Task, *, shows_guess: bool) -> Json:
        if "step" not in task.payload:
            return {}
        # Read also where it is not shown, so that both take the same time.
        guess = guesses.guess_of(task.part_of_id)
        is_first = shows_guess and task.reserved_for_id is None
        return {"guess": steps.shown_guess(guess, task.payload["text"])} if guess and is_first else {}

    def check_about_guess(self, task: Task, answer: Json, *, shows_guess: bool) -> Json | None:
        given = [way for way in (ACCEPT, WRONG) if answer.get(way)]
        if not given:
            return None
        others = [way for way in _WAYS if answer.get(way) not in (None, False, "")]
        guess = guesses.guess_of(task.part_of_id) if shows_guess and task.reserved_for_id is None else None
        if guess is None or len(given) > 1 or [way for way in others if way != ANSWERS] or answer.get(ANSWERS):
            raise Invalid.at("#/answer", "There is no guess here to accept or to correct, or something is said beside.")
        if given == [WRONG] and not steps.is_part(guess, answer[WRONG]):
            raise Invalid.at("#/answer/wrong", "The guess has no such part.")
        return {"answers": {}, given[0]: answer[given[0]], GUESS: guess, "step": task.payload["step"]}

    def sets_guess_aside(self, task: Task, answer: Json) -> bool:
        return task.reserved_for_id is None and bool(answer.get(ANSWERS))

    def check_truth(self, payload: Json, truth: Json) -> Json:
        return {"form": self._checked_form(payload, truth["form"], "#/form")}

    def score(self, answer: Json, truth: Json, tolerance_s: float | None) -> float | None:
        return scored(answer, truth)

    def agree(self, a: Json, b: Json) -> float:
        return agreement(a, b)

    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
        return merged(answers, weights)

    def truth_of(self, answer: Json) -> Json | None:
        form = answer.get("form")
        return {"form": form} if form else None

    # Presenting --------------------------------------------------------------------------------------------------

    def present(self, task: Task, *, hold: str) -> Json:
        payload = task.payload
        if "step" in payload:
            return steps.shown_step(payload, steps.step_asked(payload["record"], payload["step"]))
        if task.pk is None:
            # A question of a quiz: the browser walks through the command by itself and hands in the record.
            return steps.shown_next(payload, {})
        # An agent's parse may be any JSON: only a valid one is read out.
        return steps.shown_whole(payload, checked(text=payload["text"], form=payload.get("form") or {}))

    # After an answer ---------------------------------------------------------------------------------------------

    def votes_on(self, task: Task, project: Project) -> bool:
        return task.part_of_id is None or given_to(project) == MANY_WORKERS

    def answered(self, annotation: Annotation) -> None:
        chains.answered(annotation, at=annotation.submitted_at)

    def left(self, task: Task, *, at: datetime) -> None:
        chains.leave(task, at=at)

    def assemble(self, task: Task, *, at: datetime) -> None:
        if task.is_whole and not task.is_reference:
            chains.resume(task, at=at)
            assemble(task, at=at)

    def settled(self, task: Task, consensus: Consensus) -> None:
        if task.part_of_id is not None:
            chains.settled(task, consensus, at=consensus.updated_at)

    def question_efforts(self, project: Project) -> list[QuestionEffort]:
        return question_effort.question_efforts(project)

    def erase(self, person: Person) -> dict[str, int]:
        """Remove the person's names from the few free-text answers, and from everything that was made from them.

        These are the records of chains, the steps made from them, and the forms. Costs: proportional to the number of
        the person's answers with this tool.
        """
        worker = person.worker
        mine = Annotation.objects.filter(worker=worker, project__in=self.projects())
        wholes = list(mine.values_list("task__part_of", flat=True).distinct())
        whole = Q(task__in=wholes) | Q(task__part_of__in=wholes)
        rows: Iterable[tuple[Iterable[Model], str]] = (
            (mine.iterator(chunk_size=BATCH), "answer"),
            (Chain.objects.filter(task__in=wholes).iterator(chunk_size=BATCH), "record"),
            (Chain.objects.filter(task__in=wholes).iterator(chunk_size=BATCH), "hints"),
            (Task.objects.filter(part_of__in=wholes).iterator(chunk_size=BATCH), "payload"),
            (Consensus.objects.filter(whole | Q(task__in=mine.values("task"))).iterator(chunk_size=BATCH), "answer"),
        )
        changed = sum(clean(found, field, person.mentions) for found, field in rows)
        return {"texts_in_forms": changed}


def _with_form(payload: Json) -> Json:
    """The payload with the agent's parse under the name `form`; it may be posted as `parse`."""
    if "parse" not in payload:
        return payload
    return {**{name: value for name, value in payload.items() if name != "parse"}, "form": payload["parse"]}


parse = Parse()
