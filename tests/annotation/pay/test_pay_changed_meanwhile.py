"""The offer is changed after a worker's request has begun: the budget is kept by the present offer."""

from decimal import Decimal

import pytest

from annotation.models import Assignment, Enrolment, Project
from annotation.work.claims import BudgetSpent, claim_next
from annotation.work.submissions import submit
from tests.support.builders import NOON, claim, make_enrolment, make_project, make_worker
from tests.support.crowds import post_many

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    found = make_project(base_pay=Decimal("1.00"), budget=Decimal("2.00"))
    post_many(found, 3)
    return found


def as_a_request_has_it(enrolment: Enrolment) -> Enrolment:
    return Enrolment.objects.select_related("project", "worker").get(pk=enrolment.pk)


def test_a_claim_that_has_begun_before_the_pay_was_raised_promises_the_new_pay(project: Project) -> None:
    enrolment = as_a_request_has_it(make_enrolment(project, make_worker()))
    claim(project, make_worker())
    Project.objects.filter(pk=project.pk).update(base_pay=Decimal("2.00"))
    with pytest.raises(BudgetSpent):
        claim_next(enrolment=enrolment, at=NOON)
    assert Assignment.objects.count() == 1


def test_an_answer_that_was_on_its_way_when_the_pay_was_lowered_is_paid_as_the_budget_has_it(project: Project) -> None:
    worker = make_worker()
    hold = claim(project, worker)
    enrolment = as_a_request_has_it(make_enrolment(project, worker))
    Project.objects.filter(pk=project.pk).update(base_pay=Decimal("0.50"))
    answer = {"outcome": "success", "frame": 20}
    submit(enrolment=enrolment, assignment=hold, answer=answer, active_s=None, at=NOON)
    enrolment.refresh_from_db()
    assert enrolment.earned == Project.objects.get(pk=project.pk).spent == Decimal("0.50")
