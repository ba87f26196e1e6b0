"""A worker's day over HTTP: claim, draft, hand in, give back, report; and what each is refused for."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Project
from lib.canonical_json import digest
from tests.support.builders import make_enrolment, make_project, make_task, make_worker
from tests.support.calls import problem
from workforce import blocking
from workforce.models import InformationPage, LedgerEntry, Worker

SUCCESS = {"answer": {"outcome": "success", "frame": 20}}
FAILURE = {"answer": {"outcome": "failure", "frame": 40}}


@pytest.fixture
def project(db: None) -> Project:
    return make_project("p")


@pytest.fixture
def work(project: Project, alice: Worker, as_worker: Any) -> APIClient:
    """Alice's browser."""
    client: APIClient = as_worker(project, alice)
    return client


@pytest.fixture
def bobs(project: Project, bob: Worker, as_worker: Any) -> APIClient:
    """Bob's browser."""
    client: APIClient = as_worker(project, bob)
    return client


def _claim(client: APIClient) -> str:
    response = client.post("/api/v1/work/claim/", {})
    assert response.status_code == 200, response.content
    held: str = response.json()["assignment"]
    return held


def _do(client: APIClient, held: str, act: str, body: dict[str, Any] | None = None) -> Any:
    return client.post(f"/api/v1/work/assignments/{held}/{act}/", body or {})


def _code(response: Any) -> tuple[int, str]:
    return response.status_code, problem(response)["code"]


def _expire(held: str) -> None:
    Assignment.objects.filter(public_id=held).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def _refusal(client: APIClient) -> str:
    status, code = _code(client.post("/api/v1/work/claim/", {}))
    assert status == 403
    return code


def _page() -> InformationPage:
    text = "We keep nothing."
    return InformationPage.objects.get_or_create(
        digest=digest(text), defaults={"text": text, "created_at": timezone.now()}
    )[0]


# Refusals ----------------------------------------------------------------------------------------------------


def test_the_first_refusal_that_applies_is_told(project: Project, alice: Worker, work: APIClient) -> None:
    make_task(project), make_task(project)
    _do(work, _claim(work), "submit", SUCCESS)
    blocking.block(worker=alice, reason="asks", by="dora", at=timezone.now())
    Project.objects.update(
        consent_page=_page(),
        status="paused",
        limit_per_worker=1,
        budget=Decimal("0.10"),
        base_pay=Decimal("0.30"),
    )
    told = [_refusal(work)]
    blocking.unblock(worker=alice, by="dora", at=timezone.now())
    told.append(_refusal(work))
    work.post("/api/v1/work/consent/", {})
    told.append(_refusal(work))
    Project.objects.update(status="live")
    told.append(_refusal(work))
    Project.objects.update(limit_per_worker=None)
    told.append(_refusal(work))
    Project.objects.update(budget=None)
    assert work.post("/api/v1/work/claim/", {}).status_code == 200
    assert told == ["worker_blocked", "consent_required", "project_not_live", "limit_reached", "budget_spent"]


@pytest.mark.parametrize("status", ["draft", "paused", "closed"])
def test_only_a_live_project_gives_out_tasks(status: str, project: Project, work: APIClient) -> None:
    make_task(project)
    Project.objects.update(status=status)
    assert _refusal(work) == "project_not_live"
    Project.objects.update(status="live")
    assert _claim(work)


def test_the_limit_counts_what_is_held_and_references_too(project: Project, work: APIClient) -> None:
    Project.objects.update(limit_per_worker=2, reference_rate=1.0)
    for _ in range(3):
        make_task(project)
    make_task(project, truth="success")
    _do(work, _claim(work), "submit", SUCCESS)
    held = _claim(work)
    assert work.post("/api/v1/work/ahead/", {}).status_code == 403
    assert _claim(work) == held, "what is held may be finished"
    _do(work, held, "submit", SUCCESS)
    assert _refusal(work) == "limit_reached"
    assert Annotation.objects.on_references().count() == 1


def test_the_budget_is_never_promised_twice(project: Project, work: APIClient, bobs: APIClient) -> None:
    Project.objects.update(budget=Decimal("0.60"), base_pay=Decimal("0.30"))
    for _ in range(5):
        make_task(project)
    first, theirs = _claim(work), _claim(bobs)
    assert work.post("/api/v1/work/ahead/", {}).status_code == 403
    _do(work, first, "submit", SUCCESS)
    assert _refusal(work) == "budget_spent"
    _do(bobs, theirs, "release")
    assert _claim(work), "what was promised and given back is there again"


