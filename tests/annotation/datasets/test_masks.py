"""Exports of a project where objects are marked: lines, arrays, and droidlet's scene list."""

import io
import json
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.datasets import masks
from annotation.models import Consensus, Project
from lib.voxels.droidlet import read_payload
from lib.voxels.scene import read_scene
from tests.support.builders import make_project, make_task
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post, post_phrases, scene, work
from workforce.models import Worker

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
BLUE_THING = [[4, 1, 2]]
KNOWN = {"the red tower": TOWER, "the blue thing": BLUE_THING, "a pyramid": None}


def believe(payload: Json) -> Json:
    return marks(KNOWN[payload["phrase"]])


def rows_of(client: APIClient, query: str = "") -> list[Json]:
    answer = client.get(f"/api/v1/projects/p/masks.jsonl{query}")
    assert answer.status_code == 200, answer.content
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def arrays_of(client: APIClient, query: str = "") -> Any:
    answer = client.get(f"/api/v1/projects/p/masks.npz{query}")
    assert answer.status_code == 200, answer.content
    return np.load(io.BytesIO(answer.getvalue()))


def scenes_of(client: APIClient) -> list[Json]:
    found: list[Json] = json.loads(client.get("/api/v1/projects/p/scene_list.json").getvalue())
    return found


@pytest.fixture
def marked() -> Project:
    """Three settled phrases of one scene, one that waits, and a reference."""
    project = make_voxels_project("p")
    source = {"report": 7, "origin": [-3, 60, 5]}
    told = {"source": source, "agent_mask": [*TOWER, [0, 0, 0]]}
    post(project, {"a": {"scene": scene(), "phrase": "the red tower", **told}})
    post_phrases(project, {"b": "the blue thing", "c": "a pyramid"})
    assert work(project, "ann", believe) == 3
    post_phrases(project, {"d": "the red tower"})
    post_phrases(project, {"r": "the red tower"}, reference={"answers": [marks(TOWER)]})
    return project


# Lines -----------------------------------------------------------------------------------------------------------


def test_every_settled_mask_is_a_line(marked: Project, pipe: APIClient) -> None:
    rows = rows_of(pipe)
    assert [row["task"] for row in rows] == ["a", "b", "c"]
    settled_at = Consensus.objects.get(task__key="a").settled_at
    assert settled_at is not None
    assert rows[0] == {
        "task": "a",
        "scene": read_scene(scene()).digest,
        "phrase": "the red tower",
        "answer": marks(TOWER),
        "method": "majority",
        "confidence": 1.0,
        "annotations": 1,
        "settled_at": settled_at.isoformat(),
        "source": {"report": 7, "origin": [-3, 60, 5]},
        "agent_mask_iou": 0.75,
    }
    assert rows[2]["answer"] == {"absent": True}
    assert (rows[1]["source"], rows[1]["agent_mask_iou"]) == (None, None)


def test_a_tie_came_to_nothing(pipe: APIClient) -> None:
    project = make_voxels_project("p", redundancy=2)
    post_phrases(project, {"a": "the red tower"})
    work(project, "ann", believe)
    work(project, "bob", lambda _: marks(None))
    assert Consensus.objects.get().answer == {"voxels": None}
    assert rows_of(pipe) == []
    assert list(arrays_of(pipe)["tasks"]) == []
    assert scenes_of(pipe) == []


def test_since_leaves_out_masks_that_settled_before(marked: Project, pipe: APIClient) -> None:
    last = Consensus.objects.get(task__key="b")
    assert last.settled_at is not None
    Consensus.objects.filter(pk=last.pk).update(settled_at=last.settled_at + timedelta(hours=1))
    since = max(row["settled_at"] for row in rows_of(pipe) if row["task"] != "b")
    assert [row["task"] for row in rows_of(pipe, f"?since={since}")] == ["b"]
    assert pipe.get("/api/v1/projects/p/masks.jsonl?since=yesterday").status_code == 422


def test_shares_are_the_weighted_part_of_workers_for_each_voxel(pipe: APIClient) -> None:
    project = make_voxels_project("p", redundancy=4)
    post_phrases(project, {"a": "the red tower"})
    for name, mask in (("ann", TOWER), ("bob", TOWER[:2]), ("cat", TOWER[:2]), ("dan", None)):
        work(project, name, lambda _, mask=mask: marks(mask))  # type: ignore[misc]
    (row,) = rows_of(pipe, "?shares=1")
    assert row["shares"] == [[1, 1, 1, 0.75], [1, 2, 1, 0.75], [1, 3, 1, 0.25]]
    Worker.objects.filter(external_id="dan").update(weighting=Worker.Weighting.REDUCED)
    (row,) = rows_of(pipe, "?shares=1")
    assert row["shares"][0] == [1, 1, 1, pytest.approx(3 / 3.5, abs=1e-6)]
    assert "shares" not in rows_of(pipe)[0]
    assert pipe.get("/api/v1/projects/p/masks.jsonl?shares=yes").status_code == 422


