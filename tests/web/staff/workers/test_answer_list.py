"""The list of one worker's answers: what it shows, its filters and its file."""

import json
import re

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project
from tests.support.builders import annotate, client_of, make_enrolment, make_project, make_staff, make_task
from tests.support.crowds import hold_on
from tests.support.pages import words_of
from workforce.models import Worker

pytestmark = pytest.mark.django_db

FILTERS = {
    "": ["later", "hard", "easy"],
    "?order=asc": ["easy", "hard", "later"],
    "?right=right": ["easy"],
    "?right=wrong": ["hard"],
    "?kind=task": ["later"],
    "?kind=reference": ["hard", "easy"],
    "?project=q": ["later"],
    "?q=ar": ["hard"],
}


@pytest.fixture
def answers(alice: Worker) -> str:
    """The address of the list, with an answer to each of two references of one project and a task of another."""
    p, q = make_project("p"), make_project("q")
    for project in (p, q):
        make_enrolment(project, alice)
    for project, key, truth in ((p, "easy", "success"), (p, "hard", "failure"), (q, "later", None)):
        annotate(hold_on(make_task(project, key=key, truth=truth), alice), outcome="success")
    return f"/staff/workers/{alice.pk}/answers/"


def keys(client: Client, address: str) -> list[str]:
    return re.findall(r'/staff/tasks/\d+/">([^<]+)</a>', client.get(address).content.decode())


def test_the_answers_are_narrowed_by_project_kind_and_score(answers: str, dora: Client) -> None:
    assert {query: keys(dora, answers + query) for query in FILTERS} == FILTERS
    rows = [json.loads(line) for line in dora.get(f"{answers}?right=wrong&download=jsonl").getvalue().splitlines()]
    assert [(row["task"], row["score"], row["project"]) for row in rows] == [("hard", 0.0, "p")]
    assert "All answers" in words_of(dora, answers.removesuffix("answers/"))


def test_answers_in_projects_of_others_are_not_listed(answers: str) -> None:
    vic = client_of(make_staff("vic", Role.VIEWER, Project.objects.get(slug="q")))
    assert keys(vic, answers) == ["later"]
    assert keys(vic, f"{answers}?project=p") == ["later"], "a project that is not theirs is no filter"
