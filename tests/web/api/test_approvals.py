"""Deciding through the API, what a worker is told of it, and what a project says of when."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Annotation, Approval, Project
from annotation.pay.approvals import reject
from tests.support.builders import NOON, annotate, claim, make_project, make_worker, token_for
from tests.support.calls import problem
from tests.support.crowds import PAY, post_many
from tests.support.pages import text_of
from workforce.models import Worker

pytestmark = pytest.mark.django_db

URL = "/api/v1/projects/p/approvals/"
WHY = "The video ends before the moment that is marked."


@pytest.fixture
def project(db: None) -> Project:
    found = make_project("p", base_pay=PAY)
    post_many(found, 4)
    return found


@pytest.fixture
def answers(project: Project) -> list[Annotation]:
    return [annotate(claim(project, make_worker())) for _ in range(2)]


def send(pipe: APIClient, answers: list[Annotation], decision: str, **changes: Any) -> Any:
    body = {"annotations": [one.public_id for one in answers], "decision": decision, **changes}
    return pipe.post(URL, body, format="json")


def test_decisions_are_counted_and_a_repeat_changes_nothing(pipe: APIClient, answers: list[Annotation]) -> None:
    assert send(pipe, answers[:1], "rejected", reason=WHY).json() == {"decided": 1, "unchanged": 0}
    assert send(pipe, answers[:1], "rejected", reason=WHY).json() == {"decided": 0, "unchanged": 1}
    assert send(pipe, answers[1:], "softly_rejected", reason=WHY).json() == {"decided": 1, "unchanged": 0}
    assert list(Approval.objects.order_by("pk").values_list("decision", flat=True)) == ["rejected", "softly_rejected"]
    assert all(one.by.startswith("key:pipe") for one in Approval.objects.all())


def test_who_decides_otherwise_overturns_on_purpose(pipe: APIClient, answers: list[Annotation]) -> None:
    send(pipe, answers[:1], "rejected", reason=WHY)
    refused = send(pipe, answers, "approved")
    assert refused.status_code == 409
    assert problem(refused)["code"] == "already_decided"
    assert Approval.objects.count() == 1, "all of them, or none"
    overturned = send(pipe, answers[:1], "approved", overturn=True, reason="It was right.")
    assert overturned.json() == {"decided": 1, "unchanged": 0}
    assert Approval.objects.get().decision == "approved"


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"decision": "rejected"}, "#/reason"),
        ({"decision": "perhaps"}, "#/decision"),
        ({"annotations": []}, "#/annotations"),
        ({"annotations": ["x" * 22]}, "#/annotations/0"),
        ({"overturn": True, "decision": "rejected", "reason": WHY}, "#/decision"),
        ({"why": WHY}, "#/why"),
    ],
)
def test_what_cannot_be_is_pointed_at(
    changes: dict[str, Any], pointer: str, pipe: APIClient, answers: list[Annotation]
) -> None:
    refused = send(pipe, answers, **{"decision": "approved", **changes})
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in problem(refused)["errors"]] == [pointer]
    assert not Approval.objects.exists()


def test_another_project_has_no_such_annotation(pipe: APIClient, project: Project) -> None:
    other = make_project()
    post_many(other, 1)
    refused = send(pipe, [annotate(claim(other, make_worker()))], "approved")
    assert problem(refused)["errors"][0]["pointer"] == "#/annotations/0"


def test_a_worker_is_told_what_was_refused_and_whom_to_ask(
    alice: Worker, project: Project, as_worker: Any, settings: Any
) -> None:
    settings.CONTACT = "help@example.org"
    first, second = (annotate(claim(project, alice)) for _ in range(2))
    reject(annotations=[first], reason=WHY, is_soft=False, by="staff:dora", at=NOON)
    shown = as_worker(project, alice).get("/api/v1/work/").json()
    assert shown["earned"] == {"amount": "0.30", "currency": "USD"}
    assert shown["decisions"] == [
        {
            "annotation": first.public_id,
            "decision": "rejected",
            "reason": WHY,
            "at": "2026-11-21T12:00:00Z",
            "paid": False,
        }
    ]
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, alice)}")
    assert browser.get("/work/p/decisions/")["Location"] == "/work/p/summary/#messages"
    page = text_of(browser.get("/work/p/summary/").content.decode())
    for words in (WHY, "not paid", "help@example.org", first.public_id):
        assert words in page
    assert second.public_id not in page
    assert Client().get("/work/p/decisions/").status_code == 404


def test_a_project_says_after_how_long_it_approves(pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "Q", "instructions": ["Mark it."], "status": "live"}
    assert pipe.put("/api/v1/projects/q/", body, format="json").json()["approve_after_s"] == 259_200
    for wanted in (0, 3600, None):
        put = pipe.put("/api/v1/projects/q/", {**body, "approve_after_s": wanted}, format="json")
        assert put.json()["approve_after_s"] == wanted
        assert Project.objects.get(slug="q").approve_after_s == wanted
    assert pipe.put("/api/v1/projects/q/", {**body, "approve_after_s": -1}, format="json").status_code == 422
