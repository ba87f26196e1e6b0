"""The dataset: what is in it of each command, who said what, and what it costs."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents.keys import create_key
from annotation.datasets import forms
from annotation.datasets.forms_lines import read_lines
from annotation.models import Annotation, Consensus, Task
from annotation.references.references import promote
from annotation.work.posting import TaskBody, post_tasks
from tests.conftest import api_client
from tests.support.builders import NOON
from tests.support.tool_workers import (
    HOUSE_FORM,
    KNOWN,
    TOWER_FORM,
    Enter,
    decided,
    make_parse_project,
    post_command,
    worked,
)
from workforce.models import Worker

pytestmark = pytest.mark.django_db
NOOP = {"dialogue_type": "NOOP"}
Json = dict[str, Any]


def rows_of(client: APIClient, query: str = "") -> list[Json]:
    answer = client.get(f"/api/v1/projects/p/forms.jsonl{query}")
    assert answer.status_code == 200, answer.content
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def test_the_row_of_a_settled_command_has_every_field(pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p")
    turn = {"speaker": "assistant", "text": "What now?"}
    post_command(project, "c1", "build a house", context=[turn], form=NOOP, marked=True)
    post_command(project, "c2", "dig a hole")
    (worker,) = worked(project, as_worker, {"build a house": HOUSE_FORM, "dig a hole": NOOP})
    Task.objects.filter(key="c2").update(status="open", closed_at=None)
    Consensus.objects.filter(task__key="c2").update(settled_at=None)
    (row,) = rows_of(pipe)
    settled_at = Consensus.objects.get(task__key="c1").settled_at
    assert settled_at is not None
    provenance = row.pop("provenance")
    assert row == {
        "command": "c1",
        "text": "build a house",
        "tokens": ["build", "a", "house"],
        "context": [turn],
        "form": HOUSE_FORM,
        "other_forms": [],
        "words": row["words"],
        "method": "assembled",
        "confidence": 1.0,
        "settled_at": settled_at.isoformat(),
        "marked": True,
        "agent_form": NOOP,
        "agrees": False,
        "is_reference": False,
        "with_guess": False,
        "adjudicated": None,
    }
    assert "house" in row["words"]
    steps = [step["step"] for step in provenance]
    assert (steps[0], steps[-1], len(steps)) == ("#", "#confirm", len(set(steps)))
    assert {step["path"] for step in provenance} >= {"", "/event_sequence/0"}
    first = Annotation.objects.get(task__part_of__key="c1", task__step__key="#")
    given = {"worker": worker.identity, "annotation": first.public_id, "answer": first.answer}
    assert provenance[0]["answers"] == [given | {"submitted_at": first.submitted_at.isoformat()}]


@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_every_step_lists_its_workers_and_its_confidence(given_to: str, pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p", given_to=given_to, redundancy=2)
    post_command(project, "c1", "build a house")
    workers = worked(project, as_worker, workers=2)
    (row,) = rows_of(pipe)
    names = {worker.identity for worker in workers}
    for step in row["provenance"]:
        assert {answer["worker"] for answer in step["answers"]} == names, step["step"]
        assert step["confidence"] == 1.0
    answers = [answer["annotation"] for step in row["provenance"] for answer in step["answers"]]
    assert sorted(answers) == sorted(Annotation.objects.values_list("public_id", flat=True))


def test_a_step_on_which_workers_differ_is_less_sure(pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p", redundancy=3)
    post_command(project, "c1", "build a house")
    worked(project, as_worker, {"build a house": HOUSE_FORM}, workers=2)
    worked(project, as_worker, {"build a house": NOOP})
    (row,) = rows_of(pipe)
    assert row["form"] == HOUSE_FORM
    assert row["provenance"][0]["confidence"] == pytest.approx(2 / 3)
    assert row["confidence"] < 1


def test_answers_that_count_nowhere_are_no_provenance(pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p", redundancy=2)
    post_command(project, "c1", "build a house")
    dropped, kept = worked(project, as_worker, workers=2)
    Worker.objects.filter(pk=dropped.pk).update(weighting=Worker.Weighting.NONE)
    (row,) = rows_of(pipe)
    named = {answer["worker"] for step in row["provenance"] for answer in step["answers"]}
    assert named == {kept.identity}


def test_identities_need_their_scope(as_worker: Enter, pipe: APIClient) -> None:
    project = make_parse_project("p")
    post_command(project, "c1", "build a house")
    (worker,) = worked(project, as_worker)
    reader = api_client(create_key(name="reader", scopes=["read"], at=NOON))
    for client, name in ((reader, worker.pseudonym), (pipe, worker.identity)):
        assert rows_of(client)[0]["provenance"][0]["answers"][0]["worker"] == name


def test_a_decision_names_its_reviewer_and_its_time(pipe: APIClient) -> None:
    project = make_parse_project("p", given_to="many_workers")
    task = post_command(project, "c1", "build a house", form=HOUSE_FORM)
    decided(task, HOUSE_FORM)
    (row,) = rows_of(pipe)
    assert (row["method"], row["form"], row["agrees"]) == ("adjudicated", HOUSE_FORM, True)
    assert row["adjudicated"] == {"by": "staff:dora", "second": None, "at": NOON.isoformat()}


def test_a_command_without_a_form_is_left_out(pipe: APIClient) -> None:
    project = make_parse_project("p", given_to="experts")
    unknown, known = (post_command(project, key, "build a house") for key in ("c1", "c2"))
    for task, answer in ((unknown, {"form": None}), (known, {"form": HOUSE_FORM})):
        Consensus.objects.create(
            task=task, project=project, answer=answer, method="majority", confidence=1, annotations=1,
            updated_at=NOON, settled_at=NOON,
        )  # fmt: skip
        Task.objects.filter(pk=task.pk).update(status="done", open=False, closed_at=NOON)
    assert [row["command"] for row in rows_of(pipe)] == ["c2"]
    Consensus.objects.filter(task=unknown).update(answer={"unknown": True})
    assert [row["command"] for row in rows_of(pipe)] == ["c2"]


def test_references_are_there_with_all_their_right_forms(pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p", reference_rate=1.0)
    reference = {"answers": [{"form": HOUSE_FORM}, {"form": NOOP}]}
    payload = {"text": "build a house", "form": NOOP, "marked": False}
    post_tasks(project=project, bodies=[TaskBody(key="r", payload=payload, reference=reference)], at=NOON)  # type: ignore[typeddict-item]
    worked(project, as_worker)
    (row,) = rows_of(pipe)
    assert (row["is_reference"], row["method"], row["form"], row["other_forms"]) == (True, "truth", HOUSE_FORM, [NOOP])
    assert (row["agrees"], row["marked"], row["provenance"]) == (True, False, [])


def test_a_reference_made_from_a_task_is_listed_once(pipe: APIClient) -> None:
    project = make_parse_project("p", given_to="experts")
    task = post_command(project, "c1", "build a house")
    decided(task, HOUSE_FORM)
    task.refresh_from_db()
    promote(task=task, confirmed={"form": HOUSE_FORM}, tolerance_s=None, reason="good", by="staff:dora", at=NOON)
    assert Task.objects.references().count() == 1
    assert [row["command"] for row in rows_of(pipe)] == ["c1"]


def test_since_leaves_out_commands_that_settled_before(pipe: APIClient) -> None:
    project = make_parse_project("p", given_to="experts")
    for key in ("c1", "c2"):
        decided(post_command(project, key, "build a house"), HOUSE_FORM)
    Consensus.objects.filter(task__key="c1").update(settled_at=NOON + timedelta(hours=1))
    assert [row["command"] for row in rows_of(pipe)] == ["c1", "c2"]
    assert [row["command"] for row in rows_of(pipe, f"?since={NOON.isoformat()}")] == ["c1"]
    for wrong in ("yesterday", "2026-11-21T12:00:00", "2026-99-99T12:00:00Z"):
        assert pipe.get(f"/api/v1/projects/p/forms.jsonl?since={wrong}").status_code == 422


@pytest.mark.parametrize("shape", ["jsonl", "pairs", "tabs", "ids"])
def test_every_shape_is_read_back(shape: str, pipe: APIClient) -> None:
    project = make_parse_project("p", given_to="experts")
    for key, (text, form) in zip(("c1", "c2"), KNOWN.items(), strict=True):
        decided(post_command(project, key, text), form)
    answer = pipe.get(f"/api/v1/projects/p/forms.jsonl?shape={shape}")
    plain = "application/x-ndjson" if shape == "jsonl" else "text/plain; charset=utf-8"
    assert answer["Content-Type"] == plain
    lines = list(read_lines(answer.getvalue().decode(), shape))
    assert [(line.row.text, line.row.form) for line in lines if line.row] == list(KNOWN.items())
    assert pipe.get("/api/v1/projects/p/forms.jsonl?shape=csv").status_code == 422


@pytest.mark.parametrize("rows", [2, 4])
def test_a_batch_costs_three_queries(rows: int, as_worker: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_parse_project("p")
    for number in range(rows):
        post_command(project, f"c{number}", "build a house")
    worked(project, as_worker)
    with CaptureQueriesContext(connection) as made:
        assert len(list(forms.dataset_rows(project))) == rows
    assert len(made) == 3 + 1  # the last finds that there are no more
    monkeypatch.setattr(forms, "BATCH", 1)
    assert len(list(forms.dataset_rows(project))) == rows


def test_bare_words_in_the_agents_parse_are_compared_as_spans() -> None:
    said = json.loads(json.dumps(TOWER_FORM).replace("[0, [3, 3]]", '"tower"').replace("[0, [2, 2]]", '"red"'))
    assert forms.agent_agrees("build a red tower", said, [TOWER_FORM]) is True
    assert forms.agent_agrees("build a red tower", {**said, "dialogue_type": "NOOP"}, [TOWER_FORM]) is False
    assert forms.agent_agrees("build a red tower", None, [TOWER_FORM]) is None


def test_the_consensus_export_has_commands_and_the_annotations_their_steps(pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p")
    post_command(project, "c1", "build a house")
    worked(project, as_worker)
    consensus = pipe.get("/api/v1/projects/p/consensus.jsonl").getvalue().decode().splitlines()
    assert [json.loads(line)["task"] for line in consensus] == ["c1"]
    annotations = pipe.get("/api/v1/projects/p/annotations.jsonl").getvalue().decode().splitlines()
    assert len(annotations) == Annotation.objects.count() > 2
    assert all(json.loads(line)["task"].startswith("c1~") for line in annotations)
