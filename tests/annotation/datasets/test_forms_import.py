"""Pairs that are known to be right become references, all of them or none."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.datasets import forms_import
from annotation.models import Task
from audit.models import AuditEvent
from lib.logical_form.normal import same
from tests.support.builders import make_project, make_worker
from tests.support.tool_workers import HOUSE_FORM, TOWER_FORM, make_parse_project, perfect, post_command, work_through

pytestmark = pytest.mark.django_db
TWO = f"build a house|{json.dumps(HOUSE_FORM)}\nbuild a red tower|{json.dumps(TOWER_FORM)}"
NOOP = {"dialogue_type": "NOOP"}


def post(pipe: APIClient, lines: str, slug: str = "p", **rest: Any) -> Any:
    return pipe.post(f"/api/v1/projects/{slug}/forms/", {"lines": lines, **rest}, format="json")


@pytest.mark.parametrize("given_to", ["one_worker", "many_workers", "experts"])
def test_pairs_become_references_that_score_workers(given_to: str, pipe: APIClient, as_worker: Any) -> None:
    project = make_parse_project("p", given_to=given_to, reference_rate=1.0)
    answer = post(pipe, TWO)
    assert (answer.status_code, answer.json()) == (200, {"created": 2, "unchanged": 0, "repaired": [], "refused": []})
    tasks = list(Task.objects.filter(project=project).posted().order_by("pk"))
    assert [task.is_reference for task in tasks] == [True, True]
    assert [task.truth.answers for task in tasks] == [[{"form": HOUSE_FORM}], [{"form": TOWER_FORM}]]
    assert AuditEvent.objects.get(verb="reference.imported").detail == {"created": 2}
    if given_to == "one_worker":
        worker = make_worker()
        post_command(project, "c1", "build a house")
        known = {"build a house": HOUSE_FORM, "build a red tower": TOWER_FORM}
        work_through(as_worker(project, worker), perfect(known), most=20)
        scores = worker.annotations.filter(task__is_reference=True).values_list("score", flat=True)
        assert len(scores) > 4
        assert set(scores) == {1.0}


def test_the_same_again_changes_nothing_in_any_order_and_spelling_of_json(pipe: APIClient) -> None:
    make_parse_project("p")
    more = f"{TWO}\nbuild a house|{json.dumps(NOOP)}"
    assert post(pipe, more).json()["created"] == 2
    again = post(pipe, "\n".join(reversed(more.split("\n")))).json()
    assert again == {"created": 0, "unchanged": 2, "repaired": [], "refused": []}
    assert Task.objects.posted().count() == 2


def test_lines_of_one_command_are_several_right_forms(pipe: APIClient) -> None:
    make_parse_project("p")
    rows = [
        {"text": "build a house", "form": HOUSE_FORM, "id": "h"},
        {"text": "build a house", "lf": NOOP, "id": "h"},
        {"text": "build a house", "form": {**HOUSE_FORM}, "id": "h"},
        {"text": "build a house", "form": HOUSE_FORM, "id": "other"},
    ]
    assert post(pipe, "\n".join(map(json.dumps, rows))).json()["created"] == 2
    forms = [answer["form"] for answer in Task.objects.get(key="h").truth.answers]
    assert [[same(form, right) for right in (NOOP, HOUSE_FORM)].count(True) for form in forms] == [1, 1]
    assert not same(*forms)


def test_one_refused_line_refuses_all_unless_they_are_skipped(pipe: APIClient) -> None:
    make_parse_project("p")
    lines = f"build a house|{json.dumps({**HOUSE_FORM, 'mood': 'good'})}\nnothing\n{TWO}"
    answer = post(pipe, lines)
    assert answer.status_code == 422
    assert [fault["pointer"] for fault in answer.json()["errors"]] == ["#/lines/1/mood", "#/lines/2"]
    assert "2 lines are refused" in answer.json()["detail"]
    assert not Task.objects.exists()
    skipped = post(pipe, lines, skip_refused=True).json()
    assert skipped["created"] == 2
    assert [(one["line"], one["path"]) for one in skipped["refused"]] == [(1, "/mood"), (2, "")]
    assert all(one["reason"] for one in skipped["refused"])


def test_a_repaired_line_is_listed_with_the_reason(pipe: APIClient) -> None:
    make_parse_project("p")
    old = {"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": HOUSE_FORM["event_sequence"]}
    answer = post(pipe, f"build a house|{json.dumps(old)}").json()
    reason = {"path": "/action_sequence", "reason": "action_sequence is called event_sequence now."}
    assert answer["repaired"] == [{"line": 1, "reasons": [reason]}]


def test_an_id_that_is_there_with_other_content_is_a_conflict_and_nothing_is_made(pipe: APIClient) -> None:
    make_parse_project("p")
    post(pipe, f"h|build a house|{json.dumps(HOUSE_FORM)}", shape="ids")
    answer = post(pipe, f"new|dig it|{json.dumps(NOOP)}\nh|build a house|{json.dumps(NOOP)}", shape="ids")
    assert answer.status_code == 409
    assert [fault["pointer"] for fault in answer.json()["errors"]] == ["#/lines/2"]
    assert Task.objects.posted().count() == 1


def test_one_id_with_two_commands_is_refused(pipe: APIClient) -> None:
    make_parse_project("p")
    lines = [f"h|build a {thing}|{json.dumps(HOUSE_FORM)}" for thing in ("house", "hut")]
    answer = post(pipe, "\n".join(lines), shape="ids")
    assert answer.status_code == 422
    assert "Line 1 has the same id" in answer.json()["errors"][0]["detail"]


def test_context_mark_and_the_agents_form_come_along(pipe: APIClient) -> None:
    make_parse_project("p")
    turn = {"speaker": "assistant", "text": "What shall I build?"}
    row = {
        "text": "build a house",
        "form": HOUSE_FORM,
        "context": [turn],
        "marked": True,
        "agent_form": NOOP,
        "note": 1,
    }
    assert post(pipe, json.dumps(row | {"note": 1})).json()["created"] == 1
    payload = {"text": "build a house", "context": [turn], "form": NOOP, "marked": True}
    assert Task.objects.posted().get().payload == payload
    bad = post(pipe, json.dumps({**row, "context": [{"speaker": "cat", "text": "meow"}]}))
    assert bad.status_code == 422
    assert "cat" in bad.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"lines": "\n \n"}, 422, "no line"),
        ({"lines": ""}, 422, "blank"),
        ({"lines": TWO, "shape": "csv"}, 422, "csv"),
        ({"lines": TWO, "dry": True}, 422, "dry"),
        ({"lines": "x|{}\n" * 5001}, 413, "5000 lines"),
        ({"lines": "x" * 5_000_001}, 413, "5000000 bytes"),
    ],
)
def test_an_unreadable_body_is_refused(body: dict[str, Any], status: int, says: str, pipe: APIClient) -> None:
    make_parse_project("p")
    answer = pipe.post("/api/v1/projects/p/forms/", body, format="json")
    assert answer.status_code == status
    assert says in json.dumps(answer.json())
    assert not Task.objects.exists()


def test_a_project_of_another_tool_has_no_forms(pipe: APIClient) -> None:
    make_project("marking")
    for answer in (post(pipe, TWO, "marking"), pipe.get("/api/v1/projects/marking/forms.jsonl")):
        assert answer.status_code == 422
        assert "tool is marker" in answer.json()["detail"]


def test_many_are_posted_in_pieces_and_all_or_none(pipe: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    make_parse_project("p", given_to="experts")
    monkeypatch.setattr(forms_import, "MOST_AT_ONCE", 2)
    post(pipe, f"last|stop|{json.dumps(NOOP)}", shape="ids")
    lines = [f"n{number}|stop|{json.dumps(NOOP)}" for number in range(5)]
    clash = f"last|stop it|{json.dumps(NOOP)}"
    answer = post(pipe, "\n".join([*lines, clash]), shape="ids")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (409, "#/lines/6")
    assert Task.objects.count() == 1
    assert post(pipe, "\n".join(lines), shape="ids").json()["created"] == 5
