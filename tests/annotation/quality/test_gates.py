"""Gates: warnings and pauses with their evidence, appeals, decisions, and the worker's pages meanwhile."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, GateAction, Project, Task
from annotation.quality import gates, pauses
from annotation.references import references
from audit.models import AuditEvent
from lib.faults import Invalid
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, paused, token_for
from tests.support.calls import problem
from tests.support.crowds import GENTLE, STRICT, Checked, checked_project, post_many
from tests.support.pages import text_of
from workforce.consent import page_for
from workforce.models import LedgerEntry, Worker

pytestmark = pytest.mark.django_db


def browser_of(project: Project, worker: Worker) -> Client:
    """The worker's browser, in by a link."""
    client = Client()
    client.get(f"/enter/{project.slug}?token={token_for(project, worker)}")
    return client


def the_pause() -> GateAction:
    return GateAction.objects.select_related("enrolment__project", "enrolment__worker").get(action="pause")


def work_page(client: Client, project: Project) -> str:
    return text_of(client.get(f"/work/{project.slug}/").content.decode())


# What a gate does ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "right"), [([STRICT], True), ([], False)])
def test_a_worker_who_is_right_or_meets_no_gate_is_never_paused(rules: list[Any], right: bool, alice: Worker) -> None:
    worker = Checked(checked_project(gates=rules, references=24), alice)
    for _ in range(10):
        worker.answer(right=right)
    assert worker.claim().status_code == 200
    assert not GateAction.objects.exists()


def test_a_worker_who_errs_is_paused_in_this_project_by_evidence_and_paid_for_everything(alice: Worker) -> None:
    project = checked_project(base_pay=Decimal("0.10"))
    worker = Checked(project, alice)

    n = worker.err_until_paused()

    assert n == STRICT["minimum_n"]
    assert LedgerEntry.objects.filter(worker=alice).count() == n
    assert problem(worker.claim())["code"] == "paused"
    assert Checked(checked_project("elsewhere", references=2), alice).claim().status_code == 200
    alice.refresh_from_db()
    assert alice.status == Worker.Status.ACTIVE

    action = the_pause()
    evidence = action.evidence
    assert action.rule == {**STRICT, "alpha": 0.05, "beta": 0.05}
    assert evidence["llr"] >= evidence["act_at"] == pytest.approx(2.944, abs=0.001)
    assert (evidence["test"], evidence["plan"]["bad"]) == ("sprt", 0.7)
    assert len(evidence["answers"]) == n
    for one in evidence["answers"]:
        annotation = Annotation.objects.get(public_id=one["annotation"])
        assert (one["task"], one["key"]) == (annotation.task_id, annotation.task.key)
        assert one["truth"] is annotation.task.truth_class
        assert one["said"] is not one["truth"]
        assert one["right"] is False
        assert one["at"] == annotation.submitted_at.isoformat()
    confusion = evidence["confusion"]
    assert confusion["success"]["success"] == confusion["failure"]["failure"] == 0
    assert confusion["success"]["failure"] + confusion["failure"]["success"] == n
    [event] = AuditEvent.objects.filter(verb="gate.paused")
    assert (event.actor, event.subject, event.project) == ("rule:gate", str(alice.pk), "p")
    assert (event.detail["gate_action"], event.detail["wrong"], event.detail["n"]) == (action.pk, n, n)


def test_a_task_in_hand_may_still_be_handed_in(alice: Worker) -> None:
    worker = Checked(checked_project(), alice)
    for _ in range(STRICT["minimum_n"] - 1):
        worker.answer(right=False)
    present = worker.claim().json()["assignment"]
    ahead = worker.client.post("/api/v1/work/ahead/").json()["assignment"]
    worker.hand_in(present, right=False)
    assert problem(worker.claim())["code"] == "paused"

    worker.hand_in(ahead, right=False)

    assert Annotation.objects.filter(worker=alice).count() == STRICT["minimum_n"] + 1
    assert GateAction.objects.count() == 1, "a paused worker is not paused again"


@pytest.mark.by_chance
def test_a_worker_who_gets_worse_after_a_good_start_is_found_by_the_test_for_drift(
    alice: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "LAG", (0, 0))
    worker = Checked(checked_project(references=90), alice)
    for _ in range(30):
        worker.answer(right=True)

    n = worker.err_until_paused()

    evidence = the_pause().evidence
    assert evidence["test"] == "cusum"
    assert len(evidence["answers"]) == n, "what was right before is no evidence"
    assert not any(one["right"] for one in evidence["answers"])


# Warnings ------------------------------------------------------------------------------------------------------


def test_a_warning_is_read_once_and_says_how_many_but_not_which(alice: Worker) -> None:
    project = checked_project(gates=[GENTLE])
    worker = Checked(project, alice)
    assert worker.notice() is None
    for _ in range(6):
        worker.answer(right=False)

    text = worker.notice()["text"]
    assert GateAction.objects.filter(action="warn").count() == 1, "one warning until it is closed"
    assert text.startswith("4 of your last 4 check tasks did not match.")
    assert not any(key in text for key in Task.objects.values_list("key", flat=True))
    assert worker.claim().status_code == 200

    for _ in range(2):
        assert worker.client.post("/api/v1/work/notice/", {}).status_code == 204
    assert worker.notice() is None


