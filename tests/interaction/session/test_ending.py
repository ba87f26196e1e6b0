"""The end of a session: handed in as an annotation, or ended otherwise with the time owed once."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Annotation, Enrolment, Project
from annotation.pay.approvals import approve, reject
from interaction.models import Session
from interaction.privacy import export_sessions
from interaction.session import ending, ticks
from interaction.session.refusals import Refusal, SessionClosed
from tests.support.builders import NOON, token_for
from tests.support.sessions import MINIMUM_S, WELL, LiveWorker, both, come_in, judged, make_live_project
from workforce.models import LedgerEntry

pytestmark = pytest.mark.django_db
PAYING = {"base_pay": Decimal("1.50")}


def owed() -> list[tuple[str, Decimal]]:
    return list(LedgerEntry.objects.order_by("pk").values_list("kind", "amount"))


def told(worker: LiveWorker) -> str | None:
    """The earnings in the worker's own data."""
    (session,) = export_sessions(worker.hold.worker)
    owed: dict[str, str] | None = session["owed"]
    return owed["amount"] if owed else None


def test_a_session_handed_in_with_its_rating_is_an_annotation_and_paid_once() -> None:
    worker, agent = both(columns=PAYING)
    judged(worker, agent)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    with pytest.raises(Refusal, match="how it went"):
        worker.send("finish")
    assert not Annotation.objects.exists()
    worker.send("reflect", **WELL)
    worker.send("finish")
    answer = {"session": worker.session.public_id, "commands": 1, "elapsed_s": 300.0, **WELL}
    assert Annotation.objects.get().answer == answer
    assert owed() == [("base", Decimal("1.5000"))]
    assert worker.said("closed") == [{"reason": "finished"}]
    worker.cseq -= 1
    assert worker.send("finish").is_repeat
    with pytest.raises(SessionClosed):
        worker.send("finish")
    assert Annotation.objects.count() == 1


def test_a_worker_who_leaves_early_is_paid_for_the_part_that_they_worked() -> None:
    worker, agent = both(columns=PAYING)
    judged(worker, agent)
    worker.wait(100)
    session = worker.leave()
    ticks.tick(at=worker.at)
    assert (session.reason, session.owed_s) == ("left", 100.0)
    assert owed() == [("partial", Decimal("0.5000"))]
    assert Enrolment.objects.get().earned == Project.objects.get().spent == Decimal("0.5000")


def test_staff_end_a_session_with_its_time_owed_once() -> None:
    worker, _ = both(columns=PAYING)
    worker.wait(1000)
    assert ending.end_session(worker.session.pk, Session.Reason.STAFF, at=worker.at)
    assert not ending.end_session(worker.session.pk, Session.Reason.STAFF, at=worker.at)
    assert owed() == [("partial", Decimal("1.5000"))]
    assert worker.now().reason == "staff"


@pytest.mark.parametrize(
    "answer", [{"finished": "eyJzZXNzaW9uIjoieCJ9:forged"}, {"session": "x", "commands": 99}], ids=["forged", "plain"]
)
def test_an_answer_made_up_by_a_browser_is_refused(answer: dict[str, Any], client: Any) -> None:
    worker = come_in(make_live_project(), at=timezone.now())
    response = client.post(
        f"/api/v1/work/assignments/{worker.hold.public_id}/submit/",
        data={"answer": answer},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token_for(worker.enrolment.project, worker.enrolment.worker)}"},
    )
    assert response.status_code == 422
    assert not Annotation.objects.exists()


def test_the_longest_remark_in_any_script_can_be_handed_in() -> None:
    worker, agent = both()
    judged(worker, agent)
    assert worker.hand_in(feedback="語" * 4000)


# The worker is told of everything that the session earned ----------------------------------------------------------


def promised_a_bonus() -> LiveWorker:
    worker, agent = both(stoplight={}, columns={"base_pay": Decimal("2.00")})
    judged(worker, agent)
    Session.objects.update(bonus_expected=Decimal("0.75"))
    return worker


def test_the_bonus_is_told_with_the_base_pay_once_it_is_approved() -> None:
    worker = promised_a_bonus()
    annotation = worker.hand_in()
    assert told(worker) == "2.00"
    approve(annotations=[annotation], by="x", at=NOON)
    assert told(worker) == "2.75"


def test_rejected_work_is_not_owed() -> None:
    worker = promised_a_bonus()
    reject(annotations=[worker.hand_in()], reason="no", is_soft=False, by="x", at=NOON)
    assert told(worker) is None


def test_a_session_that_lost_its_agent_is_told_with_its_part_and_its_bonus() -> None:
    worker = promised_a_bonus()
    worker.wait(MINIMUM_S)
    ending.end_session(worker.session.pk, Session.Reason.AGENT_LOST, at=worker.at)
    assert told(worker) == "2.75"
