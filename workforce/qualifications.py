"""Qualifications: a quiz in data, a worker's attempts at it, and the grant after a passed one.

Order of locks: the worker's row first, so that two tabs of one worker wait for each other, and neither starts or ends
an attempt without the other seeing it.
"""

import logging
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random, SystemRandom
from typing import Any, ClassVar, NamedTuple, TypedDict

from django.db import transaction
from django.db.models import F, Q

from audit.changes import LONGEST_KEPT, changes
from audit.log import Subject, record
from common.data.put_row import replace_content
from lib.canonical_json import canonical
from lib.faults import Conflict, Forbidden, Invalid, NotFound
from lib.statistics.items import ItemFigures, item_figures
from workforce import blocking
from workforce.models import Attempt, Grant, Qualification, Worker
from workforce.questions import Question, check_answers, check_questions, drawn, is_right, is_same
from workforce.signals import attempt_finished

logger = logging.getLogger(__name__)
_system_random = SystemRandom()


class QualificationBody(TypedDict):
    """A qualification as it is put, defaults applied."""

    title: str
    pages: list[str]
    questions: list[Question]
    draw: int | None
    pass_mark: float
    attempts: int
    cool_off_s: int
    valid_s: int | None


class AttemptsUsed(Forbidden):
    """The worker has no attempt left."""

    code: ClassVar[str] = "attempts_used"
    sentence = "You have used all your attempts at this quiz. Write to us if you think that something went wrong."


class CoolOff(Forbidden):
    """The worker failed a short time ago and must wait."""

    code: ClassVar[str] = "cool_off"
    sentence = "You can take the quiz again at {again_at}. Until then you may read its pages once more."

    def __init__(self, *, again_at: datetime, at: datetime) -> None:
        super().__init__(again_at=f"{whole_minute(again_at):%Y-%m-%d %H:%M} UTC")
        self.again_at = again_at
        self.wait = math.ceil((again_at - at).total_seconds())
        """Seconds; it becomes `Retry-After`."""


def whole_minute(at: datetime) -> datetime:
    """The next whole minute, for pages that show a time without seconds: a worker who comes then is not too early.

    >>> from datetime import UTC
    >>> whole_minute(datetime(2026, 11, 21, 12, 9, 0, 1, tzinfo=UTC)).minute
    10
    """
    return (at + timedelta(seconds=59, microseconds=999_999)).replace(second=0, microsecond=0)


class AlreadyPassed(Conflict):
    """Other answers came after the quiz was passed."""

    code: ClassVar[str] = "already_passed"
    sentence = "You have passed this quiz already. Nothing more is needed: you can start."


class State(NamedTuple):
    """A worker's state in a quiz.

    Attributes:
        grant: The valid one, if the worker holds the qualification.
        open: The attempt that was begun and not yet handed in.
        last: The last one that was handed in, since an earlier grant expired.
        attempts_left: The number that may still be handed in, an open one included.
        again_at: The time from which the next may begin; None: at once.
    """

    grant: Grant | None
    open: Attempt | None
    last: Attempt | None
    attempts_left: int
    again_at: datetime | None


# Making ------------------------------------------------------------------------------------------------------


def qualification_named(slug: str) -> Qualification:
    """The qualification; 404 if there is none. 1 query."""
    found = Qualification.objects.filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def put_qualification(*, slug: str, body: QualificationBody, by: str, at: datetime) -> tuple[Qualification, bool]:
    """Create or replace it; return True if it is new. Equal content changes nothing.

    Open attempts keep the questions that they were begun with, and grants stay.

    Raises:
        Invalid: with a pointer to each fault of the questions.
    """
    content = {**body, "questions": check_questions(body["questions"], draw=body["draw"])}
    subject = Subject("qualification", slug)
    with transaction.atomic():
        found, is_new = Qualification.objects.select_for_update().get_or_create(
            slug=slug, defaults={**content, "created_at": at}
        )
        if is_new:
            record(verb="qualification.created", actor=by, subject=subject, at=at, **changes({}, content))
            return found, True
        before = {name: getattr(found, name) for name in content}
        changed = sorted(replace_content(found, content))
        if changed:
            differing = changes(before, content, longest=LONGEST_KEPT)
            record(verb="qualification.changed", actor=by, subject=subject, at=at, changed=changed, **differing)
    return found, False


# Taking ------------------------------------------------------------------------------------------------------


