"""Generated scenes as tasks and references of a project, and as a dataset over HTTP."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.datasets import generated_scenes
from annotation.models import KeptScene, Project, Task, Truth
from annotation.tool_registry import tool_named
from annotation.work.posting import Posted, post_tasks
from audit.models import AuditEvent
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options
from lib.voxels.scene import read_scene
from tests.support.builders import NOON, make_project
from tests.support.tool_workers import claim, client_for, make_voxels_project

pytestmark = pytest.mark.django_db
THREE = Options(per_scene=3, negatives=0.5)
Json = dict[str, Any]


def post(pipe: APIClient, slug: str = "p", **body: Any) -> Any:
    return pipe.post(f"/api/v1/projects/{slug}/generated_scenes/", {"seed": 7, **body}, format="json")


def pointers(answer: Any, status: int = 422) -> list[str]:
    assert answer.status_code == status, answer.content
    return [fault["pointer"] for fault in answer.json()["errors"]]


def post_by_code(project: Project, n: int, options: Options = THREE, **rest: Any) -> Posted:
    return generated_scenes.post_generated(
        project=project, seed=7, n=n, options=options, **{"as_references": True, "by": "system", "at": NOON, **rest}
    )


# As tasks ----------------------------------------------------------------------------------------------------


def test_references_have_the_right_answers(pipe: APIClient) -> None:
    project = make_voxels_project("p")
    answer = post(pipe, n=6, per_scene=2, negatives=0.5)
    rights = {
        key: (one.scene.digest, example.phrase, [example.answer])
        for one in generate(7, 6, Options(per_scene=2, negatives=0.5))
        for key, example in zip(one.keys, one.examples, strict=True)
    }
    assert answer.json() == {"created": len(rights), "unchanged": 0}
    truths = Truth.objects.filter(task__project=project, task__is_reference=True).select_related("task")
    made = {one.task.key: (one.task.payload["scene"], one.task.payload["phrase"], one.answers) for one in truths}
    assert made == rights
    assert any(answers == [{"absent": True}] for _, _, answers in rights.values())
    assert KeptScene.objects.count() == 6
    tool = tool_named("voxels")
    assert {tool.score(truth.answers[0], truth.answers[0], None) for truth in truths} == {1.0}


def test_posting_again_makes_nothing(pipe: APIClient) -> None:
    make_voxels_project("p")
    post(pipe, n=4)
    assert post(pipe, n=4).json() == {"created": 0, "unchanged": 4}
    assert post(pipe, n=6).json() == {"created": 2, "unchanged": 4}
    assert post(pipe, n=3, first=6).json() == {"created": 3, "unchanged": 0}
    assert post(pipe, n=9).json() == {"created": 0, "unchanged": 9}
    assert Task.objects.count() == KeptScene.objects.count() == 9


def test_one_seed_with_other_options_is_a_conflict_and_leaves_no_scene(pipe: APIClient) -> None:
    make_voxels_project("p")
    post(pipe, n=4)
    assert pointers(post(pipe, n=5, size=[15, 13, 15]), status=409) == [f"#/tasks/{i}/key" for i in range(4)]
    assert Task.objects.count() == KeptScene.objects.count() == 4


def test_a_worker_is_shown_the_scene_and_the_phrase_alone(pipe: APIClient) -> None:
    project = make_voxels_project("p")
    assert post(pipe, n=1, references=False).json() == {"created": 1, "unchanged": 0}
    (one,) = generate(7, 1)
    task = Task.objects.get()
    assert not task.is_reference
    assert task.payload["source"] == {
        "kind": "generated",
        "seed": 7,
        "number": 0,
        "objects": [{"shape": thing.shape, "colour": thing.colour, "material": thing.material} for thing in one.things],
    }
    shown = claim(client_for(project, "alice"))
    assert shown is not None
    assert shown["payload"] == {"scene": one.scene.as_json(), "phrase": one.examples[0].phrase}


def test_where_objects_are_named_a_scene_is_one_task_without_a_phrase(pipe: APIClient) -> None:
    project = make_voxels_project("p", settings={"stage": "name"})
    assert pointers(post(pipe, n=2)) == ["#/references"]
    assert post(pipe, n=2, per_scene=3, references=False).json() == {"created": 2, "unchanged": 0}
    assert {frozenset(task.payload) for task in project.tasks.all()} == {frozenset({"scene", "source"})}


def test_only_voxels_projects_take_scenes(pipe: APIClient) -> None:
    make_project("p", tool="parse")
    assert pointers(post(pipe, n=1)) == []
    assert pointers(post(pipe, "nowhere", n=1), status=404) == []


def test_many_are_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_voxels_project("p")
    sizes: list[int] = []

    def counted(**given: Any) -> Posted:
        sizes.append(len(given["bodies"]))
        return post_tasks(**given)

    monkeypatch.setattr(generated_scenes, "post_tasks", counted)
    monkeypatch.setattr(generated_scenes, "MOST_AT_ONCE", 7)
    posted = post_by_code(project, 5)
    assert len(sizes) == 3
    assert max(sizes) <= 7
    assert posted == (sum(sizes), 0)
    assert sum(sizes) == sum(len(one.examples) for one in generate(7, 5, THREE))


def test_references_are_audited_once() -> None:
    project = make_voxels_project("p")
    for _ in range(2):
        post_by_code(project, 2, Options(), by="key:pipe")
    event = AuditEvent.objects.get(verb="reference.imported")
    assert (event.actor, event.project, event.detail) == ("key:pipe", "p", {"created": 2})
    post_by_code(project, 1, Options(), as_references=False, first=9)
    assert AuditEvent.objects.filter(verb="reference.imported").count() == 1


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        *(({"n": n}, "#/n") for n in (0, 1001)),
        ({"n": 501, "per_scene": 2}, "#/n"),
        *(({"n": 1, "seed": seed}, "#/seed") for seed in (-1, 2**32)),
        ({"n": 2, "first": 2**32 - 1}, "#/first"),
        *(({"n": 1, "shapes": shapes}, "#/shapes") for shapes in ([3, 1], [1])),
        *(({"n": 1, "size": size}, "#/size") for size in ([1, 13, 1], [17, 13])),
        *(({"n": 1, name: value}, f"#/{name}") for name, value in (("ground_depth", 12), ("negatives", 2))),
        *(({"n": 1, name: value}, f"#/{name}") for name, value in (("per_scene", 21), ("colour", "red"))),
    ],
)
def test_options_that_cannot_be_are_refused_where_they_stand(pipe: APIClient, changes: Json, pointer: str) -> None:
    make_voxels_project("p")
    assert pointers(post(pipe, **changes)) == [pointer]
    assert not Task.objects.exists()


# As a dataset ------------------------------------------------------------------------------------------------


def rows(pipe: APIClient, query: str) -> list[Json]:
    answer = pipe.get(f"/api/v1/generated_scenes.jsonl{query}")
    assert answer.status_code == 200, answer.content
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def lines_of(scenes: list[Generated]) -> list[Json]:
    found: list[Json] = json.loads(json.dumps([row for one in scenes for row in one.rows()]))
    return found


def test_the_dataset_is_the_scenes_of_the_seed(pipe: APIClient) -> None:
    query = "?n=9&seed=5&first=4&shapes=2-4&holes=0-2&size=15,12,16&ground_depth=4&negatives=0.5&per_scene=2"
    options = Options((15, 12, 16), 4, shapes=(2, 4), holes=(0, 2), negatives=0.5, per_scene=2)
    found = rows(pipe, query)
    assert found == lines_of(list(generate(5, 9, options, first=4)))
    assert found[0]["key"] == "generated-5-4"
    assert list(found[0]) == ["key", "scene", "phrase", "answer", "objects"]
    read_scene(found[0]["scene"])
    assert not KeptScene.objects.exists()


def test_the_dataset_needs_no_wishes(pipe: APIClient) -> None:
    assert len(rows(pipe, "")) == 100
    assert rows(pipe, "?n=1") == lines_of(list(generate(0, 1)))


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        *((f"n={n}", "#/n") for n in ("x", 10001)),
        *(("seed=-1", "#/seed"), ("first=4294967296", "#/first"), ("first=4294967295&n=2", "#/first")),
        *((f"shapes={shapes}", "#/shapes") for shapes in ("3-1", "1,3")),
        ("holes=0-9", "#/holes"),
        *((f"size={size}", "#/size") for size in ("17,13", "17,0,17", "256,13,256")),
        *(("ground_depth=13", "#/ground_depth"), ("negatives=nan", "#/negatives"), ("per_scene=0", "#/per_scene")),
    ],
)
def test_a_dataset_that_cannot_be_is_refused(pipe: APIClient, query: str, pointer: str) -> None:
    assert pointers(pipe.get(f"/api/v1/generated_scenes.jsonl?{query}")) == [pointer]


def test_a_stranger_gets_no_dataset(stranger: APIClient) -> None:
    assert stranger.get("/api/v1/generated_scenes.jsonl?n=1").status_code == 401