def test_of_two_notices_the_newer_one_is_shown_first(alice: Worker) -> None:
    enrolment = make_enrolment(make_project(), alice)
    for wrong in (3, 5):
        evidence = {"answers": [{"right": False}] * wrong}
        GateAction.objects.create(enrolment=enrolment, action="warn", rule={}, evidence=evidence, at=NOON)
    told = gates.notice_for(enrolment)
    assert told is not None
    assert told.startswith("5 of your last 5")


@pytest.mark.by_chance
def test_a_warning_follows_some_answers_after_the_reference_was_missed(alice: Worker) -> None:
    rule = {"action": "warn", "below": 0.7, "minimum_n": 2, "alpha": 0.3, "beta": 0.3}
    project = make_project(reference_rate=0.5, gates=[rule])
    post_many(project, 12)
    post_many(project, 12, truth="success")
    for _ in range(2):
        annotate(claim(project, alice, chance=lambda: 0.0), outcome="failure")
    answers = 2
    while not GateAction.objects.exists():
        held = claim(project, alice, chance=lambda: 0.99)
        assert not held.task.is_reference
        annotate(held)
        answers += 1
    assert 1 + gates.LAG[0] <= answers <= 1 + gates.LAG[1]


def test_after_a_warning_was_closed_the_rule_begins_again(alice: Worker) -> None:
    worker = Checked(checked_project(gates=[GENTLE], references=60), alice)
    for _ in range(5):
        worker.answer(right=False)
    worker.client.post("/api/v1/work/notice/", {})

    for _ in range(3):
        worker.answer(right=False)
    assert worker.notice() is None, "three are fewer than the rule asks for"
    worker.answer(right=False)
    assert worker.notice() is not None
    [_, second] = GateAction.objects.order_by("pk")
    assert len(second.evidence["answers"]) == GENTLE["minimum_n"]


def test_a_warning_comes_before_the_pause_where_both_are_asked_for(alice: Worker) -> None:
    worker = Checked(checked_project(gates=[STRICT, GENTLE]), alice)
    worker.err_until_paused()
    assert list(GateAction.objects.order_by("pk").values_list("action", flat=True)) == ["warn", "pause"]


# The page, the appeal, the decision ----------------------------------------------------------------------------


def test_the_whole_way_from_a_pause_to_going_on(alice: Worker) -> None:
    project = checked_project(instructions=["# How\n\nWatch to the end."], references=60)
    worker, browser = Checked(project, alice), browser_of(project, alice)
    n = worker.err_until_paused()

    page = work_page(browser, project)
    assert "We paused your work on this project" in page
    assert f"{n} of your last {n} check tasks did not match" in page
    assert "You are paid for what you did" in page
    assert "Watch to the end." in page
    assert not any(key in page for key in Task.objects.values_list("key", flat=True))

    sent = browser.post("/work/p/appeal/", {"text": "The first videos did not load."})
    assert sent["Location"] == "/work/p/"
    page = work_page(browser, project)
    assert "We are looking at it" in page
    assert "The first videos did not load." in page
    assert browser.get("/work/p/").content.decode().count("<form") == 0, "once"
    assert browser.post("/work/p/appeal/", {"text": "again"}).status_code == 302
    assert the_pause().appeal == "The first videos did not load."

    pauses.uphold(action=the_pause(), by="staff:dora", reason="They did load, we looked.", at=timezone.now())
    page = work_page(browser, project)
    assert "We looked again The pause stays: They did load, we looked." in page
    assert "Ask us to look again" not in page

    pauses.lift(action=the_pause(), by="staff:dora", reason="We were wrong.", at=timezone.now())
    assert "data-marker-app" in browser.get("/work/p/").content.decode()
    assert worker.notice() == {"text": "We looked again, and you can go on. We were wrong."}
    worker.client.post("/api/v1/work/notice/", {})
    assert worker.notice() is None
    for _ in range(STRICT["minimum_n"] - 1):
        worker.answer(right=False)
    assert worker.claim().status_code == 200, "what was answered before the lift counts no more"
    worker.answer(right=False)
    assert problem(worker.claim())["code"] == "paused"
    verbs = list(AuditEvent.objects.filter(verb__startswith="gate.").order_by("pk").values_list("verb", "actor"))
    assert verbs == [
        ("gate.paused", "rule:gate"),
        ("gate.appealed", f"worker:{alice.pk}"),
        ("gate.upheld", "staff:dora"),
        ("gate.lifted", "staff:dora"),
        ("gate.paused", "rule:gate"),
    ]


