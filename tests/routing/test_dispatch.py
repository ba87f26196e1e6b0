"""A judged command becomes a report, and through its routes tasks: each exactly once, whatever is repeated."""

from typing import Any

import pytest

from annotation.models import KeptScene, Project, Task
from annotation.review.adjudication import adjudicate
from annotation.work.posting import TaskBody, post_tasks
from commands.models import Command
from common.redaction import REMOVED
from routing.dispatch import ask_for
from routing.models import ErrorReport, Sending
from tests.support.builders import NOON, make_agent, make_staff
from tests.support.commands import (
    BUILD,
    CUBE,
    NOOP,
    a_scene,
    judged,
    make_command,
    make_route,
    parse_project,
    report_of,
    route,
    routed,
    run_jobs,
    sent,
    sessions_project,
    take,
    tasks_of,
    truth_of,
    voxel_project,
)

pytestmark = pytest.mark.django_db
FOUND: Any = [{"phrase": "the cube", "voxels": CUBE}]


def settle(task: Task, answer: dict[str, Any]) -> None:
    """A reviewer decides the answer."""
    adjudicate(task=task, answer=answer, reason="it is", by=make_staff("judge"), at=NOON)


def test_an_outcome_makes_one_report_however_often_it_is_taken() -> None:
    command = judged("build a cube", "nlu_error", form=BUILD, feedback="no!")
    take(command)
    report = ErrorReport.objects.get()
    assert (report.outcome, report.command, report.state, report.at) == ("nlu_error", command, "new", NOON)


@pytest.mark.parametrize("outcome", ["ok", ""])
def test_a_command_that_went_right_makes_no_report(outcome: str) -> None:
    routed("build a cube", outcome)
    assert not ErrorReport.objects.exists()


def test_every_valid_command_becomes_a_task_marked_or_not(to: Project) -> None:
    routed("build a cube", "ok")
    routed("dig a hole", "task_error")
    routed("dance", "nlu_error")
    assert [(task.payload["text"], task.payload["marked"]) for task in tasks_of(to)] == [
        ("build a cube", False),
        ("dig a hole", False),
        ("dance", True),
    ]


def test_a_task_has_the_clean_words_and_the_form_that_counts_them(to: Project) -> None:
    place = {"text_span": [0, [2, 3]]}
    routed("build & nbsp ; this&nbsp;", "ok", form={"dialogue_type": "NOOP"})
    routed("tag , the & nbsp;cube", "ok", form={"said": place})
    routed("<b>dig</b> here", "ok", form={"said": place})
    routed("dance", "ok", form=["no", "form"])
    routed("dig", "ok", form=BUILD)
    payloads = [task.payload for task in tasks_of(to)]
    assert [one["text"] for one in payloads] == ["build this", "tag , the cube", "dig here", "dance", "dig"]
    # A form is left out where it is no object, or where its words are not one by one those of the task.
    assert ["form" in one for one in payloads] == [False] * 4 + [True]


def test_equal_words_make_one_task_in_each_project_that_both_commands_name(to: Project) -> None:
    make_route(other := parse_project())
    first, second = routed("Build a cube !"), routed("build  a cube", "ok")
    tasks = [task.pk for project in (to, other) for task in tasks_of(project)]
    assert [[row.task_id for row in sent(command)] for command in (first, second)] == [tasks, tasks]
    assert len(tasks) == 2
    assert len({row.same_as for row in (*sent(first), *sent(second)) if row.to == to}) == 1


def test_two_routes_to_one_project_make_one_task() -> None:
    to = parse_project()
    make_route(to, "*", rate=0.0001)
    named = make_route(to, "nlu_error")
    command = routed("build a cube")
    (row,) = sent(command)
    assert (row.route, row.why_not) == (named, "")
    assert len(tasks_of(to)) == 1


def test_a_route_takes_only_the_commands_that_it_names() -> None:
    to, agent = parse_project(), make_agent("walker")
    make_route(to, "nlu_error", agents=[agent], sources=[sessions_project()])
    elsewhere = parse_project("elsewhere")
    routed("one", "nlu_error", agent=agent)
    routed("two", "task_error", agent=agent)
    routed("three", "nlu_error", agent=make_agent("other"))
    routed("four", "nlu_error")
    routed("five", "nlu_error", agent=agent, project=elsewhere)
    assert [task.payload["text"] for task in tasks_of(to)] == ["one"]


@pytest.mark.parametrize(
    ("text", "outcome", "fault"),
    [
        ("< br >", "nlu_error", "markup"),
        ("kill all those men", "task_error", "unsafe"),
        ("34473", "ok", "no_words"),
        ("make the sky green", "capability_error", "capability_error"),
        (REMOVED, "ok", "erased"),
    ],
)
def test_a_command_that_is_not_valid_becomes_no_task(text: str, outcome: str, fault: str, to: Project) -> None:
    (row,) = sent(routed(text, outcome))
    assert (row.why_not, row.detail) == ("not_valid", fault)
    assert not tasks_of(to)


def test_a_route_that_names_an_outcome_takes_no_junk_either() -> None:
    to = parse_project()
    make_route(to, "capability_error")
    able = routed("make the sky green", "capability_error")
    junk = routed("<br>", "capability_error")
    assert [row.why_not for row in (*sent(able), *sent(junk))] == ["", "not_valid"]
    assert (report_of(able).state, report_of(junk).state) == ("routed", "new")