@pytest.mark.parametrize("path", ["masks.jsonl", "masks.npz", "scene_list.json"])
def test_only_a_project_that_marks_has_masks(path: str, pipe: APIClient) -> None:
    make_project("marker")
    make_voxels_project("names", settings={"stage": "name"})
    assert "tool is marker" in pipe.get(f"/api/v1/projects/marker/{path}").json()["detail"]
    assert "named" in pipe.get(f"/api/v1/projects/names/{path}").json()["detail"]
    assert pipe.get(f"/api/v1/projects/none/{path}").status_code == 404


def test_lines_cost_the_same_for_few_and_many(pipe: APIClient) -> None:
    def cost(query: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            rows_of(pipe, query)
        return len(queries)

    project = make_voxels_project("p")
    post_phrases(project, {f"few-{n}": "the red tower" for n in range(2)})
    work(project, "ann", believe)
    rows_of(pipe)  # the first call of a key also notes when it was used
    few = [cost(""), cost("?shares=1")]
    post_phrases(project, {f"many-{n}": "the blue thing" for n in range(5)})
    work(project, "ann", believe)
    assert [cost(""), cost("?shares=1")] == few


# Arrays ----------------------------------------------------------------------------------------------------------


def test_arrays_have_each_scene_once_and_a_mask_for_each_task(marked: Project, pipe: APIClient) -> None:
    found = arrays_of(pipe)
    digest = read_scene(scene()).digest
    assert set(found) == {
        f"scene_{digest[:12]}",
        *(f"mask_{n:06}" for n in range(3)),
        *("tasks", "phrases", "scenes", "confidences"),
    }
    grid, tower, absent = found[f"scene_{digest[:12]}"], found["mask_000000"], found["mask_000002"]
    assert (grid.dtype, grid.shape) == (np.uint8, (6, 5, 6))
    assert (tower.dtype, tower.shape) == (np.bool_, (6, 5, 6))
    assert np.argwhere(tower).tolist() == TOWER
    assert set(grid[tower]) == {60}
    assert not absent.any()
    assert found["tasks"].tolist() == ["a", "b", "c"]
    assert found["phrases"].tolist() == ["the red tower", "the blue thing", "a pyramid"]
    assert found["scenes"].tolist() == [digest] * 3
    assert found["confidences"].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("limit", "value"), [("MOST_EXAMPLES", 2), ("MOST_CELLS", 3 * 180)])
def test_a_file_ends_somewhere_and_the_next_goes_on(
    limit: str, value: int, marked: Project, pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masks, limit, value)
    first = arrays_of(pipe)
    assert first["tasks"].tolist() == ["a", "b"]
    second = arrays_of(pipe, f"?after={first['tasks'][-1]}")
    assert second["tasks"].tolist() == ["c"]
    assert f"scene_{second['scenes'][0][:12]}" in second
    assert arrays_of(pipe, "?after=c")["tasks"].tolist() == []
    assert pipe.get("/api/v1/projects/p/masks.npz?after=nothing").status_code == 422


def test_the_same_masks_are_the_same_bytes_also_in_pieces(
    marked: Project, pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pipe.get("/api/v1/projects/p/masks.npz").getvalue()
    monkeypatch.setattr("web.api.mask_files._AT_HAND", 0)
    monkeypatch.setattr("web.api.mask_files._PIECE", 100)
    answer = pipe.get("/api/v1/projects/p/masks.npz")
    assert b"".join(answer.streaming_content) == whole  # type: ignore[attr-defined]
    answer.close()


# Droidlet's list ---------------------------------------------------------------------------------------------


def test_the_scene_list_puts_everything_back_where_it_came_from(marked: Project, pipe: APIClient) -> None:
    there, here = scenes_of(pipe)
    found = read_payload(there)
    assert found.origin == (-3, 60, 5)
    assert found.scene.digest == read_scene(scene()).digest
    assert [(one.phrase, one.voxels) for one in found.phrases] == [("the red tower", TOWER)]
    assert [-2, 61, 6] in there["inst_seg_tags"][0]["locs"]
    told = [(one.phrase, one.voxels) for one in read_payload(here).phrases]
    assert told == [("the blue thing", BLUE_THING), ("a pyramid", None)]
    assert here["inst_seg_tags"][1] == {"tags": ["a pyramid"], "locs": []}


def test_the_scene_list_costs_the_same_for_few_and_many(pipe: APIClient) -> None:
    def more(first: int, last: int) -> None:
        for number in range(first, last):
            pose = {"x": float(number), "y": 1.0, "z": 0.0, "pitch": 0.0, "yaw": 0.0}
            post(project, {f"t{number}": {"scene": scene(agent=pose), "phrase": "the red tower"}})
        work(project, "ann", believe)

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            scenes_of(pipe)
        return len(queries)

    project = make_voxels_project("p")
    more(0, 2)
    scenes_of(pipe)
    few = cost()
    more(2, 5)
    assert cost() == few
    assert len(scenes_of(pipe)) == 5


def test_other_projects_stay_out(marked: Project, pipe: APIClient) -> None:
    other = make_voxels_project("other")
    post_phrases(other, {"x": "the red tower"})
    work(other, "zoe", believe)
    make_task(make_project("marker"))
    assert {row["task"] for row in rows_of(pipe)} == {"a", "b", "c"}
    assert len(arrays_of(pipe)["tasks"]) == 3
    assert sum(len(one["inst_seg_tags"]) for one in scenes_of(pipe)) == 3
