"""Corrections by two tabs at once, and beside a decision: one chain of answers, one pay, whatever the schedule."""

from datetime import timedelta
from functools import partial

import pytest

from annotation.models import Annotation, Approval, Consensus, Enrolment, Project
from annotation.pay.approvals import AlreadyDecided, Superseded, approve
from annotation.work.corrections import AnswerDecided, correct
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.crowds import PAY, make_enrolments, post_many, race, succeed
from workforce.models import LedgerEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SOON = NOON + timedelta(seconds=5)


def _submitted(number: int) -> tuple[Project, Enrolment, list[Annotation]]:
    project = make_project(base_pay=PAY, settings={"grace_s": 60})
    post_many(project, number)
    [enrolment] = make_enrolments(project, 1)
    return project, enrolment, [annotate(claim(project, enrolment.worker)) for _ in range(number)]


def _fresh(enrolment: Enrolment) -> Enrolment:
    return Enrolment.objects.select_related("project", "worker").get(pk=enrolment.pk)


def test_of_two_corrections_at_once_the_second_supersedes_the_first_and_pay_is_owed_once() -> None:
    project, enrolment, done = _submitted(6)
    for first in done:
        held = first.assignment
        assert held is not None
        answers = [{"outcome": "failure", "frame": frame} for frame in (21, 22)]
        succeed(
            race(
                *(
                    partial(correct, enrolment=_fresh(enrolment), assignment=held, answer=answer, at=SOON)
                    for answer in answers
                )
            )
        )
        chain = list(Annotation.objects.filter(task=first.task).order_by("number"))
        assert [one.superseded_by_id for one in chain] == [chain[1].pk, chain[2].pk, None]
        assert [one.assignment_id for one in chain] == [None, None, held.pk]
        assert Consensus.objects.get(task=first.task).answer["frame"] == chain[2].answer["frame"]
    assert LedgerEntry.objects.filter(worker=enrolment.worker).count() == len(done)
    found = _fresh(enrolment)
    assert (found.submitted, found.earned) == (len(done), PAY * len(done))
    assert found.project.spent == found.earned
    numbers = list(Annotation.objects.filter(project=project).order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 3 * len(done) + 1))


def test_of_a_decision_and_a_correction_at_once_one_is_told_that_it_came_second() -> None:
    make_worker()
    _, enrolment, done = _submitted(6)
    for first in done:
        held = first.assignment
        assert held is not None
        answer = {"outcome": "failure", "frame": 21}
        corrected, decided = race(
            partial(correct, enrolment=_fresh(enrolment), assignment=held, answer=answer, at=SOON),
            partial(approve, annotations=[first], by="dora", at=SOON),
        )
        assert isinstance(corrected, AnswerDecided) != isinstance(decided, Superseded | AlreadyDecided)
        newest = Annotation.objects.current().get(task=first.task)
        assert Approval.objects.filter(annotation__task=first.task).exclude(annotation=newest).count() == 0
    assert LedgerEntry.objects.filter(worker=enrolment.worker).count() == len(done)
