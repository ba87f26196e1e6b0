"""The ledger's pages: lists, sums, marking, corrections, the file; admins see what is charged to their projects."""

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Enrolment, Project
from audit.models import AuditEvent
from tests.support.builders import NOON, annotate, claim, client_of, make_project, make_staff, make_worker
from tests.support.calls import content
from tests.support.crowds import PAY, post_many
from tests.support.pages import compact, seen_in, seen_on, text_of, words_of
from workforce.models import LedgerEntry, Worker

pytestmark = pytest.mark.django_db

LIST = "/staff/ledger/"
State, Kind = LedgerEntry.State, LedgerEntry.Kind


@pytest.fixture
def adam(marking: Project) -> Client:
    """An admin of the project, and of no other."""
    return client_of(make_staff("adam", Role.ADMIN, marking))


def enter(worker: Worker, account: str, reason: str, **changes: Any) -> LedgerEntry:
    fields = {"kind": Kind.BONUS, "amount": Decimal("0.30"), "currency": "USD", "at": NOON, "state": State.APPROVED}
    row = {**fields, **changes}
    moved = None if row["state"] == State.OWED else NOON
    return LedgerEntry.objects.create(worker=worker, account=account, reason=reason, state_at=moved, **row)


def states() -> list[str]:
    return list(LedgerEntry.objects.order_by("pk").values_list("state", flat=True))


def mark_all(client: Client, act: str, seen: str, query: str = "") -> str:
    """The page's sentence after all listed entries are marked."""
    body = {"which": "listed", "seen": seen, "act": act, "reason": "No such account."}
    return text_of(client.post(f"{LIST}mark/{query}", body, follow=True).content.decode())


def file_of(client: Client, seen: str) -> list[str]:
    """The rows of the file that the page gives of its list."""
    answer = client.post(f"{LIST}ledger.csv", {"seen": seen})
    assert answer.status_code == 200
    return [row["for"] for row in csv.DictReader(io.StringIO(content(answer).decode()))]


def lines_of(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"{LIST}ledger.csv{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(content(answer).decode())))


def test_an_admin_sees_what_is_charged_to_their_projects(adam: Client, dora: Client, alice: Worker) -> None:
    enter(alice, "marking", "a")
    other = enter(alice, "elsewhere", "b")
    enter(alice, "", "c")
    assert [row["for"] for row in lines_of(adam)] == ["a"]
    assert [row["for"] for row in lines_of(dora)] == ["a", "b", "c"]
    assert adam.get(f"{LIST}{other.pk}/").status_code == 404
    adam.post(f"{LIST}mark/", {"which": "ticked", "entry": [other.pk], "act": "sent"})
    adam.post(f"{LIST}mark/", {"which": "listed", "seen": seen_on(dora, LIST), "act": "sent"})
    assert states() == ["sent", "approved", "approved"]


def test_what_is_listed_comes_to_sums_by_state_and_currency(dora: Client, alice: Worker) -> None:
    make_project("p")
    for number, (amount, currency, state) in enumerate(
        [("0.30", "USD", State.OWED), ("0.45", "USD", State.OWED), ("2", "EUR", State.OWED), ("9", "USD", State.SENT)]
    ):
        enter(alice, "p", f"r{number}", amount=Decimal(amount), currency=currency, state=state)
    words = words_of(dora, LIST)
    for sum_of in ("0.75 USD", "2.00 EUR", "9.00 USD"):
        assert sum_of in words
    rows = csv.reader(io.StringIO(content(dora.get(f"{LIST}?plot=states&as=csv")).decode()))
    assert ["owed", "2", "0.7500", "USD"] in list(rows)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?state=owed", ["owed"]),
        ("?kind=partial", ["part"]),
        ("?project=marking", ["part", "owed"]),
        ("?q=direct:bob", ["bobs"]),
        ("?since=2026-11-22", ["late"]),
        ("?until=2026-11-21&project=elsewhere", ["bobs"]),
        ("?state=nonsense&project=elsewhere", ["bobs", "late"]),
    ],
)
def test_the_list_is_narrowed(query: str, found: list[str], dora: Client, alice: Worker, bob: Worker) -> None:
    make_project("marking")
    make_project("elsewhere")
    enter(alice, "marking", "part", kind=Kind.PARTIAL)
    enter(alice, "marking", "owed", state=State.OWED)
    enter(bob, "elsewhere", "bobs")
    enter(alice, "elsewhere", "late", at=NOON + timedelta(days=1))
    assert [row["for"] for row in lines_of(dora, query)] == found
    assert dora.get(f"{LIST}{query}").status_code == 200
    assert dora.get(f"{LIST}?since=yesterday").status_code == 422


