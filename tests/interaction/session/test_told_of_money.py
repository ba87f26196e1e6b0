"""What a worker is told that their session earned: all of it, and nothing that is not paid."""

from decimal import Decimal

import pytest

from annotation.models import Annotation, Project
from annotation.pay.approvals import approve, reject
from interaction.models import Session
from interaction.privacy import export_sessions
from interaction.session import ticks
from interaction.session.ending import end_session
from tests.interaction.session.test_ending import WELL
from tests.support.builders import NOON
from tests.support.sessions import MINIMUM_S, LiveWorker, both, judged, make_live_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    found = make_live_project(stoplight={})
    Project.objects.filter(pk=found.pk).update(base_pay="2.00")
    return Project.objects.get(pk=found.pk)


def worked(project: Project) -> LiveWorker:
    """A worker who has done their minutes, with a bonus in view."""
    worker, agent = both(project)
    judged(worker, agent)
    Session.objects.filter(pk=worker.session.pk).update(bonus_expected=Decimal("0.75"))
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    worker.send("reflect", **WELL)
    return worker


def handed_in(project: Project) -> Annotation:
    worker = worked(project)
    worker.send("finish")
    return Annotation.objects.get(assignment=worker.hold)


def owed_for(annotation: Annotation) -> dict[str, str] | None:
    found: dict[str, str] | None = export_sessions(annotation.worker)[0]["owed"]
    return found


def test_the_bonus_is_told_with_the_base_pay(project: Project) -> None:
    annotation = handed_in(project)
    assert owed_for(annotation) == {"amount": "2.00", "currency": "USD"}
    approve(annotations=[annotation], by="x", at=NOON)
    assert owed_for(annotation) == {"amount": "2.75", "currency": "USD"}


def test_what_was_rejected_is_not_owed(project: Project) -> None:
    annotation = handed_in(project)
    reject(annotations=[annotation], reason="no", is_soft=False, by="x", at=NOON)
    assert owed_for(annotation) is None


def test_a_session_that_lost_its_agent_is_told_with_its_part_and_its_bonus(project: Project) -> None:
    worker = worked(project)
    end_session(worker.session.pk, Session.Reason.AGENT_LOST, at=worker.at)
    (told,) = export_sessions(worker.hold.worker)
    assert told["owed"] == {"amount": "2.75", "currency": "USD"}
