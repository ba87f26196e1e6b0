"""The demo's quiz of five commands: each accepted form passes, a wrong one does not; and the demo's project of them."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Chain, Consensus, Project, Task
from demo import load_commands
from demo.load_commands import QUIZ
from lib.logical_form.asking.walk import record_of
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import faults_of
from tests.support.builders import make_worker
from tests.support.pages import words_of
from tests.support.shared_data import ROOT
from tests.support.tool_workers import make_parse_project
from workforce.models import Attempt, Qualification

FOLDER = ROOT / "demo"
ASKED = json.loads((FOLDER / "parse_quiz.json").read_text())["questions"]
ADDRESS = "/api/v1/work/qualification/"


@pytest.fixture
def work(as_worker: Any, db: None) -> APIClient:
    """A worker's browser in a project that wants the quiz."""
    load_commands.put_quiz(FOLDER, at=timezone.now())
    project = make_parse_project("wanting", qualification=Qualification.objects.get(slug=QUIZ))
    client: APIClient = as_worker(project, make_worker())
    return client


def answers(number: int) -> dict[str, Any]:
    """To each question the record of its accepted form of this number, the first again where it has fewer."""
    return {one["id"]: {"record": record_of(one["accept"][number % len(one["accept"])])} for one in ASKED}


def marks() -> dict[str, bool]:
    """For each question of the one attempt, True if it was answered right."""
    return dict(Attempt.objects.get().right or {})


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked["id"])
def test_every_accepted_form_is_valid_and_differs_from_the_others(asked: Any) -> None:
    words = len(tokenise(asked["text"]))
    for number, form in enumerate(asked["accept"]):
        assert faults_of(form, words=words) == []
        assert not any(same(form, other) for other in asked["accept"][:number])


def test_there_are_five_and_most_accept_several() -> None:
    assert len(ASKED) == 5
    assert sum(len(asked["accept"]) > 1 for asked in ASKED) >= 3


@pytest.mark.parametrize("number", range(max(len(asked["accept"]) for asked in ASKED)))
def test_a_perfect_record_passes_with_each_accepted_form(work: APIClient, number: int) -> None:
    work.get(ADDRESS)
    assert work.post(ADDRESS, {"answers": answers(number)}, format="json").json()["passed"] is True
    assert marks() == {asked["id"]: True for asked in ASKED}


def test_a_wrong_record_is_told_apart_on_the_server(work: APIClient) -> None:
    """One of five may be wrong; with two the quiz is not passed. What a browser claims of itself counts for nothing."""
    work.get(ADDRESS)
    no_command = {"record": record_of({"dialogue_type": "NOOP"})}
    wrong = {**answers(0), "bridge": no_command, "tree": no_command}
    answer = work.post(ADDRESS, {"answers": wrong}, format="json").json()
    assert (answer["passed"], answer["score"]) == (False, pytest.approx(0.6))
    assert {name for name, right in marks().items() if not right} == {"bridge", "tree"}


def test_a_record_with_a_step_missing_is_no_answer(work: APIClient) -> None:
    work.get(ADDRESS)
    record = record_of(ASKED[0]["accept"][0])
    cut = dict(list(record.items())[:-1])
    refused = work.post(ADDRESS, {"answers": {**answers(0), "bridge": {"record": cut}}}, format="json")
    assert refused.status_code == 422
    assert "not answered" in refused.content.decode()
    assert work.post(ADDRESS, {"answers": {**answers(0), "bridge": {"form": {}}}}, format="json").status_code == 422


def test_the_answers_never_reach_the_page(work: APIClient) -> None:
    seen = work.get(ADDRESS).content.decode()
    assert "remove the bridge" in seen
    for secret in ("accept", "obj_text", "has_name"):
        # The first question's own options name every purpose and every action, and nothing below them.
        assert secret not in seen, secret
    assert ("DESTROY" in seen) == ("BUILD" in seen) == ("DANCE" in seen)


@pytest.mark.django_db
def test_the_demo_shows_commands_at_every_stage() -> None:
    assert load_commands.load(FOLDER, at=timezone.now(), done=3) > 40
    project = Project.objects.get(slug=load_commands.PROJECT)
    posted = Task.objects.posted().filter(project=project)
    assert posted.references().count() == load_commands.REFERENCES
    assert posted.ordinary().filter(status="done").count() >= 3
    assert posted.ordinary().filter(parts__open=True).distinct().count() > 10
    # Some of the crowd cannot tell, so not every way has a form; how many draws of the references decide, which differ.
    assert Chain.objects.filter(task__project=project, worker__isnull=False).exclude(status="open").count() >= 6
    assert Consensus.objects.settled().filter(project=project, task__part_of=None).count() >= 3
    assert posted.filter(payload__marked=True).exists()
    assert posted.filter(payload__marked=False).exists()


def test_staff_read_the_accepted_forms_in_words(dora: Client, work: APIClient) -> None:
    page = words_of(dora, f"/staff/qualifications/{QUIZ}/")
    assert "“make a tiny hut here”" in page
    assert "Destroy something named “bridge”. or Destroy something named “the bridge”." in page