def test_marking_goes_along_the_way_and_says_what_stayed(dora: Client, alice: Worker) -> None:
    make_project("p")
    ready, owed = enter(alice, "p", "a"), enter(alice, "p", "b", state=State.OWED)
    body = {"which": "ticked", "entry": [ready.pk, owed.pk], "act": "sent"}
    page = text_of(dora.post(f"{LIST}mark/", body, follow=True).content.decode())
    assert "✓ 1 is sent now. 1 stay as they are" in page
    assert states() == ["sent", "owed"]
    event = AuditEvent.objects.get(verb="ledger.sent")
    assert (event.actor, event.detail["entries"]) == ("staff:dora", [ready.pk])


def test_a_failure_says_why(dora: Client, alice: Worker) -> None:
    entry = enter(alice, "", "a", state=State.SENT)
    body = {"which": "ticked", "entry": [entry.pk], "act": "failed"}
    assert dora.post(f"{LIST}mark/", body).status_code == 422
    assert dora.post(f"{LIST}mark/", {**body, "reason": "No such account."}).status_code == 302
    entry.refresh_from_db()
    assert (entry.state, entry.note) == ("failed", "No such account.")
    dora.post(f"{LIST}mark/", {"which": "ticked", "entry": [entry.pk], "act": "approved"})
    assert states() == ["approved"]


def test_work_that_waits_or_was_rejected_is_not_approved_past_its_decision(dora: Client, alice: Worker) -> None:
    enter(alice, "", "base:annotation:x", kind=Kind.BASE, state=State.OWED)
    enter(alice, "", "b", kind=Kind.BASE, state=State.REJECTED, note="no")
    enter(alice, "", "partial:session:y", kind=Kind.PARTIAL, state=State.OWED)
    mark_all(dora, "approved", seen_on(dora, LIST))
    assert states() == ["owed", "rejected", "approved"]


# All that are listed -----------------------------------------------------------------------------------------------

APPROVED = "?project=p&state=approved"


def test_what_was_approved_after_the_page_was_loaded_is_in_no_file_and_not_sent(dora: Client, alice: Worker) -> None:
    make_project("p")
    waits = enter(alice, "p", "waits", state=State.OWED)
    enter(alice, "p", "early")
    seen = seen_on(dora, f"{LIST}{APPROVED}")
    enter(alice, "p", "late")
    # The rule approves whatever is overdue as of one moment, which may lie before the page was loaded.
    LedgerEntry.objects.filter(pk=waits.pk).update(state=State.APPROVED, state_at=NOON - timedelta(hours=1))
    assert file_of(dora, seen) == ["early"]
    said = mark_all(dora, "sent", seen, APPROVED)
    assert "✓ 1 is sent now. 2 more became approved meanwhile; they are not among these." in said
    assert states() == ["approved", "sent", "approved"]
    assert "✓ 2 are sent now." in mark_all(
        dora, "sent", seen_in(dora.get(f"{LIST}{APPROVED}").content.decode()), APPROVED
    )


def test_marking_all_again_changes_nothing(dora: Client, alice: Worker) -> None:
    make_project("p")
    entry = enter(alice, "p", "a")
    seen = seen_on(dora, LIST)
    mark_all(dora, "sent", seen)
    assert "✓ 0 are sent now. 1 stay as they are" in mark_all(dora, "sent", seen)
    assert file_of(dora, seen) == [], "whoever takes the file now pays nothing twice"
    # It did not arrive and is to be paid again: the old page says nothing of that.
    mark_all(dora, "failed", seen_on(dora, LIST))
    mark_all(dora, "approved", seen_on(dora, LIST))
    assert "✓ 0 are sent now." in mark_all(dora, "sent", seen)
    entry.refresh_from_db()
    assert entry.state == "approved"