def test_a_pause_upheld_before_any_appeal_may_be_appealed_once() -> None:
    pause = paused(make_project("p"))
    project, worker = pause.enrolment.project, pause.enrolment.worker
    browser = browser_of(project, worker)
    pauses.uphold(action=pause, by="staff:dora", reason="Clear enough.", at=timezone.now())
    page = work_page(browser, project)
    assert "We looked at it The pause stays: Clear enough." in page
    assert "Ask us to look again" in page
    assert not pauses.waiting(Project.objects.all()).exists()

    browser.post("/work/p/appeal/", {"text": "Please look at the third."})

    assert pauses.waiting(Project.objects.all()).get() == the_pause()
    assert "We are looking at it" in work_page(browser, project)
    with pytest.raises(pauses.AlreadyAppealed):
        pauses.appeal(action=the_pause(), text="And the fourth.", at=timezone.now())


def test_an_appeal_needs_words_and_not_too_many_and_comes_from_the_worker_alone(bob: Worker) -> None:
    pause = paused(make_project("p"))
    browser = browser_of(pause.enrolment.project, pause.enrolment.worker)
    for text in ("", "   ", "x" * (pauses.MOST_CHARACTERS + 1)):
        refused = browser.post("/work/p/appeal/", {"text": text})
        assert refused.status_code == 422
        assert "aria-invalid" in refused.content.decode()
    assert browser_of(pause.enrolment.project, bob).post("/work/p/appeal/", {"text": "for them"}).status_code == 302
    assert Client().post("/work/p/appeal/", {"text": "for them"}).status_code == 404
    assert the_pause().appealed_at is None


def test_a_decision_needs_a_reason_and_is_made_on_a_pause_that_stands() -> None:
    pause = paused()
    for decide in (pauses.lift, pauses.uphold):
        with pytest.raises(Invalid):
            decide(action=pause, by="staff:dora", reason=" ", at=timezone.now())
    pauses.lift(action=pause, by="staff:dora", reason="fine", at=timezone.now())
    for decide in (pauses.lift, pauses.uphold):
        with pytest.raises(pauses.NotPaused):
            decide(action=the_pause(), by="staff:dora", reason="again", at=timezone.now())
    with pytest.raises(pauses.NotPaused):
        pauses.appeal(action=the_pause(), text="late", at=timezone.now())


def test_a_block_is_read_before_a_pause_and_a_pause_before_the_information_page() -> None:
    project = make_project("p", consent_page=page_for("Read this.", at=NOON))
    worker = paused(project).enrolment.worker
    browser = browser_of(project, worker)
    assert "We paused your work" in work_page(browser, project)
    assert problem(Checked(project, worker).claim())["code"] == "paused"
    worker.status, worker.blocked_reason = Worker.Status.BLOCKED, "secret reason"
    worker.save()
    page = work_page(browser, project)
    assert "You cannot take new tasks" in page
    assert "you are paid for it" in page
    assert "paused" not in page
    assert "secret reason" not in page
    assert problem(Checked(project, worker).claim())["code"] == "worker_blocked"


# Evidence that changed -----------------------------------------------------------------------------------------


def _change(kind: str, reference: Task) -> None:
    how: dict[str, Any] = {"reason": "the video shows it", "by": "staff:dora", "at": timezone.now()}
    if kind == "retired":
        references.retire(reference=reference, **how)
    else:
        answers = [{"outcome": "failure" if reference.truth_class else "success"}]
        references.correct(reference=reference, answers=answers, tolerance_s=None, **how)


@pytest.mark.parametrize("kind", ["retired", "corrected"])
def test_a_pause_whose_evidence_changed_waits_for_a_person_again_and_is_never_lifted_by_itself(
    kind: str, alice: Worker, bob: Worker
) -> None:
    project = checked_project()
    worker = Checked(project, alice)
    worker.err_until_paused()
    Checked(project, bob).answer(right=True)
    pauses.uphold(action=the_pause(), by="staff:dora", reason="Clear.", at=timezone.now())
    assert not pauses.waiting(Project.objects.all()).exists()
    reference = Task.objects.select_related("project").get(pk=the_pause().evidence["answers"][0]["task"])

    _change(kind, reference)

    assert pauses.waiting(Project.objects.all()).get() == the_pause()
    assert (the_pause().decision, the_pause().lifted_at) == ("upheld", None)
    assert problem(worker.claim())["code"] == "paused"
    [event] = AuditEvent.objects.filter(verb="gate.questioned")
    assert (event.actor, event.detail["reference"]) == ("staff:dora", reference.key)
    assert pauses.resting_on(reference) == [the_pause()]

    pauses.uphold(action=the_pause(), by="staff:dora", reason="Still clear.", at=timezone.now())
    assert not pauses.waiting(Project.objects.all()).exists()


def test_a_pause_that_did_not_rest_on_the_reference_is_left_alone(alice: Worker, bob: Worker) -> None:
    project = checked_project()
    Checked(project, alice).err_until_paused()
    pauses.uphold(action=the_pause(), by="staff:dora", reason="Clear.", at=timezone.now())
    rested = [one["task"] for one in the_pause().evidence["answers"]]
    other = Task.objects.references().select_related("project").exclude(pk__in=rested)[0]
    references.retire(reference=other, reason="dull", by="staff:dora", at=timezone.now())
    assert not pauses.waiting(Project.objects.all()).exists()
