"""The whole way over HTTP: from an empty database to a ranking that a person can check by hand."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from annotation.models import Assignment
from jobs import outbox
from jobs.models import Job
from lib.statistics.intervals import wilson
from tests.support.api_clients import Browserless, with_token
from tests.support.calls import lines
from tests.support.clips import barcode_clip

TAKEOVER_S, CONTINUATION_S = 0.5, 1.0
SCENARIOS = {
    "lid": {"category": "lift", "skill": "grasping", "tags": ["pot", "lid"], "prompt": "a pot"},
    "pot": {"category": "push", "skill": "grasping", "tags": ["pot"]},
}
VERDICTS: dict[str, dict[str, tuple[str, int]]] = {
    # worker → episode → outcome and frame; the clip has 30 frames a second
    "alice": {
        "alfa-lid": ("success", 20),
        "alfa-pot": ("failure", 44),
        "bravo-lid": ("success", 18),
        "bravo-pot": ("success", 40),
        "known": ("success", 30),
    },
    "bob": {
        "alfa-lid": ("success", 31),
        "alfa-pot": ("failure", 45),
        "bravo-lid": ("success", 22),
        "bravo-pot": ("failure", 45),
        "known": ("success", 40),
    },
    "cara": {
        "alfa-lid": ("failure", 45),
        "alfa-pot": ("failure", 45),
        "bravo-lid": ("success", 20),
        "bravo-pot": ("success", 39),
        "known": ("failure", 45),
    },
}


def _made(response: Any) -> dict[str, Any]:
    assert response.status_code == 201, response.content
    body: dict[str, Any] = response.json()
    return body


def _prepare(pipe: APIClient) -> None:
    for agent in ("alfa", "bravo"):
        _made(pipe.put(f"/api/v1/agents/{agent}/", {"name": agent.title(), "metadata": {"checkpoint": 7}}))
    _made(pipe.put("/api/v1/suites/kitchen/", {"title": "Kitchen"}))
    for key, body in SCENARIOS.items():
        moments = {"takeover_s": TAKEOVER_S, "continuation_s": CONTINUATION_S}
        _made(pipe.put(f"/api/v1/suites/kitchen/scenarios/{key}/", {"instruction": f"the {key}", **body, **moments}))
    _made(pipe.put("/api/v1/suites/kitchen/versions/v1/", {}))
    project = {
        "tool": "marker",
        "title": "Kitchen",
        "instructions": ["# Mark it"],
        "suite": "kitchen",
        "version": "v1",
        "redundancy": 3,
        "reference_rate": 1.0,
        "pay": {"base": {"amount": "0.30", "currency": "USD"}},
        "consent": "Some tasks check the work.",
        "status": "live",
    }
    _made(pipe.put("/api/v1/projects/judge/", project))


def _post_episode(pipe: APIClient, external_id: str, video: bytes, **data: Any) -> dict[str, Any]:
    body = {"external_id": external_id, "suite": "kitchen", "continuation": 0, **data}
    files = {"data": json.dumps(body), "video": SimpleUploadedFile("episode.mp4", video)}
    return _made(pipe.post("/api/v1/episodes/", files, format="multipart"))


def _run_jobs() -> None:
    waiting = list(Job.objects.filter(state=Job.State.WAITING).values_list("pk", flat=True))
    assert [outbox.run(pk) for pk in waiting] == [True] * 5


def _work(client: Browserless, verdicts: dict[str, tuple[str, int]]) -> int:
    """Mark whatever comes until nothing does; how much came."""
    assert client.get("/api/v1/work/").json()["missing"] == {"consent": "Some tasks check the work."}
    assert client.post("/api/v1/work/claim/").status_code == 403
    assert client.post("/api/v1/work/consent/").status_code == 204
    done = 0
    while (claimed := client.post("/api/v1/work/claim/")).status_code == 200:
        held = claimed.json()["assignment"]
        outcome, frame = verdicts[Assignment.objects.get(public_id=held).task.key]
        body = {"answer": {"outcome": outcome, "frame": frame}, "active_s": 4.5}
        assert client.post(f"/api/v1/work/assignments/{held}/submit/", body, format="json").status_code == 201
        done += 1
    assert claimed.status_code == 204
    return done


@pytest.fixture
def judged(pipe: APIClient, tmp_path: Path) -> APIClient:
    """The pipeline, after everything has been posted, prepared and judged."""
    _prepare(pipe)
    clip = barcode_clip(tmp_path / "clip", kind="faststart", frames=60, width=160, height=96)
    video = clip.path.read_bytes()
    for agent in ("alfa", "bravo"):
        for key in SCENARIOS:
            posted = _post_episode(pipe, f"{agent}-{key}", video, agent=agent, scenario=key)
            assert (posted["status"], posted["video"], posted["consensus"]) == ("preparing", None, None)
            assert (posted["instruction"], posted["takeover_s"]) == (f"the {key}", TAKEOVER_S)
    truth = {"outcome": "success", "time_s": 1.0, "tolerance_s": 0.1}
    _post_episode(pipe, "known", video, agent="alfa", scenario="lid", continuation=1, reference=truth)
    _run_jobs()
    for name, verdicts in VERDICTS.items():
        link = _made(pipe.post("/api/v1/projects/judge/links/", {"worker": name}))
        assert link["url"].endswith(f"/enter/judge?token={link['token']}")
        assert _work(with_token(link["token"]), verdicts) == 5
    return pipe


def test_from_an_empty_database_to_a_ranking(judged: APIClient) -> None:
    _check_episodes(judged)
    _check_consensus(judged)
    _check_annotations(judged)
    _check_workers(judged)
    _check_ranking(judged)
    _check_groups(judged)


def _check_episodes(pipe: APIClient) -> None:
    shown = pipe.get("/api/v1/episodes/alfa-lid/").json()
    assert (shown["status"], shown["problem"]) == ("ready", None)
    assert shown["video"] == {"frames": 60, "duration_s": 2.0, "width": 160, "height": 96}
    assert shown["consensus"] == {"outcome": "success", "frame": 20, "time_s": 0.666667, "annotations": 3}
    assert pipe.get("/api/v1/episodes/known/").json()["consensus"] is None
    progress = pipe.get("/api/v1/projects/judge/").json()["progress"]
    assert progress == {"tasks": 4, "open": 0, "done": 4, "unjudgeable": 0, "annotations": 12, "references": 1}


def _check_consensus(pipe: APIClient) -> None:
    got = {row["task"]: row for row in lines(pipe.get("/api/v1/projects/judge/consensus.jsonl"))}
    assert {key: (row["answer"]["outcome"], row["answer"]["frame"]) for key, row in got.items()} == {
        "alfa-lid": ("success", 20),
        "alfa-pot": ("failure", 45),
        "bravo-lid": ("success", 20),
        "bravo-pot": ("success", 39),
    }
    assert {key: row["confidence"] for key, row in got.items()} == {
        "alfa-lid": 2 / 3,
        "alfa-pot": 1.0,
        "bravo-lid": 1.0,
        "bravo-pot": 2 / 3,
    }
    assert {(row["method"], row["annotations"]) for row in got.values()} == {("majority", 3)}


def _check_annotations(pipe: APIClient) -> None:
    rows = lines(pipe.get("/api/v1/projects/judge/annotations.jsonl"))
    assert len(rows) == 15
    assert [row["submitted_at"] for row in rows] == sorted(row["submitted_at"] for row in rows)
    got = {(row["worker"], row["task"]): (row["answer"]["outcome"], row["answer"]["frame"]) for row in rows}
    assert got == {(f"direct:{name}", task): verdict for name, of in VERDICTS.items() for task, verdict in of.items()}
    assert {(row["worker"], row["score"]) for row in rows if row["is_reference"]} == {
        ("direct:alice", 1.0),
        ("direct:bob", 0.0),
        ("direct:cara", 0.0),
    }
    assert all(row["score"] is None and row["task"] != "known" for row in rows if not row["is_reference"])
    assert {row["active_s"] for row in rows} == {4.5}
    rest = lines(pipe.get(f"/api/v1/projects/judge/annotations.jsonl?since={rows[9]['annotation']}"))
    assert rest == rows[10:]


def _check_workers(pipe: APIClient) -> None:
    bob = pipe.get("/api/v1/workers/direct/bob/").json()
    assert bob["projects"] == [{"project": "judge", "annotations": 5}]
    assert bob["reference"]["confusion"] == {
        "success": {"success": 1, "failure": 0},
        "failure": {"success": 0, "failure": 0},
    }
    assert (bob["reference"]["n"], bob["reference"]["sensitivity"]) == (1, 1.0)
    assert (bob["reference"]["specificity"], bob["reference"]["balanced_accuracy"]) == (None, None)


def _check_ranking(pipe: APIClient) -> None:
    ranking = pipe.get("/api/v1/suites/kitchen/ranking/").json()
    bravo, alfa = ranking["agents"]
    assert (bravo["agent"], bravo["n"], bravo["successes"], bravo["rate"], bravo["rank"]) == ("bravo", 2, 2, 1.0, 1)
    assert (alfa["agent"], alfa["n"], alfa["successes"], alfa["rate"], alfa["rank"]) == ("alfa", 2, 1, 0.5, 2)
    assert bravo["standard_error"] == 0
    assert alfa["standard_error"] == pytest.approx(math.sqrt(0.5 * 0.5 / 2))
    assert (alfa["low"], alfa["high"]) == pytest.approx(tuple(wilson(1, 2)))
    assert (alfa["unjudged"], alfa["pending"], alfa["groups"]) == (0, 0, [])
    rater = ranking["rater"]
    assert (rater["n"], rater["sensitivity"], rater["specificity"]) == (3, pytest.approx(20 / 27), None)
    assert (ranking["verdict"]["ok"], alfa["corrected"]) == (None, None)
    for query in ("?version=v1", "?project=judge", "?version=v1&project=judge&correct=none", "?tag=pot"):
        assert pipe.get(f"/api/v1/suites/kitchen/ranking/{query}").json() == ranking


def _check_groups(pipe: APIClient) -> None:
    def groups(by: str) -> dict[str, dict[str | None, tuple[int, int]]]:
        agents = pipe.get(f"/api/v1/suites/kitchen/ranking/?by={by}").json()["agents"]
        return {
            agent["agent"]: {group["group"]: (group["successes"], group["n"]) for group in agent["groups"]}
            for agent in agents
        }

    assert groups("category") == {"alfa": {"lift": (1, 1), "push": (0, 1)}, "bravo": {"lift": (1, 1), "push": (1, 1)}}
    assert groups("skill") == {"alfa": {"grasping": (1, 2)}, "bravo": {"grasping": (2, 2)}}
    assert groups("tag") == {"alfa": {"lid": (1, 1), "pot": (1, 2)}, "bravo": {"lid": (1, 1), "pot": (2, 2)}}
    assert groups("prompt") == {"alfa": {"a pot": (1, 1), None: (0, 1)}, "bravo": {"a pot": (1, 1), None: (1, 1)}}
    assert groups("scenario") == {"alfa": {"lid": (1, 1), "pot": (0, 1)}, "bravo": {"lid": (1, 1), "pot": (1, 1)}}
    tagged = pipe.get("/api/v1/suites/kitchen/ranking/?tag=lid").json()["agents"]
    assert [(agent["agent"], agent["n"], agent["rank"]) for agent in tagged] == [("alfa", 1, 1), ("bravo", 1, 1)]