def test_what_was_owed_when_it_was_listed_is_not_sent(dora: Client, alice: Worker) -> None:
    enter(alice, "", "a", state=State.OWED)
    seen = seen_on(dora, LIST)
    LedgerEntry.objects.update(state=State.APPROVED, state_at=NOON)
    assert "✓ 0 are sent now. 1 stay as they are" in mark_all(dora, "sent", seen)
    assert states() == ["approved"]


def test_a_refused_form_keeps_what_its_page_listed(dora: Client, alice: Worker) -> None:
    enter(alice, "", "early")
    seen = seen_on(dora, LIST)
    enter(alice, "", "late")
    page = dora.post(f"{LIST}mark/", {"which": "ticked", "seen": seen, "act": "sent"})
    assert page.status_code == 422
    assert "all 1 that were listed before" in text_of(page.content.decode())
    assert seen_in(page.content.decode()) == seen
    mark_all(dora, "sent", seen)
    assert states() == ["sent", "approved"]


def test_a_refused_form_keeps_what_was_ticked_and_typed(dora: Client, alice: Worker) -> None:
    ticked, other = enter(alice, "", "a"), enter(alice, "", "b")
    body = {"which": "ticked", "entry": [ticked.pk], "act": "failed", "reason": ""}
    page = compact(dora.post(f"{LIST}mark/", body).content.decode())
    assert f'value="{ticked.pk}" aria-label="Choose “{ticked.pk}”" checked>' in page
    assert f'value="{other.pk}" aria-label="Choose “{other.pk}”">' in page
    body = {"which": "listed", "seen": seen_on(dora, LIST), "act": "burnt", "reason": "No such account."}
    page = dora.post(f"{LIST}mark/", body).content.decode()
    assert '<option value="listed" selected>' in page
    assert 'value="No such account."' in page
    assert states() == ["approved", "approved"]


@pytest.mark.parametrize(
    "seen", ["", "sold=1", "approved=0", "approved=1-9999999", "approved=x", "until=2026-11-21", "approved=1 until=no"]
)
def test_a_form_that_does_not_say_what_was_listed_marks_nothing(seen: str, dora: Client, alice: Worker) -> None:
    enter(alice, "", "a")
    for path in ("mark/", "ledger.csv"):
        assert dora.post(f"{LIST}{path}", {"which": "listed", "seen": seen, "act": "sent"}).status_code == 422
    assert states() == ["approved"]


