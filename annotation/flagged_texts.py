"""Workers' free text that seems to hold personal data: it is flagged when it is saved, and a person decides."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.models import Assignment, FlaggedText, GateAction, Project
from audit.changes import changes
from audit.log import record
from lib.faults import Conflict
from workforce import personal_data
from workforce.blocking import subject_of
from workforce.models import Attempt, Worker
from workforce.questions import TEXT

State = FlaggedText.State


def flag_text(
    subject: Assignment | GateAction | Attempt, *, text: str, at: datetime, project_id: int | None, question: str = ""
) -> FlaggedText | None:
    """Flag a worker's free text if it seems to hold personal data; call in the transaction that saves the text.

    Args:
        project_id: The project whose admins see the text; None for a quiz.
        question: The id of the question, in a quiz.
    """
    found = personal_data.flags(text)
    if not found:
        return None
    name = {Assignment: "assignment", GateAction: "gate_action", Attempt: "attempt"}[type(subject)]
    kind = {Assignment: "report", GateAction: "appeal", Attempt: "quiz"}[type(subject)]
    flags = [flag._asdict() for flag in found]
    named: dict[str, Any] = {name: subject, "question": question}
    flagged, _ = FlaggedText.objects.update_or_create(
        **named,
        defaults={
            "kind": kind,
            "project_id": project_id,
            "flags": flags,
            "state": State.NEW,
            "created_at": at,
            "decided_at": None,
            "decided_by": "",
        },
    )
    return flagged


def flag_attempt(sender: type[Attempt], *, attempt: Attempt, at: datetime, **_: object) -> None:
    """Receiver of `attempt_finished`: flag the text answers of the quiz."""
    answers = attempt.answers or {}
    for question in attempt.questions:
        answer = answers.get(question["id"])
        if question["kind"] == TEXT and isinstance(answer, str):
            flag_text(attempt, text=answer, at=at, project_id=None, question=question["id"])


def flagged_for(projects: QuerySet[Project], *, with_quizzes: bool) -> QuerySet[FlaggedText]:
    """The flagged texts of these projects, oldest first, decided or not."""
    mine = Q(project__in=projects) | Q(project=None) if with_quizzes else Q(project__in=projects)
    rows = FlaggedText.objects.filter(mine).order_by("created_at", "pk")
    return rows.select_related(
        "project", "assignment__worker", "assignment__task", "gate_action__enrolment__worker", "attempt__worker"
    )


def text_of(flagged: FlaggedText) -> str:
    """The text itself, read from its own row; "" if it is gone."""
    if flagged.assignment is not None:
        return flagged.assignment.problem_text
    if flagged.gate_action is not None:
        return flagged.gate_action.appeal
    answer = (flagged.attempt.answers or {}).get(flagged.question) if flagged.attempt else None
    return answer if isinstance(answer, str) else ""


def author_of(flagged: FlaggedText) -> Worker:
    """The worker who wrote the text."""
    if flagged.assignment is not None:
        return flagged.assignment.worker
    if flagged.gate_action is not None:
        return flagged.gate_action.enrolment.worker
    assert flagged.attempt is not None  # noqa: S101 - the database sees to it
    return flagged.attempt.worker


def redact_text(*, flagged: FlaggedText, by: str, at: datetime) -> None:
    """Remove the personal data from the text, for good.

    Raises:
        Conflict: somebody has decided already.
    """
    with transaction.atomic():
        _decide(flagged, State.REDACTED, by=by, at=at)
        # Looked at again: the places hold for the text as it is now.
        text = text_of(flagged)
        clean = personal_data.redact(text, personal_data.flags(text))
        if flagged.assignment is not None:
            Assignment.objects.filter(pk=flagged.assignment.pk).update(problem_text=clean)
        elif flagged.gate_action is not None and clean:
            GateAction.objects.filter(pk=flagged.gate_action.pk).update(appeal=clean)
        elif flagged.attempt is not None and flagged.attempt.answers:
            answers = {**flagged.attempt.answers, flagged.question: clean}
            Attempt.objects.filter(pk=flagged.attempt.pk).update(answers=answers)


def dismiss_text(*, flagged: FlaggedText, by: str, at: datetime) -> None:
    """Keep the text as it is, because it holds no personal data.

    Raises:
        Conflict: somebody has decided already.
    """
    with transaction.atomic():
        _decide(flagged, State.DISMISSED, by=by, at=at)


def _decide(flagged: FlaggedText, state: FlaggedText.State, *, by: str, at: datetime) -> None:
    waiting = FlaggedText.objects.filter(pk=flagged.pk, state=State.NEW)
    if not waiting.update(state=state, decided_at=at, decided_by=by):
        raise Conflict("Somebody has decided on this text already.")
    record(
        verb=f"text.{state.value}",
        actor=by,
        subject=subject_of(author_of(flagged)),
        project=flagged.project.slug if flagged.project else "",
        at=at,
        kind=flagged.kind,
        found=sorted({flag["kind"] for flag in flagged.flags}),
        **changes({"state": State.NEW.value}, {"state": state.value}),
    )


class Piece(NamedTuple):
    """A part of a text; `kind` "" where nothing was found in it."""

    text: str
    kind: str


def pieces(flagged: FlaggedText) -> list[Piece]:
    """The text, cut at the borders of the personal data in it."""
    text, at, cut = text_of(flagged), 0, []
    for flag in personal_data.flags(text):
        cut += [Piece(text[at : flag.start], ""), Piece(text[flag.start : flag.end], flag.kind)]
        at = flag.end
    return [piece for piece in (*cut, Piece(text[at:], "")) if piece.text]
