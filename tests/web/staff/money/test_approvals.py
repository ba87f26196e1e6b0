"""The approvals pages: what waits, deciding on it in bulk, overturning; who may, and what it costs."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.test import Client

from annotation.models import Annotation, Approval, Project
from annotation.pay.approvals import approve, reject
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.crowds import PAY, post_many
from tests.support.pages import compact, seen_in, seen_on, text_of, words_of
from tests.support.paying_marker import pay_bonuses
from web.staff.grid import listing
from workforce.models import LedgerEntry

pytestmark = pytest.mark.django_db

LIST = "/staff/approvals/marking/"
DECIDE = f"{LIST}decide/"
OVERTURN = f"{LIST}overturn/"


@pytest.fixture
def answers(marking: Project) -> list[Annotation]:
    """Three that wait in the project."""
    Project.objects.filter(pk=marking.pk).update(base_pay=PAY)
    post_many(marking, 3)
    return [annotate(claim(marking, make_worker(f"w{number}"))) for number in range(3)]


def decisions() -> list[str]:
    return list(Approval.objects.order_by("annotation").values_list("decision", flat=True))


def test_what_waits_is_listed_with_its_pay_and_what_is_expected(
    rita: Client, answers: list[Annotation], monkeypatch: pytest.MonkeyPatch
) -> None:
    pay_bonuses(monkeypatch, Decimal("1.25"))
    words = words_of(rita, LIST)
    assert answers[0].task.key in words
    assert "0.30" in words
    assert "1.25" in words


def test_work_that_was_done_in_no_time_is_marked(rita: Client, marking: Project) -> None:
    post_many(marking, 6)
    worker = make_worker()
    for number in range(6):
        held = claim(marking, worker)
        annotate(held, at=NOON + timedelta(seconds=2 if number == 0 else 300 + number))
    words = words_of(rita, LIST)
    assert words.count("very fast") == 1


def test_ticked_work_is_approved_and_the_rest_waits_on(rita: Client, answers: list[Annotation]) -> None:
    body = {"which": "ticked", "annotation": [one.public_id for one in answers[:2]], "act": "approve"}
    answer = rita.post(DECIDE, body, follow=True)
    assert "✓ 2 approved." in text_of(answer.content.decode())
    assert Approval.objects.filter(by="staff:rita").count() == 2
    assert Annotation.objects.undecided().get() == answers[2]


@pytest.mark.parametrize(("act", "decision"), [("reject", "rejected"), ("reject_softly", "softly_rejected")])
def test_all_that_waits_is_rejected_with_one_reason(
    act: str, decision: str, rita: Client, answers: list[Annotation]
) -> None:
    seen = seen_on(rita, LIST)
    rita.post(DECIDE, {"which": "waiting", "seen": seen, "act": act, "reason": "The video was cut."})
    assert decisions() == [decision] * 3
    assert set(Approval.objects.values_list("reason", flat=True)) == {"The video was cut."}


def test_all_that_waits_of_one_worker_is_theirs_alone(rita: Client, answers: list[Annotation]) -> None:
    query = f"?q={answers[1].worker.pseudonym}"
    body = {"which": "waiting", "seen": seen_on(rita, f"{LIST}{query}"), "act": "approve"}
    rita.post(f"{DECIDE}{query}", body)
    assert Approval.objects.get().annotation == answers[1]


def test_what_came_in_after_the_page_was_loaded_waits_on(
    rita: Client, marking: Project, answers: list[Annotation]
) -> None:
    body = {"which": "waiting", "seen": seen_on(rita, LIST), "act": "reject", "reason": "The video was cut."}
    approve(annotations=answers[:1], by="rule:approve_after", at=NOON)
    post_many(marking, 1)
    late = annotate(claim(marking, make_worker()), at=NOON - timedelta(seconds=1))
    said = text_of(rita.post(DECIDE, body, follow=True).content.decode())
    assert "✓ 2 rejected. 1 had been decided on meanwhile, and stays so. 1 more waits, and was not among these." in said
    assert "✓ 0 rejected. 3 had been decided on" in text_of(rita.post(DECIDE, body, follow=True).content.decode())
    assert Annotation.objects.undecided().get() == late


def test_a_refused_form_keeps_what_was_chosen(rita: Client, answers: list[Annotation]) -> None:
    def box(answer: Annotation, page: str) -> str:
        return next(piece for piece in page.split("<input") if f'name="annotation" value="{answer.public_id}"' in piece)

    body = {"annotation": [one.public_id for one in answers[:2]], "act": "reject", "reason": ""}
    page = compact(rita.post(DECIDE, {**body, "which": "ticked"}).content.decode())
    assert [" checked" in box(one, page).partition(">")[0] for one in answers] == [True, True, False]
    seen = seen_in(page)
    post_many(answers[0].project, 1)
    annotate(claim(answers[0].project, make_worker()))
    again = rita.post(DECIDE, {"which": "waiting", "seen": seen, "act": "reject", "reason": ""})
    assert again.status_code == 422
    assert '<option value="waiting" selected>' in again.content.decode()
    assert seen_in(again.content.decode()) == seen, "not the one that came in meanwhile"
    assert decisions() == []


@pytest.mark.parametrize("seen", ["", "all", "1-1001"])
def test_a_form_that_does_not_say_what_waited_decides_nothing(
    seen: str, rita: Client, answers: list[Annotation]
) -> None:
    assert rita.post(DECIDE, {"which": "waiting", "seen": seen, "act": "approve"}).status_code == 422
    assert decisions() == []


def test_nothing_chosen_is_said(rita: Client, answers: list[Annotation]) -> None:
    answer = rita.post(DECIDE, {"which": "ticked", "act": "approve"})
    assert answer.status_code == 422
    assert "Nothing is chosen" in text_of(answer.content.decode())


def test_who_comes_second_reads_who_was_first(rita: Client, answers: list[Annotation]) -> None:
    approve(annotations=answers[:1], by="staff:dora", at=NOON)
    body = {"which": "ticked", "annotation": [answers[0].public_id], "act": "reject", "reason": "It is wrong."}
    answer = rita.post(DECIDE, body)
    assert answer.status_code == 409
    page = text_of(answer.content.decode())
    assert "staff:dora was there before" in page
    assert "It is wrong." in page, "what was typed stays"
    assert decisions() == ["approved"]


def test_answers_of_another_project_are_not_decided_on_here(rita: Client, answers: list[Annotation]) -> None:
    elsewhere = make_project("elsewhere")
    post_many(elsewhere, 1)
    other = annotate(claim(elsewhere, make_worker()))
    answer = rita.post(DECIDE, {"which": "ticked", "annotation": [other.public_id], "act": "approve"})
    assert answer.status_code == 422
    assert decisions() == []


def test_a_rejection_is_overturned_on_the_tab_of_decided_ones(rita: Client, answers: list[Annotation]) -> None:
    reject(annotations=answers[:2], reason="Too late.", is_soft=False, by="staff:dora", at=NOON)
    assert "Too late." in words_of(rita, f"{LIST}?tab=decided&decision=rejected")
    ticked = {"which": "ticked", "annotation": [answers[0].public_id]}
    rita.post(f"{OVERTURN}?tab=decided", {**ticked, "act": "pay_and_count", "reason": "It was in time."})
    assert decisions() == ["approved", "rejected"]
    assert LedgerEntry.objects.get(worker=answers[0].worker).state == "approved"


def test_projects_with_the_most_waiting_work_come_first(
    dora: Client, answers: list[Annotation], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "/staff/approvals/"
    quiet = make_project("quiet", title="Quiet")
    make_project("calm", title="Calm")
    post_many(quiet, 1)
    annotate(claim(quiet, make_worker()))
    monkeypatch.setattr(listing, "ROWS", 1)
    seen, query = [], "?"
    while query:
        html = dora.get(page + query).content.decode()
        seen += re.findall(r'href="/staff/approvals/([a-z]+)/"', html)
        found = re.search(r'rel="next" href="([^"]+)"', html)
        query = unescape(found[1]) if found else ""
    assert seen == ["marking", "quiet", "calm"]
    assert "Calm" not in words_of(dora, f"{page}?waits=1")
    rows = dora.get(f"{page}?waits=1&column=waiting&download=csv").getvalue().decode().splitlines()
    assert rows == ["project,waiting", "marking,3", "quiet,1"]


def test_what_is_listed_of_answers_is_a_file_with_who_decided(dora: Client, answers: list[Annotation]) -> None:
    reject(annotations=answers[:2], reason="Too late.", is_soft=False, by="staff:rita", at=NOON)
    query = "tab=decided&column=worker&column=decision&column=reason&column=by&download=csv"
    rows = dora.get(f"{LIST}?{query}").getvalue().decode().splitlines()
    assert rows[0] == "work,worker,decision,reason,by"
    nothing = dora.get(f"{LIST}?tab=decided&q=nobody").content.decode()
    assert '<a href="?tab=decided">Show all</a>' in nothing, "to all that was decided"
    assert rows[1:] == [
        f"{one.task.key},direct:w{n},rejected,Too late.,staff:rita" for n, one in ((1, answers[1]), (0, answers[0]))
    ]
