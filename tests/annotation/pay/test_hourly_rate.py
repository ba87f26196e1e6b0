"""The hourly pay of a project, from the ledger and the times of the work."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Annotation, Project
from annotation.pay.approvals import reject
from annotation.pay.budget import correct_pay
from annotation.pay.hourly_rate import hourly_rate_of
from annotation.work.submissions import submit
from tests.support.builders import NOON, claim, make_enrolment, make_project
from tests.support.crowds import post_many
from workforce.ledger import owe
from workforce.models import LedgerEntry, Worker

pytestmark = pytest.mark.django_db


def work(project: Project, worker: Worker, *, active_s: float | None = None, wall_s: float = 60) -> Annotation:
    held = claim(project, worker)
    answer = {"outcome": "success", "frame": 20}
    enrolment = make_enrolment(project, worker)
    at = NOON + timedelta(seconds=wall_s)
    return submit(enrolment=enrolment, assignment=held, answer=answer, active_s=active_s, at=at)


@pytest.fixture
def project(db: None) -> Project:
    found = make_project(base_pay=Decimal("0.30"), lease_s=600)
    post_many(found, 20)
    return found


def test_a_time_is_counted_by_the_page_else_from_claim_to_answer(project: Project, alice: Worker) -> None:
    work(project, alice, active_s=120)
    work(project, alice, wall_s=60)
    found = hourly_rate_of(project)
    assert found is not None
    assert (found.rates.n, found.rates.seconds) == (2, 90)
    assert found.rates.median == Decimal("13.5000"), "9 and 18 an hour"
    assert found.rates.pooled == Decimal("12.0000")


def test_a_rejection_is_work_that_earned_nothing(project: Project, alice: Worker) -> None:
    first, _ = work(project, alice), work(project, alice)
    reject(annotations=[first], reason="no", is_soft=False, by="staff:dora", at=NOON)
    found = hourly_rate_of(project)
    assert found is not None
    assert (found.rates.n, found.rates.median) == (2, Decimal("9.0000"))


def test_bonuses_parts_and_corrections_count(project: Project, alice: Worker) -> None:
    annotation = work(project, alice, active_s=60)
    fields: dict[str, Any] = {"worker": alice, "currency": "USD", "at": NOON, "account": project.slug}
    bonus: dict[str, Any] = {"kind": LedgerEntry.Kind.BONUS, "reason": "bonus:session:x", "amount": Decimal("0.20")}
    owe(**fields, **bonus, inputs={"annotation": annotation.public_id})
    part: dict[str, Any] = {"kind": LedgerEntry.Kind.PARTIAL, "reason": "partial:session:y", "amount": Decimal("0.10")}
    owe(**fields, **part, inputs={"seconds": 60})
    more: dict[str, Any] = {"project": project, "worker": alice, "amount": Decimal("0.40"), "why": "the agent froze"}
    correct_pay(**more, by="staff:dora", at=NOON, key="k")
    found = hourly_rate_of(project)
    assert found is not None
    assert (found.rates.n, found.rates.median) == (2, Decimal("18.0000")), "30 and 6 an hour"
    assert found.rates.pooled == Decimal("30.0000"), "1.00 in two minutes"


@pytest.mark.parametrize(("n", "seconds", "is_low"), [(9, 600, False), (10, 600, True), (10, 60, False)])
def test_ten_pieces_of_badly_paid_work_are_a_warning(
    n: int, seconds: float, is_low: bool, project: Project, alice: Worker
) -> None:
    for _ in range(n):
        work(project, alice, active_s=seconds)
    found = hourly_rate_of(project)
    assert found is not None
    assert found.is_low == is_low


def test_where_nothing_is_paid_there_is_nothing_to_say(alice: Worker) -> None:
    project = make_project()
    post_many(project, 1)
    assert hourly_rate_of(project) is None
    work(project, alice)
    assert hourly_rate_of(project) is None