def test_a_spent_budget_may_be_raised(project: Project, work: APIClient) -> None:
    Project.objects.update(budget=Decimal("0.30"), base_pay=Decimal("0.30"))
    make_task(project), make_task(project)
    _do(work, _claim(work), "submit", SUCCESS)
    assert _refusal(work) == "budget_spent"
    Project.objects.update(budget=Decimal("0.60"))
    assert _claim(work)


def test_consent_is_asked_given_withdrawn_and_given_again(project: Project, work: APIClient) -> None:
    make_task(project)
    Project.objects.update(consent_page=_page())
    for _ in range(2):
        assert work.get("/api/v1/work/").json()["missing"] == {"consent": "We keep nothing."}
        assert _refusal(work) == "consent_required"
        assert [work.post("/api/v1/work/consent/", {}).status_code for _ in range(2)] == [204, 204]
        assert work.get("/api/v1/work/").json()["missing"] is None
        held = _claim(work)
        assert [work.delete("/api/v1/work/consent/").status_code for _ in range(2)] == [204, 204]
        assert _do(work, held, "release").status_code == 204
    assert project.enrolments.get().worker.consents.count() == 2


def test_another_wording_asks_for_consent_again(project: Project, work: APIClient, pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "p", "instructions": [], "status": "live"}
    pipe.put("/api/v1/projects/p/", {**body, "consent": "One."})
    work.post("/api/v1/work/consent/", {})
    assert work.get("/api/v1/work/").json()["missing"] is None
    pipe.put("/api/v1/projects/p/", {**body, "consent": "Two."})
    assert work.get("/api/v1/work/").json()["missing"] == {"consent": "Two."}
    pipe.put("/api/v1/projects/p/", {**body, "consent": "One."})
    assert work.get("/api/v1/work/").json()["missing"] is None, "this wording was agreed to"


def test_a_blocked_worker_may_still_hand_in_what_they_hold(project: Project, alice: Worker, work: APIClient) -> None:
    Project.objects.update(base_pay=Decimal("0.30"))
    make_task(project), make_task(project)
    held = _claim(work)
    blocking.block(worker=alice, reason="asks", by="dora", at=timezone.now())
    assert _do(work, held, "heartbeat").status_code == 200
    assert _do(work, held, "submit", SUCCESS).status_code == 201
    assert work.get("/api/v1/work/").json()["earned"] == {"amount": "0.30", "currency": "USD"}
    assert _refusal(work) == "worker_blocked"


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_what_is_held_may_be_handed_in_after_the_project_stopped(
    status: str, project: Project, work: APIClient
) -> None:
    make_task(project)
    held = _claim(work)
    Project.objects.update(status=status)
    assert _do(work, held, "submit", SUCCESS).status_code == 201


# Claiming ----------------------------------------------------------------------------------------------------


def test_a_claim_is_what_the_contract_says(project: Project, work: APIClient) -> None:
    make_task(project)
    shown = work.post("/api/v1/work/claim/", {}).json()
    assert list(shown) == ["assignment", "lease_expires_at", "tool", "payload", "draft"]
    assert (shown["tool"], shown["draft"]) == ("marker", None)
    payload = shown["payload"]
    named = {"instruction", "criteria", "takeover_s", "deadline_s", "transcript", "video"}
    assert named <= set(payload)
    assert (payload["takeover_s"], payload["deadline_s"]) == (1.0, 6.0)
    assert {"url", "poster_url", "frames", "duration_s", "width", "height"} <= set(payload["video"])


def test_what_is_held_is_given_out_again_and_nothing_more(project: Project, work: APIClient) -> None:
    make_task(project), make_task(project)
    first = work.post("/api/v1/work/claim/", {}).json()
    again = work.post("/api/v1/work/claim/").json()
    assert (again["assignment"], again["lease_expires_at"]) == (first["assignment"], first["lease_expires_at"])
    assert Assignment.objects.count() == 1


def test_the_work_page_is_what_the_contract_says(project: Project, work: APIClient) -> None:
    assert work.get("/api/v1/work/").json() == {
        "project": {"slug": "p", "title": "p", "tool": "marker"},
        "instructions": ["Mark it."],
        "missing": None,
        "progress": {"done": 0, "open": 0},
        "earned": {"amount": "0.00", "currency": "USD"},
        "notice": None,
        "grace_s": 0,
        "decisions": [],
    }


# Drafts and leases -------------------------------------------------------------------------------------------


