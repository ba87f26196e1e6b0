"""Deciding on a pause: what it rests on, the appeal, lifting and upholding."""

import pytest
from django.test import Client

from annotation.models import GateAction
from audit.models import AuditEvent
from tests.support.builders import account, make_project, paused, signed_in, tied_task
from tests.support.pages import words_of
from web.staff.addresses import pause_page


@pytest.fixture
def rae(db: None) -> Client:
    return signed_in(account("rae"))


def decide(client: Client, action: GateAction, act: str, reason: str = "") -> object:
    return client.post(f"{pause_page(action.pk)}decide/", {"act": act, "reason": reason})


def test_the_page_says_the_rule_the_test_the_evidence_and_the_appeal(rae: Client) -> None:
    action = paused(appeal="I was on a train.")
    page = words_of(rae, pause_page(action.pk))
    assert "balanced accuracy on references is below 70 %, after at least 3 of them" in page
    assert "2 of the 3 answers that it rests on did not match" in page
    assert "log likelihood ratio is 3.30; it decides at 2.94" in page
    assert "reference-0 ✓ success ✕ failure ✕ wrong" in page
    assert "reference-2 ✓ success ✓ success ✓ right" in page
    assert "I was on a train." in page


@pytest.mark.parametrize(("act", "decision"), [("lift", "lifted"), ("uphold", "upheld")])
def test_a_reviewer_decides_with_a_reason_and_goes_on(rae: Client, act: str, decision: str) -> None:
    action, task = paused(), tied_task()
    answer = decide(rae, action, act, "Two of these references are disputed.")
    assert answer["Location"] == f"/staff/review/tasks/{task.pk}/"  # type: ignore[index]
    action.refresh_from_db()
    assert (action.decision, action.decided_by) == (decision, "staff:rae")
    assert action.decision_reason == "Two of these references are disputed."
    assert (action.lifted_at is not None) == (act == "lift")
    assert AuditEvent.objects.filter(actor="staff:rae").exists()


@pytest.mark.parametrize(("act", "reason"), [("lift", "  "), ("uphold", ""), ("explode", "because")])
def test_without_a_reason_or_an_act_nothing_happens(rae: Client, act: str, reason: str) -> None:
    action = paused()
    assert decide(rae, action, act, reason).status_code == 422  # type: ignore[attr-defined]
    action.refresh_from_db()
    assert action.decision == ""


def test_viewers_look_and_others_find_nothing(db: None) -> None:
    project = make_project("theirs")
    action = paused(project)
    vera, ned = signed_in(account("vera", "viewer")), signed_in(account("ned", "reviewer", make_project("own")))
    assert "only reviewers of this project decide" in words_of(vera, pause_page(action.pk))
    assert decide(vera, action, "lift", "why").status_code == 403  # type: ignore[attr-defined]
    assert ned.get(pause_page(action.pk)).status_code == 404
    assert decide(ned, action, "lift", "why").status_code == 404  # type: ignore[attr-defined]


def test_a_reviewer_sees_a_pseudonym_and_an_admin_the_name(rae: Client, dora: Client) -> None:
    action = paused()
    worker = action.enrolment.worker
    assert worker.identity not in words_of(rae, pause_page(action.pk))
    assert worker.identity in words_of(dora, pause_page(action.pk))


def test_the_plot_is_to_be_had_as_a_file(rae: Client) -> None:
    answer = rae.get(f"{pause_page(paused().pk)}?plot=drift&as=csv")
    assert answer["Content-Type"].startswith("text/csv")