def test_many_are_marked_in_pieces_and_too_many_are_not_offered(
    dora: Client, alice: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workforce.ledger.MOST_NAMED", 3)
    monkeypatch.setattr("web.staff.money.ledger_filters.BATCH", 4)
    rows = [{"reason": f"r{number}", "state": (State.SENT, State.APPROVED)[number % 2]} for number in range(24)]
    fields = {"worker": alice, "kind": Kind.BONUS, "amount": 1, "currency": "USD", "at": NOON, "state_at": NOON}
    LedgerEntry.objects.bulk_create(LedgerEntry(**fields, **row) for row in rows)
    seen = seen_on(dora, LIST)
    assert file_of(dora, seen) == [f"r{number}" for number in range(24)]
    assert "✓ 12 are sent now. 12 stay as they are" in mark_all(dora, "sent", seen)
    event = AuditEvent.objects.get(verb="ledger.sent")
    assert (len(event.detail["entries"]), event.detail["count"]) == (3, 12)
    monkeypatch.setattr("web.staff.money.ledger_filters.MOST_LISTED", 20)
    page = dora.get(LIST).content.decode()
    assert 'value="listed"' not in page
    assert "too much to mark all at once" in page


# Corrections -------------------------------------------------------------------------------------------------------


@pytest.fixture
def earned(marking: Project, alice: Worker) -> Enrolment:
    Project.objects.filter(pk=marking.pk).update(base_pay=PAY, budget=Decimal(1))
    post_many(marking, 1)
    annotate(claim(marking, alice))
    return Enrolment.objects.get(project=marking, worker=alice)


def correction(alice: Worker, **changes: str) -> dict[str, str]:
    why = "The clock stood still."
    return {"project": "marking", "worker": alice.pseudonym, "amount": "0.50", "why": why, "key": "k", **changes}


def test_a_correction_is_entered_once_and_counts(adam: Client, alice: Worker, earned: Enrolment) -> None:
    for _ in range(2):
        assert adam.post(f"{LIST}correct/", correction(alice)).status_code == 302
    earned.refresh_from_db()
    assert earned.earned == earned.project.__class__.objects.get(pk=earned.project_id).spent == Decimal("0.80")
    entry = LedgerEntry.objects.get(kind=Kind.CORRECTION)
    assert (entry.amount, entry.account, entry.state, entry.state_by) == (
        Decimal("0.50"),
        "marking",
        "approved",
        "staff:adam",
    )


@pytest.mark.parametrize(
    ("changes", "status", "why"),
    [
        ({"amount": "0.71"}, 409, "The budget has no room"),
        ({"amount": "-0.31"}, 422, "take back no more"),
        ({"amount": "much"}, 422, "Write the amount"),
        ({"amount": "0.00001"}, 422, "Write the amount"),
        ({"amount": "NaN"}, 422, "Write the amount"),
        ({"amount": "0"}, 422, "corrects nothing"),
        ({"why": ""}, 422, "Say why"),
        ({"worker": "nobody"}, 422, "No worker"),
        ({"key": ""}, 422, "Load the page again"),
        ({"project": ""}, 422, "Choose the project"),
    ],
)
def test_a_correction_that_cannot_be_is_refused_with_what_was_typed(
    changes: dict[str, str], status: int, why: str, adam: Client, alice: Worker, earned: Enrolment
) -> None:
    answer = adam.post(f"{LIST}correct/", correction(alice, **changes))
    assert answer.status_code == status
    assert why in text_of(answer.content.decode())
    assert not LedgerEntry.objects.filter(kind=Kind.CORRECTION).exists()
    earned.refresh_from_db()
    assert earned.earned == PAY


def test_no_correction_is_more_than_the_books_hold(adam: Client, alice: Worker, earned: Enrolment) -> None:
    Project.objects.filter(pk=earned.project_id).update(budget=None, spent=Decimal("0.30"))
    answer = adam.post(f"{LIST}correct/", correction(alice, amount="99999999.70"))
    assert answer.status_code == 422
    assert "That is too much: 0.30 USD is spent" in text_of(answer.content.decode())
    assert adam.post(f"{LIST}correct/", correction(alice, amount="99999999.69")).status_code == 302
    assert Project.objects.get(pk=earned.project_id).spent == Decimal("99999999.99")
    assert adam.get(LIST).status_code == 200
    adam.post(f"{LIST}correct/", correction(alice, amount="-99999999.99", key="back"))
    earned.refresh_from_db()
    assert earned.earned == 0, "money is taken back down to nothing"


# The file, the entry, the plots --------------------------------------------------------------------------------------


def test_the_file_names_workers_for_who_may_know_them(adam: Client, marking: Project) -> None:
    known, unknown = make_worker("known"), make_worker("unknown")
    Enrolment.objects.create(project=marking, worker=known, created_at=NOON)
    for worker in (known, unknown):
        enter(worker, "marking", "a", note="=1+1", amount=Decimal("-0.25"))
    first, second = lines_of(adam)
    assert (first["worker"], second["worker"]) == ("direct:known", unknown.pseudonym)
    assert (first["amount"], first["note"]) == ("-0.2500", "'=1+1")


def test_an_entry_shows_what_it_was_worked_out_from(dora: Client, alice: Worker) -> None:
    entry = enter(alice, "", "a", inputs={"score": 6.2, "weights": {"quantity": 0.5}, "is_capped": False, "arm": None})
    words = words_of(dora, f"{LIST}{entry.pk}/")
    for text in ("score", "6.2", "weights quantity", "0.5", "is capped", "no"):
        assert text in words
    assert "Nothing was kept." in words_of(dora, f"{LIST}{enter(alice, '', 'b').pk}/")
