"""Scores, the record of a worker, and the exports that carry them."""

from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Project
from tests.conftest import api_client
from tests.support.builders import annotate, claim, make_project, make_task, make_worker
from tests.support.calls import lines, problem
from workforce.models import Worker


@pytest.fixture
def project(db: None) -> Project:
    project = make_project("p", reference_rate=1.0)
    for _ in range(3):
        make_task(project, redundancy=1000)
    return project


def _meet(project: Project, worker: Worker, truth: str, answer: str, times: int = 1) -> None:
    """The worker meets references of this truth and answers like this."""
    for _ in range(times):
        make_task(project, truth=truth)
        held = claim(project, worker, chance=lambda: 0.0)
        assert held.task.is_reference
        annotate(held, outcome=answer)


def _record(pipe: APIClient, name: str = "alice") -> dict[str, Any]:
    response = pipe.get(f"/api/v1/workers/direct/{name}/")
    assert response.status_code == 200
    record: dict[str, Any] = response.json()["reference"]
    return record


def _counts(*cells: int) -> dict[str, dict[str, int]]:
    """A confusion by its cells; truth outside, answer inside."""
    outcomes = ("success", "failure")
    left = iter(cells)
    return {truth: {answer: next(left) for answer in outcomes} for truth in outcomes}


@pytest.mark.parametrize(
    ("cells", "accuracy", "sensitivity", "specificity"),
    [((0, 0, 0, 0), None, None, None), ((0, 0, 1, 3), None, None, 0.75), ((4, 1, 2, 3), pytest.approx(0.7), 0.8, 0.6)],
)
def test_the_accuracy_is_balanced_and_null_while_a_class_is_missing(
    cells: tuple[int, ...], accuracy: Any, sensitivity: Any, specificity: Any, pipe: APIClient, project: Project
) -> None:
    alice, confusion = make_worker("alice"), _counts(*cells)
    for truth, answers in confusion.items():
        for answer, times in answers.items():
            _meet(project, alice, truth, answer, times)
    got = _record(pipe)
    low, high = got.pop("low"), got.pop("high")
    assert got == {
        "n": sum(cells),
        "balanced_accuracy": accuracy,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "confusion": confusion,
    }
    assert (low, high) == (None, None) if accuracy is None else low < 0.7 < high


def test_the_record_looks_at_the_outcome_only_and_over_all_projects(
    pipe: APIClient, project: Project, alice: Worker
) -> None:
    other = make_project(reference_rate=1.0)
    make_task(other, redundancy=9)
    _meet(project, alice, "success", "success")
    make_task(other, truth="failure", truth_s=9.0)
    annotate(claim(other, alice), outcome="failure", frame=20)
    rows = lines(pipe.get(f"/api/v1/projects/{other.slug}/annotations.jsonl"))
    assert [row["score"] for row in rows] == [0.0], "a second later than the tolerance allows"
    assert (_record(pipe)["balanced_accuracy"], _record(pipe)["n"]) == (1.0, 2)
    shown = pipe.get("/api/v1/workers/direct/alice/").json()["projects"]
    assert shown == [{"project": "p", "annotations": 1}, {"project": other.slug, "annotations": 1}]
    assert pipe.get("/api/v1/workers/prolific/alice/").status_code == 404, "known by platform and id together"


def test_a_reference_where_both_outcomes_are_right_has_no_class(
    pipe: APIClient, project: Project, alice: Worker
) -> None:
    both = {"answers": [{"outcome": "success"}, {"outcome": "failure"}]}
    episode = project.tasks.first()
    assert episode is not None
    body = {"tasks": [{"key": "both", "payload": episode.payload, "reference": both}]}
    assert pipe.post("/api/v1/projects/p/tasks/", body).status_code == 200
    annotate(claim(project, alice, chance=lambda: 0.0), outcome="failure")
    assert [row["score"] for row in lines(pipe.get("/api/v1/projects/p/annotations.jsonl"))] == [1.0]
    assert _record(pipe)["n"] == 0


SCORES = [
    # right answers, tolerance, answer, score; frames are tenths of a second
    ([{"outcome": "success"}], None, ("success", 50), 1.0),
    ([{"outcome": "success"}], None, ("failure", 50), 0.0),
    ([{"outcome": "success", "time_s": 3.0}], None, ("success", 40), 1.0),
    ([{"outcome": "success", "time_s": 3.0}], None, ("success", 41), 0.0),
    ([{"outcome": "success", "time_s": 3.0}], None, ("success", 20), 1.0),
    ([{"outcome": "success", "time_s": 3.0}], None, ("success", 19), 0.0),
    ([{"outcome": "success", "time_s": 3.0}], 0.0, ("success", 30), 1.0),
    ([{"outcome": "success", "time_s": 3.0}], 0.0, ("success", 31), 0.0),
    ([{"outcome": "success", "time_s": 3.0}], 0.1, ("success", 31), 1.0),
    ([{"outcome": "success", "time_s": 3.0}], 2.0, ("failure", 30), 0.0),
    ([{"outcome": "failure", "frame": 30}], 0.2, ("failure", 32), 1.0),
    ([{"outcome": "failure", "frame": 30}], 0.2, ("failure", 33), 0.0),
    ([{"outcome": "success", "frame": 20}, {"outcome": "success", "frame": 50}], 0.1, ("success", 49), 1.0),
    ([{"outcome": "success", "frame": 20}, {"outcome": "success", "frame": 50}], 0.1, ("success", 35), 0.0),
    ([{"outcome": "success", "frame": 20}, {"outcome": "failure"}], 0.1, ("failure", 60), 1.0),
]


