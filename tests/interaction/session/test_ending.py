"""The end of a session: handed in as an annotation, or ended otherwise with the time owed once."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Metric
from annotation.models import Annotation, Enrolment, Project
from annotation.work.leases import release
from interaction.models import Session
from interaction.session import ending, ticks
from interaction.session.refusals import Refusal, SessionClosed
from tests.support.builders import token_for
from tests.support.sessions import MINIMUM_S, NO, LiveWorker, both, come_in, judged, make_live_project
from workforce.models import LedgerEntry

pytestmark = pytest.mark.django_db
WELL = {"usability": 6, "performance": 4, "feedback": "It was fun."}


def paying_project(**settings: Any) -> Project:
    project = make_live_project(**settings)
    Project.objects.filter(pk=project.pk).update(base_pay=Decimal("1.50"))
    project.refresh_from_db()
    return project


def owed() -> list[tuple[str, Decimal]]:
    return list(LedgerEntry.objects.order_by("pk").values_list("kind", "amount"))


def ready(project: Project) -> LiveWorker:
    worker, agent = both(project)
    judged(worker, agent)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    worker.send("reflect", **WELL)
    return worker


def test_a_session_handed_in_is_an_annotation_and_paid_once() -> None:
    worker = ready(paying_project())
    worker.send("finish")
    annotation = Annotation.objects.get()
    assert annotation.answer == {
        "session": worker.session.public_id,
        "commands": 1,
        "elapsed_s": 300.0,
        **WELL,
    }
    assert owed() == [("base", Decimal("1.5000"))]
    assert worker.said("closed") == [{"reason": "finished"}]
    worker.cseq -= 1
    assert worker.send("finish").is_repeat
    worker.cseq += 1
    with pytest.raises(SessionClosed):
        worker.send("finish")
    assert Annotation.objects.count() == 1


def test_it_cannot_be_handed_in_without_a_word_on_how_it_went() -> None:
    worker, agent = both(paying_project())
    judged(worker, agent)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    with pytest.raises(Refusal, match="how it went"):
        worker.send("finish")
    assert not Annotation.objects.exists()


def test_who_leaves_early_is_paid_for_the_part_that_they_worked() -> None:
    worker, agent = both(paying_project())
    judged(worker, agent)
    worker.wait(100)
    release(assignment=worker.hold, at=worker.at)
    ticks.tick(at=worker.at)
    ticks.tick(at=worker.at)
    session = worker.now()
    assert (session.reason, session.owed_s) == ("left", 100.0)
    assert owed() == [("partial", Decimal("0.5000"))]
    assert Enrolment.objects.get().earned == Project.objects.get().spent == Decimal("0.5000")


def test_who_leaves_without_a_command_has_not_worked() -> None:
    worker, _ = both(paying_project())
    worker.wait(100)
    release(assignment=worker.hold, at=worker.at)
    ticks.tick(at=worker.at)
    assert owed() == []


def test_staff_end_a_session_kindly() -> None:
    worker, _ = both(paying_project())
    worker.wait(1000)
    assert ending.end_session(worker.session.pk, Session.Reason.STAFF, at=worker.at)
    assert not ending.end_session(worker.session.pk, Session.Reason.STAFF, at=worker.at)
    assert owed() == [("partial", Decimal("1.5000"))]
    assert worker.now().reason == "staff"


def test_an_answer_made_up_by_a_browser_is_refused(client: Any) -> None:
    worker = come_in(make_live_project(), at=timezone.now())
    token = token_for(worker.enrolment.project, worker.enrolment.worker)
    for answer in ({"finished": "eyJzZXNzaW9uIjoieCJ9:forged"}, {"session": "x", "commands": 99}):
        response = client.post(
            f"/api/v1/work/assignments/{worker.hold.public_id}/submit/",
            data={"answer": answer},
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )
        assert response.status_code == 422
    assert not Annotation.objects.exists()


def test_an_evaluated_session_becomes_the_agents_metric() -> None:
    project = make_live_project(evaluation=True, prompts=["Ask it to build something."])
    worker, agent = both(project)
    assert worker.said("prompt") == [{"text": "Ask it to build something."}]
    judged(worker, agent, "c1")
    assert worker.live().prompt == "Ask it to build something."
    worker.send("command", id="c2", text="dance")
    agent.carry_out(worker, "c2")
    worker.send("mark", command="c2", node="done", choice=NO)
    worker.send("mark", command="c2", node="guessed", choice=1)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    with pytest.raises(Refusal, match="time for commands is over"):
        worker.send("command", id="c3", text="dance")
    worker.send("reflect", **WELL)
    assert not Metric.objects.exists()
    worker.send("finish")
    metric = Metric.objects.get()
    assert (metric.agent, metric.metric, metric.suite) == (worker.session.agent, "interactive_evaluation", project.slug)
    assert (metric.value, metric.n) == (0.5, 2)
    assert metric.standard_error == pytest.approx((0.25 / 2) ** 0.5)


def test_a_plain_session_is_no_evaluation() -> None:
    worker = ready(make_live_project())
    worker.send("finish")
    assert not Metric.objects.exists()
