"""Naming objects: what workers name becomes tasks where others mark it, some of them about what is not there."""

from typing import Any

import pytest

from annotation.models import Annotation, Consensus, Project, SceneTask, Task
from annotation.tool_registry import tool_named
from annotation.tools.voxels.tool import voxels
from lib.faults import Invalid
from tests.support.builders import make_worker
from tests.support.tool_workers import make_voxels_project, post, scene, work
from workforce.privacy import person_of

pytestmark = pytest.mark.django_db


def make_pair(*, negatives: float = 0.0, **changes: Any) -> tuple[Project, Project]:
    """A project where objects are named, and the one that it feeds."""
    marking = make_voxels_project(status=Project.Status.DRAFT)
    settings = {"stage": "name", "feeds": marking.slug, "negatives": negatives}
    return make_voxels_project(settings=settings, **changes), marking


def other_scene() -> dict[str, Any]:
    return scene(blocks=[[0, 0, 0, 1]])


def fed(marking: Project) -> list[str]:
    return list(SceneTask.objects.filter(task__project=marking).order_by("task").values_list("phrase", flat=True))


def test_a_named_object_becomes_a_task_to_mark_it_in_the_same_scene() -> None:
    naming, marking = make_pair()
    post(naming, {"a": {"scene": scene(), "source": {"origin": [-3, 60, 4]}}})
    shown: list[Any] = []

    def name(payload: dict[str, Any]) -> dict[str, Any]:
        shown.append(payload)
        return {"phrase": " the  red tower "}

    work(naming, "ann", name)
    assert shown == [{"scene": scene()}]
    task = Task.objects.get(project=marking)
    assert task.payload["phrase"] == "the red tower"
    assert task.payload["scene"] == Task.objects.get(project=naming).payload["scene"]
    assert (task.payload["source"]["task"], task.payload["source"]["origin"]) == ("a", [-3, 60, 4])
    assert task.open


def test_the_same_words_for_one_scene_are_asked_once() -> None:
    naming, marking = make_pair(redundancy=3)
    post(naming, {"a": {"scene": scene()}})
    for name, phrase in (("ann", "The red tower"), ("bob", "red  tower"), ("cyd", "the blue block")):
        work(naming, name, lambda _, phrase=phrase: {"phrase": phrase})  # type: ignore[misc]
    assert fed(marking) == ["The red tower", "the blue block"]
    assert Consensus.objects.get(task__project=naming).answer == {"phrase": "The red tower"}


def test_where_there_is_nothing_to_name_nothing_is_asked() -> None:
    naming, marking = make_pair(negatives=0.5)
    post(naming, {"a": {"scene": scene()}})
    work(naming, "ann", lambda _: {"nothing": True})
    assert fed(marking) == []
    assert Consensus.objects.get(task__project=naming).answer == {"nothing": True}


def test_phrases_of_other_scenes_are_mixed_in_as_negatives() -> None:
    naming, marking = make_pair(negatives=0.5)
    post(naming, {"a": {"scene": scene()}, "b": {"scene": other_scene()}})
    said = iter(["the red tower", "the grey stone"])
    work(naming, "ann", lambda _: {"phrase": next(said)})
    # The first name had no other scene to draw from; the second brings the first's words into its own scene.
    assert fed(marking) == ["the red tower", "the grey stone", "the red tower"]
    negative = Task.objects.filter(project=marking).order_by("pk").last()
    assert negative is not None
    assert negative.payload["source"]["negative"] is True
    assert negative.payload["scene"] == Task.objects.get(project=naming, key="b").payload["scene"]


def test_a_negative_never_repeats_a_phrase_of_its_scene() -> None:
    naming, marking = make_pair(negatives=0.5, redundancy=2)
    post(naming, {"a": {"scene": scene()}, "b": {"scene": other_scene()}})
    for name in ("ann", "bob"):
        work(naming, name, lambda _: {"phrase": "the stone"})
    assert fed(marking) == ["the stone", "the stone"]
    assert SceneTask.objects.filter(task__project=marking).values("scene").distinct().count() == 2


def test_answers_to_references_are_not_asked_on() -> None:
    naming, marking = make_pair(reference_rate=1.0)
    post(naming, {"ref": {"scene": scene()}}, reference={"answers": [{"phrase": "the tower"}]})
    post(naming, {"a": {"scene": scene()}})
    work(naming, "ann", lambda _: {"phrase": "a tower"})
    assert fed(marking) == ["a tower"]
    scores = Task.objects.get(key="ref").annotations.values_list("score", flat=True)
    assert list(scores) == [1.0]


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ({"stage": "paint"}, "#/settings/stage"),
        ({"colour": "red"}, "#/settings/colour"),
        ({"feeds": "marking"}, "#/settings/feeds"),
        ({"stage": "name", "feeds": "nowhere"}, "#/settings/feeds"),
        ({"stage": "name", "feeds": "naming"}, "#/settings/feeds"),
        ({"stage": "name", "feeds": 7}, "#/settings/feeds"),
        ({"stage": "name", "feeds": "marking", "negatives": 0.95}, "#/settings/negatives"),
        ({"stage": "name", "feeds": "marking", "negatives": True}, "#/settings/negatives"),
        ({"stage": "name", "negatives": 0.5}, "#/settings/negatives"),
    ],
)
def test_settings_that_cannot_be_are_refused(wanted: dict[str, Any], pointer: str) -> None:
    make_voxels_project("marking")
    make_voxels_project("naming", settings={"stage": "name"})
    with pytest.raises(Invalid) as error:
        tool_named("voxels").check_settings(wanted, None, is_live=False)
    assert error.value.faults[0].pointer == pointer


def test_the_stage_cannot_change_once_there_are_tasks() -> None:
    project = make_voxels_project()
    tool_named("voxels").check_settings({"stage": "name"}, project, is_live=False)
    post(project, {"a": {"scene": scene(), "phrase": "the tower"}})
    with pytest.raises(Invalid):
        tool_named("voxels").check_settings({"stage": "name"}, project, is_live=False)


def test_a_name_that_was_written_down_goes_with_its_person() -> None:
    naming, marking = make_pair(negatives=0.5)
    post(naming, {"a": {"scene": scene()}, "b": {"scene": other_scene()}})
    said = iter(["the tower of marguerite", "the grey stone"])
    work(naming, "marguerite", lambda _: {"phrase": next(said)})

    def kept() -> str:
        tables = (
            Task.objects.values("payload"),
            SceneTask.objects.values("phrase"),
            Consensus.objects.values("answer"),
        )
        return str([list(rows) for rows in tables] + [list(Annotation.objects.values("answer"))])

    # The answer, what it came to, and twice a task with its phrase: in this scene, and as a negative in the other.
    assert kept().count("marguerite") == 6
    assert voxels.erase(person_of(make_worker("somebody-else"))) == {"texts_in_scenes": 0}
    assert voxels.erase(person_of(make_worker("marguerite"))) == {"texts_in_scenes": 6}
    assert "marguerite" not in kept()
    assert fed(marking) == ["the tower of [removed]", "the grey stone", "the tower of [removed]"]