def test_a_score_is_one_where_outcome_and_time_fit(pipe: APIClient, project: Project, alice: Worker) -> None:
    task = project.tasks.first()
    assert task is not None
    bodies = [
        {"key": f"known-{place}", "payload": task.payload, "reference": {"answers": answers, "tolerance_s": tolerance}}
        for place, (answers, tolerance, _, _) in enumerate(SCORES)
    ]
    assert pipe.post("/api/v1/projects/p/tasks/", {"tasks": bodies}).status_code == 200
    for _ in SCORES:
        hold = claim(project, alice, chance=lambda: 0.0)
        _, _, (outcome, frame), _ = SCORES[int(hold.task.key.removeprefix("known-"))]
        annotate(hold, outcome=outcome, frame=frame)
    rows = {row["task"]: row for row in lines(pipe.get("/api/v1/projects/p/annotations.jsonl"))}
    assert {key: row["score"] for key, row in rows.items()} == {f"known-{n}": one[-1] for n, one in enumerate(SCORES)}
    assert all(row["is_reference"] for row in rows.values())


def test_only_a_key_with_the_identity_scope_sees_the_identity(pipe: APIClient, project: Project, alice: Worker) -> None:
    annotate(claim(project, alice))
    blind = api_client(create_key(name="blind", scopes=[ApiKey.Scope.READ], at=timezone.now()))
    url = "/api/v1/projects/p/annotations.jsonl"
    assert [row["worker"] for row in lines(pipe.get(url))] == ["direct:alice"]
    assert [row["worker"] for row in lines(blind.get(url))] == [alice.pseudonym]
    assert "alice" not in alice.pseudonym


def test_an_export_goes_on_after_the_last_annotation(pipe: APIClient, project: Project, bob: Worker) -> None:
    for _ in range(3):
        annotate(claim(project, bob))
    url = "/api/v1/projects/p/annotations.jsonl"
    rows = lines(pipe.get(url))
    assert list(rows[0]) == [
        *("annotation", "task", "worker", "answer", "is_reference", "score", "claimed_at", "submitted_at"),
        *("active_s", "superseded_by", "instructions_version"),
    ]
    assert {(row["is_reference"], row["score"]) for row in rows} == {(False, None)}
    names = [row["annotation"] for row in rows]
    assert [row["annotation"] for row in lines(pipe.get(f"{url}?since={names[0]}"))] == names[1:]
    assert lines(pipe.get(f"{url}?since={names[-1]}")) == []
    make_project("q")
    elsewhere = pipe.get(f"/api/v1/projects/q/annotations.jsonl?since={names[0]}")
    assert problem(elsewhere)["errors"][0]["pointer"] == "#/since"


@pytest.mark.parametrize(
    ("answers", "consensus", "confidence"),
    [
        ([("success", 30), ("failure", 60)], (None, None), 0.5),
        ([("success", 40), ("success", 20), ("failure", 10)], ("success", 20), 2 / 3),
        ([("success", 50), ("success", 20), ("success", 30), ("success", 40)], ("success", 30), 1.0),
    ],
)
def test_consensus_is_the_majority_at_its_lower_median(
    answers: list[tuple[str, int]],
    consensus: tuple[str | None, int | None],
    confidence: float,
    pipe: APIClient,
    db: None,
) -> None:
    project = make_project("q")
    task = make_task(project, redundancy=len(answers))
    for number, (outcome, frame) in enumerate(answers):
        assert lines(pipe.get("/api/v1/projects/q/consensus.jsonl")) == []
        annotate(claim(project, make_worker(f"w{number}")), outcome=outcome, frame=frame)
    (row,) = lines(pipe.get("/api/v1/projects/q/consensus.jsonl"))
    common, at = consensus
    time_s = None if at is None else at / 10
    assert row == {
        "task": task.key,
        "answer": {"outcome": common, "frame": at, "time_s": time_s, "annotations": len(answers)},
        "method": "majority",
        "confidence": pytest.approx(confidence),
        "annotations": len(answers),
    }