def valid_grant(*, worker: Worker, qualification: Qualification, at: datetime) -> Grant | None:
    """The worker's grant, if it is neither revoked nor expired. 1 query."""
    return Grant.objects.valid(at=at).filter(worker=worker, qualification=qualification).first()


def state_of(*, worker: Worker, qualification: Qualification, at: datetime) -> State:
    """The worker's state in the quiz. 3 queries.

    Attempts are counted again from zero after a grant has expired: a worker who passed once may qualify again. After a
    revocation they are not, so the worker tries again only while some are left.
    """
    grant = valid_grant(worker=worker, qualification=qualification, at=at)
    ended_by_time = Q(revoked_at=None) | Q(revoked_at__gte=F("expires_at"))
    ran_out = (
        Grant.objects.filter(ended_by_time, worker=worker, qualification=qualification, expires_at__lte=at)
        .order_by("-expires_at")
        .values_list("expires_at", flat=True)
        .first()
    )
    tries = Attempt.objects.filter(worker=worker, qualification=qualification).order_by("-pk")
    if ran_out is not None:
        tries = tries.filter(Q(finished_at=None) | Q(finished_at__gt=ran_out))
    known = list(tries[: qualification.attempts + 1])
    finished = [attempt for attempt in known if attempt.finished_at is not None]
    last = finished[0] if finished else None
    again_at = None
    if last is not None and last.finished_at is not None and not last.passed:
        ready = last.finished_at + timedelta(seconds=qualification.cool_off_s)
        again_at = ready if ready > at else None
    return State(
        grant=grant,
        open=next((attempt for attempt in known if attempt.finished_at is None), None),
        last=last,
        attempts_left=max(0, qualification.attempts - len(finished)),
        again_at=again_at,
    )


def start_attempt(
    *, worker: Worker, qualification: Qualification, at: datetime, chance: Random = _system_random
) -> Attempt:
    """The worker's open attempt; begun if there is none. A repeat has the same questions in the same order.

    Args:
        chance: Draws the questions and shuffles their options.

    Raises:
        AlreadyPassed, AttemptsUsed, CoolOff
    """
    with transaction.atomic():
        Worker.objects.select_for_update().values_list("pk").get(pk=worker.pk)
        state = state_of(worker=worker, qualification=qualification, at=at)
        check_may_try(state, at=at)
        if state.open is not None:
            return state.open
        asked = drawn(qualification.questions, draw=qualification.draw, chance=chance)
        return Attempt.objects.create(qualification=qualification, worker=worker, questions=asked, started_at=at)


def check_may_try(state: State, *, at: datetime) -> None:
    """Check that the worker may begin an attempt, or continue one.

    Raises:
        AlreadyPassed, AttemptsUsed, CoolOff
    """
    if state.grant is not None:
        raise AlreadyPassed
    if state.attempts_left == 0:
        raise AttemptsUsed
    if state.again_at is not None:
        raise CoolOff(again_at=state.again_at, at=at)


def save_answers(*, attempt: Attempt, answers: Mapping[str, Any]) -> None:
    """Save some answers of an open attempt, beside those saved before; nothing is graded and no attempt is used up.

    Raises:
        Invalid: with pointers below `#/answers`.
    """
    check_answers(attempt.questions, answers, partly=True)
    with transaction.atomic():
        kept = Attempt.objects.select_for_update().filter(pk=attempt.pk, finished_at=None).first()
        if kept is None:
            return
        attempt.answers = {**(kept.answers or {}), **answers}
        attempt.save(update_fields=["answers"])


def hand_in(*, worker: Worker, qualification: Qualification, answers: Mapping[str, Any], at: datetime) -> Attempt:
    """Grade the answers; a passed attempt gives the grant. The same answers again return the same attempt.

    Raises:
        Invalid: an answer is missing, was not asked or is not valid; the attempt stays open and is not used up.
        AlreadyPassed, AttemptsUsed, CoolOff
    """
    with transaction.atomic():
        Worker.objects.select_for_update().values_list("pk").get(pk=worker.pk)
        state = state_of(worker=worker, qualification=qualification, at=at)
        repeated = _repeated(state, answers)
        if repeated is not None:
            return repeated
        # In here, so that a refusal below undoes an attempt that nobody has seen the questions of.
        attempt = start_attempt(worker=worker, qualification=qualification, at=at)
        complete = check_answers(attempt.questions, answers)
        right = {question["id"]: is_right(question, complete[question["id"]]) for question in attempt.questions}
        attempt.answers = dict(answers)
        attempt.right = right
        attempt.score = sum(right.values()) / len(right)
        # A hair below: 0.7 of 10 questions is 7 of them, whatever a float makes of it.
        attempt.passed = attempt.score >= qualification.pass_mark - 1e-9
        attempt.finished_at = at
        attempt.save(update_fields=["answers", "right", "score", "passed", "finished_at"])
        attempt_finished.send(sender=Attempt, attempt=attempt, at=at)
        if attempt.passed:
            _grant(worker=worker, qualification=qualification, attempt=attempt, at=at)
    logger.info("attempt.finished", extra={"attempt": attempt.pk, "passed": attempt.passed})
    return attempt