def test_a_draft_is_given_back_and_renews_the_lease(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    soon = timezone.now() + timedelta(seconds=5)
    for draft in ({"frame": 3}, [1, {"a": None}], "text", 0, False, None):
        Assignment.objects.update(lease_expires_at=soon)
        saved = work.patch(f"/api/v1/work/assignments/{held}/", {"draft": draft})
        assert (saved.status_code, saved.content) == (204, b"")
        assert work.post("/api/v1/work/claim/", {}).json()["draft"] == draft
        assert Assignment.objects.get().lease_expires_at > soon + timedelta(minutes=10)


def test_a_heartbeat_renews_the_lease_and_says_until_when(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    Assignment.objects.update(lease_expires_at=timezone.now() + timedelta(seconds=5))
    until = _do(work, held, "heartbeat").json()["lease_expires_at"]
    assert until == work.post("/api/v1/work/claim/", {}).json()["lease_expires_at"]
    assert until.endswith("Z")


@pytest.mark.parametrize("act", ["draft", "heartbeat"])
def test_after_the_lease_it_is_lost(act: str, project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    _expire(held)
    url = f"/api/v1/work/assignments/{held}/"
    response = work.patch(url, {"draft": 1}) if act == "draft" else _do(work, held, act)
    assert _code(response) == (409, "lease_lost")


# Handing in --------------------------------------------------------------------------------------------------


def test_the_same_answer_again_is_the_same_annotation(project: Project, work: APIClient) -> None:
    Project.objects.update(base_pay=Decimal("0.30"))
    make_task(project)
    held = _claim(work)
    first = _do(work, held, "submit", {**SUCCESS, "active_s": 3})
    again = _do(work, held, "submit", {"active_s": 9, "answer": {"frame": 20, "outcome": "success"}})
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    assert list(first.json()) == ["annotation"]
    assert Annotation.objects.get().active_s == 3
    assert LedgerEntry.objects.count() == 1
    assert work.get("/api/v1/work/").json()["progress"]["done"] == 1


def test_another_answer_is_refused(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    _do(work, held, "submit", SUCCESS)
    assert _code(_do(work, held, "submit", FAILURE)) == (409, "already_submitted")
    assert Annotation.objects.get().answer["outcome"] == "success"


def test_after_the_answer_nothing_else_can_be_done(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    _do(work, held, "submit", SUCCESS)
    assert _code(_do(work, held, "heartbeat")) == (409, "already_submitted")
    assert _code(_do(work, held, "release")) == (409, "already_submitted")
    assert _code(_do(work, held, "report", {"problem": "other"})) == (409, "already_submitted")
    assert _code(work.patch(f"/api/v1/work/assignments/{held}/", {"draft": 1})) == (409, "already_submitted")


def test_a_bad_answer_loses_nothing(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    for frame in (9, 61, 10**9):  # before the takeover at 1 s, after the deadline at 6 s
        refused = _do(work, held, "submit", {"answer": {"outcome": "success", "frame": frame}})
        assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/answer/frame")
    assert _claim(work) == held
    assert _do(work, held, "submit", SUCCESS).status_code == 201


@pytest.mark.parametrize("frame", [10, 60])
def test_the_takeover_and_the_deadline_themselves_may_be_marked(frame: int, project: Project, work: APIClient) -> None:
    make_task(project)
    assert _do(work, _claim(work), "submit", {"answer": {"outcome": "failure", "frame": frame}}).status_code == 201
    assert Annotation.objects.get().answer == {"outcome": "failure", "frame": frame, "time_s": frame / 10}


def test_a_late_answer_counts_before_anybody_noticed(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    _expire(held)
    assert _do(work, held, "submit", SUCCESS).status_code == 201


def test_a_late_answer_is_lost_once_somebody_else_has_the_slot(
    project: Project, work: APIClient, bobs: APIClient
) -> None:
    make_task(project)
    held = _claim(work)
    _expire(held)
    theirs = _claim(bobs)
    assert _code(_do(work, held, "submit", SUCCESS)) == (409, "lease_lost")
    assert _do(bobs, theirs, "submit", FAILURE).status_code == 201
    assert _code(_do(work, held, "submit", SUCCESS)) == (409, "lease_lost")
    assert Annotation.objects.count() == 1


def test_pay_is_entered_once_for_each_answer_and_references_are_paid_alike(project: Project, work: APIClient) -> None:
    Project.objects.update(base_pay=Decimal("0.0125"), reference_rate=1.0)
    make_task(project), make_task(project)
    make_task(project, truth="success")
    for _ in range(3):
        _do(work, _claim(work), "submit", SUCCESS)
    assert (
        list(LedgerEntry.objects.values_list("amount", "currency", "kind")) == [(Decimal("0.0125"), "USD", "base")] * 3
    )
    assert work.get("/api/v1/work/").json()["earned"] == {"amount": "0.0375", "currency": "USD"}
    assert Project.objects.get().spent == Decimal("0.0375")


def test_the_currency_stays_once_there_is_work(project: Project, work: APIClient, pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "p", "instructions": [], "status": "live"}
    euros = {"budget": {"amount": "9", "currency": "EUR"}}

    def put(**money: Any) -> Any:
        return pipe.put("/api/v1/projects/p/", {**body, **money})

    assert put(**euros).status_code == 200, "nobody has worked yet"
    assert put(budget=None, pay={"base": {"amount": "1", "currency": "USD"}}).status_code == 200
    make_task(project)
    held = _claim(work)
    for _ in range(2):
        refused = put(pay=None, **euros)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (409, "#/budget/currency")
        _do(work, held, "submit", SUCCESS)
    assert put(pay={"base": {"amount": "2", "currency": "USD"}}).status_code == 200, "the amount may change"
    assert put(pay=None).status_code == 200
    assert Project.objects.get().currency == "USD"


def test_pay_is_not_raised_beyond_the_budget_for_what_is_held(
    project: Project, work: APIClient, pipe: APIClient
) -> None:
    def put(pay: str, budget: str) -> Any:
        money = {"pay": {"base": {"amount": pay, "currency": "USD"}}, "budget": {"amount": budget, "currency": "USD"}}
        return pipe.put(
            "/api/v1/projects/p/", {"tool": "marker", "title": "p", "instructions": [], "status": "live", **money}
        )

    assert put("1", "1").status_code == 200
    make_task(project), make_task(project)
    held = _claim(work)
    refused = put("5", "1")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (409, "#/budget/amount")
    assert Project.objects.get().base_pay == Decimal(1), "nothing of it is kept"
    assert put("5", "5").status_code == 200
    assert put("1", "0.50").status_code == 200, "a budget may always be lowered: nobody claims any more"
    assert put("1", "1").status_code == 200
    _do(work, held, "submit", SUCCESS)
    assert Project.objects.get().spent == Decimal(1)
    assert put("9", "1").status_code == 200, "nothing is held that would cost more"


def test_who_names_no_money_changes_no_currency(project: Project, pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "p", "instructions": [], "status": "live"}
    pipe.put("/api/v1/projects/p/", {**body, "pay": {"base": {"amount": "1", "currency": "EUR"}}})
    assert pipe.put("/api/v1/projects/p/", {**body, "pay": None}).status_code == 200
    assert Project.objects.get().currency == "EUR"


# Giving back and reporting -----------------------------------------------------------------------------------


def test_a_reported_task_goes_to_others_and_never_comes_back(
    project: Project, work: APIClient, bobs: APIClient
) -> None:
    make_task(project)
    held = _claim(work)
    report = {"problem": "video_broken", "text": "It is black."}
    assert [_do(work, held, "report", report).status_code for _ in range(2)] == [204, 204]
    kept = Assignment.objects.get()
    assert (kept.status, kept.problem, kept.problem_text) == ("reported", "video_broken", "It is black.")
    assert work.post("/api/v1/work/claim/", {}).status_code == 204
    assert _do(bobs, _claim(bobs), "submit", SUCCESS).status_code == 201


def test_an_expired_task_may_come_back(project: Project, work: APIClient) -> None:
    make_task(project)
    held = _claim(work)
    _expire(held)
    again = _claim(work)
    assert again != held
    assert _code(_do(work, held, "release")) == (409, "lease_lost")
    assert _do(work, again, "submit", SUCCESS).status_code == 201
    assert _code(_do(work, held, "submit", SUCCESS)) == (409, "lease_lost")


# Links -------------------------------------------------------------------------------------------------------


def test_links_again_are_fresh_tokens_of_the_same_worker(project: Project, pipe: APIClient) -> None:
    first, again = (pipe.post("/api/v1/projects/p/links/", {"worker": "Ann.1:x"}).json() for _ in range(2))
    assert first["token"] != again["token"]
    assert Worker.objects.get().identity == "direct:Ann.1:x"
    assert project.enrolments.count() == 1
    for link in (first, again):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {link['token']}")
        assert client.get("/api/v1/work/").status_code == 200
        assert list(link) == ["url", "token", "expires_at"]


def test_a_worker_has_a_place_of_their_own_in_each_project(project: Project, alice: Worker, as_worker: Any) -> None:
    other = make_project("q")
    make_task(project), make_task(other)
    here, there = as_worker(project, alice), as_worker(other, alice)
    assert _claim(here) != _claim(there)
    assert make_enrolment(project, make_worker("alice")).worker == alice
