"""Acts that change values: the audit log has the old and the new ones, and its page shows them side by side."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.test import Client

from agents import keys
from agents.models import ApiKey
from annotation.models import Adjudication, Finding, Project
from annotation.offer.information_page import renew_information
from annotation.pay import approvals
from annotation.pay.budget import correct_pay
from annotation.quality import pauses
from annotation.references import references
from annotation.review import adjudication, findings, taxonomies
from annotation.work import enrolments, leases
from audit.log import Subject, record
from audit.models import AuditEvent
from evaluation.preparation import retry_job
from jobs.models import Job
from routing import reports
from tests.support.builders import (
    NOON,
    account,
    annotate,
    category,
    claim,
    make_enrolment,
    make_project,
    make_qualification,
    make_task,
    make_worker,
    paused,
    tied_task,
)
from tests.support.commands import make_report, parse_project
from tests.support.pages import words_of
from workforce import blocking, consent, qualifications
from workforce.consent import page_for
from workforce.ledger import move_on_record, owe
from workforce.models import LedgerEntry, Worker

PAGE = "/staff/audit/"
BY: Any = {"by": "staff:dora", "at": NOON}
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _no_messages(no_messages: None) -> None:
    """No message of a job leaves."""


# Decisions, money, blocks, jobs -----------------------------------------------------------------------------------


def decided(*acts: str) -> None:
    """An answer that is decided on in these ways, one after the other."""
    project = make_project("p", base_pay=Decimal("0.30"))
    make_task(project)
    answer = annotate(claim(project, make_worker()))
    for act in acts:
        known: Any = {"annotations": [answer], "by": "staff:dora", "at": NOON}
        if act == "approve":
            approvals.approve(**known)
        elif act == "overturn":
            approvals.overturn(reason="It was right.", **known)
        else:
            approvals.reject(reason="Empty.", is_soft=act == "reject softly", **known)


def corrected() -> None:
    enrolment = make_enrolment(make_project("p"))
    known: Any = {"why": "The clock stood still.", "by": "staff:dora", "at": NOON}
    for key, amount in ("a", "1.20"), ("b", "-0.25"):
        correct_pay(project=enrolment.project, worker=enrolment.worker, amount=Decimal(amount), key=key, **known)


def marked() -> None:
    entered: Any = {"kind": LedgerEntry.Kind.BONUS, "amount": Decimal(1), "currency": "USD", "at": NOON}
    owe(worker=make_worker(), reason="one", state=LedgerEntry.State.APPROVED, by="staff:dora", **entered)
    move_on_record(LedgerEntry.objects.all(), to=LedgerEntry.State.SENT, by="staff:dora", at=NOON)


def blocked() -> Worker:
    worker = make_worker()
    weighting = Worker.Weighting.NONE
    blocking.block(worker=worker, reason="random", weighting=weighting, by="staff:dora", at=NOON)
    return worker


def unblocked() -> None:
    blocking.unblock(worker=blocked(), by="staff:dora", at=NOON)


def retried() -> None:
    fields: Any = {"kind": "test.job", "subject": "7", "due_at": NOON, "created_at": NOON, "finished_at": NOON}
    retry_job(job=Job.objects.create(state="failed", attempts=3, **fields), by="staff:dora", at=NOON)


PAY = {name: {"pay": {name: "0.3000"}} for name in ("owed", "approved", "rejected")}
ACTIVE, BLOCKED = {"status": "active", "blocked_reason": ""}, {"status": "blocked", "blocked_reason": "random"}
DECIDED = {"decision", "annotations"}


@pytest.mark.parametrize(
    ("act", "verb", "before", "after", "rest", "shown"),
    [
        (
            *(partial(decided, "approve"), "annotation.approved"),
            *(PAY["owed"], {"decision": "approved", **PAY["approved"]}, DECIDED),
            "pay: before: owed 0.3000 → now: approved 0.3000",
        ),
        (
            *(partial(decided, "reject"), "annotation.rejected"),
            *(PAY["owed"], {"decision": "rejected", **PAY["rejected"]}, DECIDED),
            "decision: → now: rejected",
        ),
        (
            *(partial(decided, "reject softly"), "annotation.softly_rejected"),
            *(PAY["owed"], {"decision": "softly_rejected", **PAY["approved"]}, DECIDED),
            "decision: → now: softly_rejected",
        ),
        (
            *(partial(decided, "reject", "overturn"), "annotation.overturned"),
            *({"decision": "rejected", **PAY["rejected"]}, {"decision": "approved", **PAY["approved"]}, DECIDED),
            "decision: before: rejected → now: approved",
        ),
        (
            *(partial(decided, "reject softly", "overturn"), "annotation.overturned"),
            *({"decision": "softly_rejected"}, {"decision": "approved"}, DECIDED),
            "decision: before: softly_rejected → now: approved",
        ),
        (
            *(corrected, "ledger.corrected"),
            *({"earned": "1.2000"}, {"earned": "0.9500", "state": "approved"}, {"amount", "currency"}),
            "earned: before: 1.2000 → now: 0.9500",
        ),
        (
            *(marked, "ledger.sent", {"state": "approved"}, {"state": "sent"}, {"entries", "count"}),
            "state: before: approved → now: sent",
        ),
        (blocked, "worker.blocked", ACTIVE, BLOCKED, set(), "status: before: active → now: blocked"),
        (blocked, "worker.weighting", {"weighting": "full"}, {"weighting": "none"}, {"weighting"}, "now: none"),
        (unblocked, "worker.unblocked", BLOCKED, ACTIVE, set(), "blocked_reason: before: random →"),
        (
            *(retried, "job.retried"),
            *({"state": "failed", "attempts": 3}, {"state": "waiting", "attempts": 0}, {"kind", "of"}),
            "attempts: before: 3 → now: 0",
        ),
    ],
)
def test_an_act_has_old_and_new_values_and_the_page_shows_them_side_by_side(
    act: Callable[[], object],
    verb: str,
    before: dict[str, Any],
    after: dict[str, Any],
    rest: set[str],
    shown: str,
    dora: Client,
) -> None:
    act()
    event = AuditEvent.objects.filter(verb=verb).latest("pk")
    assert (event.detail["before"], event.detail["after"]) == (before, after)
    assert set(event.detail) == {"before", "after", *rest}
    assert shown in words_of(dora, f"{PAGE}?verb={verb}")


def test_an_event_of_old_whose_old_value_is_a_bare_word_is_shown_whole(dora: Client) -> None:
    detail = {"before": "full", "weighting": "none"}
    record(verb="worker.weighting", actor="staff:dora", subject=Subject("worker", "7"), at=NOON, **detail)
    assert "before: full · weighting: none" in words_of(dora, PAGE)


# Grants, keys, reviews, reports, pauses ---------------------------------------------------------------------------


def granted(*, is_revoked: bool = False) -> None:
    grant = qualifications.give(worker=make_worker(), qualification=make_qualification(valid_s=3600), **BY)
    if is_revoked:
        qualifications.revoke(grant=grant, reason="They asked a friend.", **BY)


def agreed(*, is_withdrawn: bool = False) -> None:
    worker, page = make_worker(), page_for("Read this.", at=NOON)
    consent.agree(worker=worker, page=page, at=NOON)
    if is_withdrawn:
        consent.withdraw(worker=worker, page=page, at=NOON)


def key_of(act: str) -> None:
    keys.create_key(name="nightly", scopes=["read"], at=NOON, by="staff:dora")
    made = ApiKey.objects.get()
    if act == "rotate":
        keys.rotate_key(made, overlap=HOUR, **BY)
    else:
        keys.revoke_key(made, **BY)


def tagged(*notes: str, is_removed: bool = False) -> None:
    task = tied_task()
    who: Any = {"by": account("rae"), "at": NOON}
    for note in notes:
        findings.tag(task=task, category=category(), annotation=None, note=note, **who)
    if is_removed:
        findings.untag(finding=Finding.objects.get(), **who)


def category_is(*, retired: bool) -> None:
    rae = account("rae")
    for wanted in (True, retired):
        taxonomies.set_retired(category=category(), retired=wanted, by=rae, at=NOON)


def category_moved() -> None:
    taxonomies.move(category=category("empty"), up=True, by=account("rae"), at=NOON)


def reviewed(*acts: str, two_people: bool = False) -> None:
    """A task with two answers that differ, on which reviewers act one after the other."""
    project = make_project(redundancy=2, two_person_review=two_people)
    task = make_task(project)
    leases.report(assignment=claim(project, make_worker()), problem="other", text="It is dark.", at=NOON)
    for outcome in ("success", "failure"):
        annotate(claim(project, make_worker()), outcome=outcome)
    rae, sam = account("rae"), account("sam")
    why: Any = {"reason": "I looked twice.", "at": NOON}
    for act in acts:
        if act.startswith("answer"):
            answer = {"outcome": "success", "frame": int(act.removeprefix("answer "))}
            adjudication.adjudicate(task=task, answer=answer, by=rae, **why)
        elif act in ("confirm", "refuse"):
            made = Adjudication.objects.get(status="proposed")
            getattr(adjudication, act)(adjudication=made, by=sam, **why)
        else:
            getattr(adjudication, act)(task=task, by=rae, **why)


def reported(act: str, *, is_reopened: bool = False) -> None:
    report = make_report()
    if act == "reroute":
        reports.reroute(report=report, to=parse_project("forms"), scene=None, **BY)
    elif act == "merge":
        reports.merge(report=report, into=make_report(text="dig a big hole", public_id="kept"), **BY)
    else:
        reports.dismiss(report=report, reason="a joke", **BY)
    if is_reopened:
        reports.reopen(report=report, **BY)


def on_a_pause(act: str) -> None:
    action = paused(decision="upheld", decided_at=NOON, decided_by="staff:olga", decision_reason="Clear.")
    if act == "appeal":
        pauses.appeal(action=action, text="I was right.", at=NOON)
    else:
        getattr(pauses, act)(action=action, reason="We looked again.", **BY)


def retired() -> None:
    task = make_task(make_project(), truth="success")
    references.retire(reference=task, reason="It is unclear.", **BY)


def links_revoked() -> None:
    enrolment = make_enrolment(make_project())
    for _ in range(2):
        enrolments.make_link(enrolment=enrolment, **BY)
    enrolments.revoke_links(enrolment=enrolment, **BY)


LATER = (NOON + HOUR).isoformat()
SEEN = {"needs_review": False, "unseen_reports": 0}
WAITING = {"needs_review": True, "unseen_reports": 1}
FIRST, SECOND = ({"outcome": "success", "frame": frame, "time_s": frame / 10} for frame in (25, 26))
NEW = {"state": "new", "why_dismissed": "", "merged_into": None}


@pytest.mark.parametrize(
    ("act", "verb", "before", "after"),
    [
        (granted, "grant.given", {"valid": False}, {"valid": True, "expires_at": LATER}),
        (partial(granted, is_revoked=True), "grant.revoked", {"valid": True, "expires_at": LATER}, {"valid": False}),
        (agreed, "consent.given", {"agreed": False}, {"agreed": True}),
        (partial(agreed, is_withdrawn=True), "consent.withdrawn", {"agreed": True}, {"agreed": False}),
        (partial(key_of, "revoke"), "key.revoked", {"revoked": False}, {"revoked": True}),
        (partial(tagged, "first"), "task.tagged", {}, {"note": "first"}),
        (partial(tagged, "first", "second"), "task.tagged", {"note": "first"}, {"note": "second"}),
        (partial(tagged, "first", is_removed=True), "task.untagged", {"note": "first"}, {}),
        (partial(category_is, retired=True), "category.retired", {"retired": False}, {"retired": True}),
        (partial(category_is, retired=False), "category.restored", {"retired": True}, {"retired": False}),
        (category_moved, "category.moved", {"position": 2}, {"position": 1}),
        (
            *(partial(reviewed, "answer 25"), "task.adjudicated"),
            *(WAITING, {**SEEN, "adjudicated": FIRST}),
        ),
        (
            partial(reviewed, "answer 25", "answer 26"),
            "task.adjudicated",
            {"adjudicated": FIRST},
            {"adjudicated": SECOND},
        ),
        (partial(reviewed, "answer 25", two_people=True), "task.adjudication_proposed", {}, {"proposed": FIRST}),
        (
            *(partial(reviewed, "answer 25", "refuse", two_people=True), "task.adjudication_refused"),
            *({"proposed": FIRST}, {}),
        ),
        (
            *(partial(reviewed, "answer 25", "confirm", two_people=True), "task.adjudication_confirmed"),
            *({**WAITING, "proposed": FIRST}, {**SEEN, "adjudicated": FIRST}),
        ),
        (
            *(partial(reviewed, "answer 25", "take_back"), "task.adjudication_taken_back"),
            *(
                {"needs_review": False, "adjudicated": FIRST},
                {"needs_review": True},
            ),
        ),
        (partial(reviewed, "close"), "task.closed", {"status": "done", **WAITING}, {"status": "unjudgeable", **SEEN}),
        (
            *(partial(reviewed, "close", "reopen"), "task.reopened"),
            *({"status": "unjudgeable", "needs_review": False}, {"status": "done", "needs_review": True}),
        ),
        (partial(reviewed, "dismiss"), "task.review_dismissed", WAITING, SEEN),
        (
            *(partial(reported, "reroute"), "error_report.rerouted"),
            *({"state": "new", "sent_to": []}, {"state": "routed", "sent_to": ["forms"]}),
        ),
        (
            *(partial(reported, "merge"), "error_report.merged", NEW),
            {"state": "dismissed", "why_dismissed": "Merged into kept.", "merged_into": "kept"},
        ),
        (
            *(partial(reported, "dismiss"), "error_report.dismissed"),
            *({"state": "new", "why_dismissed": ""}, {"state": "dismissed", "why_dismissed": "a joke"}),
        ),
        (
            *(partial(reported, "merge", is_reopened=True), "error_report.reopened"),
            *({"state": "dismissed", "why_dismissed": "Merged into kept.", "merged_into": "kept"}, NEW),
        ),
        (
            partial(on_a_pause, "lift"),
            "gate.lifted",
            *({"decision": "upheld", "paused": True}, {"decision": "lifted", "paused": False}),
        ),
        (
            *(partial(on_a_pause, "appeal"), "gate.appealed"),
            *({"decision": "upheld", "appealed": False}, {"decision": "", "appealed": True}),
        ),
        (retired, "reference.retired", {"retired": False}, {"retired": True}),
        (links_revoked, "link.revoked", {"valid_links": 2}, {"valid_links": 0}),
    ],
)
def test_an_act_of_staff_has_what_it_replaced(
    act: Callable[[], object], verb: str, before: dict[str, Any], after: dict[str, Any], db: None
) -> None:
    act()
    detail = AuditEvent.objects.filter(verb=verb).latest("pk").detail
    assert (detail["before"], detail["after"]) == (before, after)


def test_a_rotated_key_and_a_renewed_page_name_what_follows_them(db: None) -> None:
    key_of("rotate")
    old = ApiKey.objects.get(rotated_into__isnull=False)
    detail = AuditEvent.objects.get(verb="key.rotated").detail
    assert detail["before"] == {"expires_at": None, "into": None}
    assert detail["after"] == {"expires_at": LATER, "into": old.rotated_into_id}
    first = page_for("Read this.", at=NOON)
    project = make_project(consent_page=first)
    renew_information(at=NOON)
    page = Project.objects.values_list("consent_page", flat=True).get(pk=project.pk)
    detail = AuditEvent.objects.get(verb="project.information_renewed").detail
    assert (detail["before"], detail["after"]) == ({"page": first.pk}, {"page": page})
