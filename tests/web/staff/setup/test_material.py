"""The material of a project, brought on staff pages: commands, scenes, sessions."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.models import Agent
from annotation.models import Project, Task
from evaluation.models import Episode
from tests.support.commands import default_tree
from tests.support.tool_workers import scene

PAGE = "/staff/projects/mine/setup/material/"


@pytest.fixture
def commands(dora: Client) -> Client:
    return _begun(dora, "parse")


@pytest.fixture
def scenes(dora: Client) -> Client:
    return _begun(dora, "voxels")


@pytest.fixture
def sessions(dora: Client) -> Client:
    return _begun(dora, "interaction")


def _begun(client: Client, template: str) -> Client:
    assert client.post("/staff/new-project/", {"template": template, "title": "Mine"}).status_code == 302
    return client


@pytest.fixture
def videos(dora: Client) -> Client:
    return _begun(dora, "marker")


SITUATION = {"agent_name": "Alpha", "instruction": "lift the ball", "continuation_s": "9"}
VIDEOS = "/staff/projects/mine/setup/videos/"


def send(client: Client, place: dict[str, str], *, content: bytes = b"not a film", **known: str) -> Any:
    """Upload a video in its parts, as the page does."""
    begun = client.post(f"{VIDEOS}begin/", {"filename": "run 1.mp4", "bytes": str(len(content))}).json()
    tags = [client.put(address, content, content_type="video/mp4")["ETag"] for address in begun["parts"]]
    body = {"upload": begun["upload"], "etags": json.dumps(tags), **place, **known}
    return client.post(VIDEOS, body)


def test_own_videos_become_episodes_of_a_suite_agent_and_scenario_that_are_made_for_them(videos: Client) -> None:
    place = videos.post(PAGE, SITUATION, headers={"Accept": "application/json"}).json()
    assert place == {"suite": "mine", "scenario": "lift-the-ball", "agent": "alpha"}
    for _ in range(2):
        assert send(videos, place).status_code == 200
    episode = Episode.objects.get()
    assert episode.external_id == "mine:lift-the-ball:alpha:run-1"
    assert episode.reference is None
    assert send(videos, place, content=b"another film").status_code == 409
    assert "There is no agent" in send(videos, {**place, "agent": "nobody"}).json()["error"]
    again = videos.post(
        PAGE, {"agent_name": "Beta", "scenario": "lift-the-ball"}, headers={"Accept": "application/json"}
    )
    assert send(videos, again.json(), outcome="failure", moment="3,5").status_code == 200
    known = Episode.objects.get(agent__slug="beta").reference
    assert known is not None
    assert (known["outcome"], known["time_s"]) == ("failure", 3.5)
    assert send(videos, again.json(), outcome="perhaps").status_code == 422


def texts() -> list[str]:
    return [task.payload["text"] for task in Task.objects.posted().order_by("pk")]


LISTS = {
    "lines": "go away\n\n  dig a hole \ngo away\n",
    "a CSV": 'key,Text\na,go away\nb,"dig a hole"\n',
    "a CSV of spreadsheets": "\ufeffcommand\r\ngo away\r\ndig a hole\r\n",
    "payloads": '{"text": "go away"}\n{"text": "dig a hole"}',
    "whole tasks": '{"key": "a", "payload": {"text": "go away"}}\n{"key": "b", "payload": {"text": "dig a hole"}}',
}


@pytest.mark.parametrize("content", LISTS.values(), ids=list(LISTS))
def test_commands_come_as_lines_csv_or_json(content: str, commands: Client) -> None:
    for _ in range(2):
        assert commands.post(PAGE, {"act": "list", "list": content}).status_code == 302
    assert texts() == ["go away", "dig a hole"]
    file = SimpleUploadedFile("more.txt", b"spawn a pig\n")
    assert commands.post(PAGE, {"act": "list", "list": "", "file": file}).status_code == 302
    assert texts()[2:] == ["spawn a pig"]


WRONG = {
    "not JSON": ('{"text": "go"}\n{"text": ', "Line 2:", "This line is not JSON"),
    "an unknown field": ('{"text": "go"}\n\n{"text": "dig", "colour": 1}', "Line 3, payload/colour:", ""),
    "a number in a CSV": ("text,priority\ngo,1\ndig,high\n", "Line 3, priority:", ""),
    "a strange column": ("text,colour\ngo,red\n", "Line 2, payload/colour:", ""),
    "no words": ("go\n...\n \n!!\n", "", ""),
}


@pytest.mark.parametrize(("content", "place", "said"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_line_is_named_and_the_list_comes_back(content: str, place: str, said: str, commands: Client) -> None:
    answer = commands.post(PAGE, {"act": "list", "list": content})
    page = answer.content.decode()
    if place:
        assert answer.status_code == 422
        assert place in page
        assert said in page
        assert answer.context["typed"] == content
        assert texts() == []


def test_an_empty_list_or_a_picture_is_refused(commands: Client) -> None:
    assert "There is nothing in it yet." in commands.post(PAGE, {"act": "list", "list": " "}).content.decode()
    picture = SimpleUploadedFile("a.png", b"\x89PNG\xff")
    assert "no text in UTF-8" in commands.post(PAGE, {"file": picture}).content.decode()


def test_a_command_can_be_tried_step_by_step(commands: Client) -> None:
    commands.post(PAGE, {"act": "list", "list": "dig a hole"})
    task = Task.objects.posted().get()
    page = commands.get(f"/staff/projects/mine/setup/try/{task.pk}/").content.decode()
    assert 'data-api="/staff/projects/mine/setup/try/"' in page
    asked = commands.post(
        "/staff/projects/mine/setup/try/parse/next/",
        json.dumps({"text": "dig a hole", "record": {}}),
        content_type="application/json",
    )
    assert asked.status_code == 200
    assert asked.json()["node"]


def test_scenes_come_as_json_lines_or_are_generated(scenes: Client) -> None:
    line = json.dumps({"phrase": "the red tower", "scene": scene()})
    assert scenes.post(PAGE, {"act": "list", "list": line}).status_code == 302
    assert Task.objects.get().payload["phrase"] == "the red tower"
    assert "A scene is a line of JSON" in scenes.post(PAGE, {"act": "list", "list": "a tower"}).content.decode()
    assert scenes.post(PAGE, {"act": "generate", "n": "3", "seed": "1", "references": "yes"}).status_code == 302
    assert Task.objects.references().count() == 3
    refused = scenes.post(PAGE, {"act": "generate", "n": "many", "seed": "1"})
    assert "Write a whole number." in refused.content.decode()
    task = Task.objects.ordinary().get()
    assert scenes.get(f"/staff/projects/mine/setup/try/{task.pk}/").status_code == 200


def test_live_sessions_are_set_up_with_a_new_agent_and_their_own_worlds(sessions: Client) -> None:
    default_tree()
    check = "/staff/projects/mine/setup/check/"
    assert "The sessions are not set up." in sessions.get(check).content.decode()
    tree = sessions.get(PAGE).context["fields"][2].field.choices[1][0]
    typed: dict[str, Any] = {"agent_name": "My builder", "tree": tree, "sessions": "20", "prompts": "dig a hole\nbuild"}
    bad = sessions.post(PAGE, {**typed, "list": '{"world": {}}'})
    assert "Line 1" in bad.content.decode()
    assert not Agent.objects.exists()
    good = sessions.post(PAGE, {**typed, "list": json.dumps(scene()), "on": "1"})
    assert good.status_code == 302, (good.context["errors"], good.context["faults"])
    project = Project.objects.get()
    assert project.settings == {
        "agent": "my-builder",
        "tree": tree,
        "sessions": 20,
        "prompts": ["dig a hole", "build"],
    }
    assert Task.objects.get().payload["agent"] == "my-builder"
    assert sessions.post(check).status_code == 302
    project.refresh_from_db()
    assert project.is_live