def test_the_rate_is_drawn_once_for_a_command() -> None:
    to = parse_project()
    make_route(to, rate=0.5)
    commands = [routed(f"build {number} cubes", "ok", name=f"n{number}") for number in range(60)]
    drawn = [sent(command)[0].why_not for command in commands]
    assert set(drawn) == {"", "not_drawn"}
    assert 15 < drawn.count("") < 45
    for command in commands:
        route(command)
    assert [sent(command)[0].why_not for command in commands] == drawn
    assert len(tasks_of(to)) == drawn.count("")


def test_a_route_of_rate_nothing_is_stopped() -> None:
    make_route(parse_project(), rate=0.0)
    assert not sent(routed("build a cube"))


def test_the_objects_of_a_command_are_asked_for_in_its_scene() -> None:
    to = voxel_project()
    make_route(to, "vision_error")
    found: Any = [
        {"phrase": "the cube", "voxels": [*CUBE, [1, 1, 1], [9, 9, 9]]},
        {"phrase": "The  cube", "voxels": []},
        {"phrase": "a tree", "voxels": []},
        {"phrase": " ", "voxels": CUBE},
    ]
    command = routed("get the cube", "vision_error", objects_found=found, scene=a_scene())
    cube, tree = (task.payload for task in tasks_of(to))
    report = report_of(command)
    assert report.scene is not None
    assert (cube["scene"], cube["phrase"], cube["agent_mask"]) == (report.scene.digest, "the cube", CUBE)
    assert cube["source"] == {
        "kind": "command",
        "project": "sessions",
        "command": command.public_id,
        "report": report.public_id,
    }
    assert (tree["phrase"], "agent_mask" in tree) == ("a tree", False)
    assert [row.phrase for row in sent(command)] == ["the cube", "a tree"]


def test_a_scene_is_kept_once_and_its_object_asked_once() -> None:
    to = voxel_project()
    make_route(to, "vision_error")
    for _ in range(2):
        routed("get the cube", "vision_error", objects_found=FOUND, scene=a_scene())
    routed("get the cube", "vision_error", objects_found=FOUND, scene=a_scene(2))
    assert (KeptScene.objects.count(), len(tasks_of(to))) == (2, 2)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"objects_found": FOUND}, "There is no scene of the time when it was given."),
        ({"scene": a_scene()}, "The agent named no object."),
    ],
)
def test_a_command_without_objects_or_scene_is_not_asked_about(more: dict[str, Any], sentence: str) -> None:
    make_route(voxel_project(), "vision_error")
    command = routed("get the cube", "vision_error", **more)
    (row,) = sent(command)
    assert (row.why_not, row.detail, report_of(command).state) == ("nothing_to_annotate", sentence, "new")


def test_a_report_keeps_its_scene_where_no_route_leads_anywhere() -> None:
    command = routed("get the cube", "task_error", scene=a_scene())
    scene = report_of(command).scene
    assert scene is not None
    assert scene.digest == a_scene().digest


def test_a_task_that_the_tool_refuses_is_noted_and_not_tried_again(to: Project) -> None:
    (row,) = sent(routed("&nbsp;", fault=""))
    assert row.why_not == "refused"
    assert "not be blank" in row.detail


def test_a_task_that_somebody_posted_by_that_key_is_used() -> None:
    one, other = parse_project(), parse_project()
    make_route(one)
    routed("build a cube")
    key = tasks_of(one)[0].key
    post_tasks(project=other, bodies=[TaskBody(key=key, payload={"text": "build a cube"})], at=NOON)
    make_route(other)
    routed("Build a cube.", "ok")
    assert len(tasks_of(other)) == 1


# Answers --------------------------------------------------------------------------------------------------------


def test_each_answer_is_written_to_every_command_with_the_same_words(to: Project) -> None:
    marked, unmarked = routed("build a cube"), routed("Build a cube!", "ok")
    assert report_of(marked).state == "routed"
    for form in (BUILD, NOOP):
        settle(tasks_of(to)[0], {"form": form})
        assert [truth_of(one) for one in (marked, unmarked)] == [form, form]
    later = routed("build a cube .")
    assert truth_of(later) == NOOP
    assert [report_of(one).state for one in (marked, later)] == ["annotated", "annotated"]


def test_a_form_counts_the_words_of_each_command(to: Project) -> None:
    routed("build for me a big house")
    other = routed("Build , for me , a big house !", "ok")

    def named(span: list[Any]) -> dict[str, Any]:
        what = {"filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": span}]}}}
        events = [{"action_type": "BUILD", "schematic": what}]
        return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": events}

    settle(tasks_of(to)[0], {"form": named([0, [4, 5]])})
    assert truth_of(other) == named([0, [6, 7]])


def test_a_report_is_annotated_when_all_that_it_became_is() -> None:
    parses, masks = parse_project(), voxel_project()
    make_route(parses)
    make_route(masks, "vision_error")
    command = routed("get the cube", "vision_error", objects_found=FOUND, scene=a_scene())
    settle(tasks_of(parses)[0], {"form": NOOP})
    assert report_of(command).state == "routed"
    settle(tasks_of(masks)[0], {"absent": True})
    assert report_of(command).state == "annotated"


def test_an_answer_to_a_posted_task_is_written_to_no_command() -> None:
    to = parse_project()
    post_tasks(project=to, bodies=[TaskBody(key="mine", payload={"text": "dance"})], at=NOON)
    command = make_command("dance")
    settle(tasks_of(to)[0], {"form": NOOP})
    assert truth_of(command) is None


def test_a_job_that_names_no_judged_command_stops_nothing() -> None:
    make_route(parse_project())
    for command in (Command(project=sessions_project(), public_id="nowhere"), make_command("dance", is_live=True)):
        ask_for(command)
    run_jobs()
    assert not Sending.objects.exists()