def _repeated(state: State, answers: Mapping[str, Any]) -> Attempt | None:
    """The attempt in which these same answers were handed in before; a pass that was revoked since does not count."""
    last = state.last
    if state.open is not None or last is None or (last.passed and state.grant is None):
        return None
    return last if canonical(last.answers) == canonical(dict(answers)) else None


# Grants ------------------------------------------------------------------------------------------------------


def _grant(*, worker: Worker, qualification: Qualification, attempt: Attempt | None, at: datetime) -> Grant:
    """A new grant; an expired one is replaced by it. Locks: call with the worker locked."""
    Grant.objects.filter(worker=worker, qualification=qualification, revoked_at=None).update(revoked_at=at)
    valid_s = qualification.valid_s
    return Grant.objects.create(
        qualification=qualification,
        worker=worker,
        attempt=attempt,
        granted_at=at,
        expires_at=at + timedelta(seconds=valid_s) if valid_s is not None else None,
    )


def give(*, worker: Worker, qualification: Qualification, by: str, at: datetime) -> Grant:
    """Grant the qualification without the quiz, for as long as a passed quiz would; a valid grant stays as it is."""
    with transaction.atomic():
        Worker.objects.select_for_update().values_list("pk").get(pk=worker.pk)
        held = valid_grant(worker=worker, qualification=qualification, at=at)
        if held is not None:
            return held
        grant = _grant(worker=worker, qualification=qualification, attempt=None, at=at)
        _record("grant.given", grant, changes({"valid": False}, _shown(grant)), by=by, at=at)
    return grant


def revoke(*, grant: Grant, reason: str, by: str, at: datetime) -> None:
    """Take a grant back, passed or given, so that claims are refused again. A repeat changes nothing.

    Raises:
        Invalid: there is no reason.
    """
    if not reason.strip():
        raise Invalid.at("#/reason", "A revocation needs a reason that a person can read.")
    with transaction.atomic():
        changed = Grant.objects.valid(at=at).filter(pk=grant.pk).update(revoked_at=at)
        if changed:
            ended = changes(_shown(grant), {"valid": False})
            _record("grant.revoked", grant, ended, by=by, at=at, reason=reason)


def _shown(grant: Grant) -> dict[str, Any]:
    """A valid grant, as the audit log shows it."""
    return {"valid": True, "expires_at": grant.expires_at.isoformat() if grant.expires_at else None}


def _record(verb: str, grant: Grant, changed: Mapping[str, Any], *, by: str, at: datetime, reason: str = "") -> None:
    subject = blocking.subject_of(grant.worker)
    slug = grant.qualification.slug
    record(verb=verb, actor=by, subject=subject, at=at, reason=reason, qualification=slug, grant=grant.pk, **changed)


class Item(NamedTuple):
    """A question of the bank with its figures; None where no worker has answered it as it is now."""

    question: Question
    figures: ItemFigures | None


def items_of(qualification: Qualification) -> list[Item]:
    """Each question with its difficulty and discrimination.

    Of every worker the first answer to a question counts, because later ones have learnt from it. Answers to an earlier
    text of the question do not count. 1 query; it reads every attempt.
    """
    bank: list[Question] = qualification.questions
    place = {question["id"]: number for number, question in enumerate(bank)}
    first: dict[tuple[int, int], bool] = {}
    tries = Attempt.objects.filter(qualification=qualification, finished_at__isnull=False).order_by("pk")
    for worker, asked, right in tries.values_list("worker_id", "questions", "right").iterator(chunk_size=500):
        for question in asked:
            number = place.get(question["id"])
            if number is not None and (worker, number) not in first and is_same(question, bank[number]):
                first[worker, number] = bool((right or {})[question["id"]])
    figures = item_figures([worker for worker, _ in first], [item for _, item in first], list(first.values()))
    return [Item(question, figures.get(number)) for number, question in enumerate(bank)]
