"""The funnel in the staff pages."""

import csv
import io
import re
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from agents.keys import create_key
from annotation.access.roles import Role, pseudonym_of
from annotation.models import Project
from commands.models import Command
from tests.conftest import api_client
from tests.support.builders import (
    NOON,
    Made,
    client_of,
    for_module,
    make_agent,
    make_enrolment,
    make_staff,
    make_worker,
)
from tests.support.commands import BUILD, DIG, make_past, past, post
from tests.support.pages import words_of
from tests.support.sessions import both, judged, make_live_project
from workforce.models import Worker

FUNNEL = "/staff/funnel/"
WRONG: dict[str, Any] = {"parse": BUILD, "form": DIG}
RIGHT: dict[str, Any] = {"parse": DIG, "form": DIG}


def make_world() -> Project:
    """Eight commands of two workers, of whom the project knows one."""
    make_agent("droid")
    found = make_past()
    make_enrolment(found, make_worker("known-by-name"))
    post(
        api_client(create_key(name="pipe", scopes=["write"], at=NOON)),
        past("c-1", "dig a hole", outcome="nlu_error", worker="known-by-name", at="2022-03-01T10:00:00Z", **WRONG),
        past("c-2", "dig a hole", outcome="nlu_error", worker="p:2", agent="droid", at="2022-03-03T10:00:00Z", **WRONG),
        past("c-3", "dig", outcome="nlu_error", worker="p:2", agent="droid", at="2022-03-03T11:00:00Z", **RIGHT),
        past("c-4", "dig a hole", outcome="ok", worker="p:2", at="2022-03-05T10:00:00Z", **WRONG),
        past("c-5", "?!", outcome="ok", at="2022-03-05T10:00:00Z"),
        past("c-6", "sing", outcome="capability_error", at="2022-03-05T10:00:00Z"),
        past("c-7", "walk", at="2022-03-05T10:00:00Z"),
        past("c-8", "jump", outcome="task_error", at="2022-03-05T23:00:00Z"),
    )
    return found


made = for_module(make_world)


@pytest.fixture
def project(made: Made[Project], db: None) -> Project:
    return made.again()


def table(client: Client, name: str, query: str = "") -> list[dict[str, str]]:
    """The file of a plot."""
    response = client.get(f"{FUNNEL}?plot={name}&as=csv{query}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def counts(client: Client, query: str = "") -> list[int]:
    return [int(row["commands"]) for row in table(client, "funnel", query)]


def test_each_row_stands_beside_the_papers(dora: Client, project: Project) -> None:
    page = words_of(dora, FUNNEL)
    assert "All commands 8 100.0 % 22685 100.0 % given in live sessions, or posted" in page
    assert "Valid, each wording once 4 50.0 % 18163 80.1 %" in page
    assert "66.7 % 21–94 %, 2 of 3 89 %" in page
    assert "66.7 % 21–94 %, 2 of 3 43 %" in page
    assert "All commands 8 (100.0 %)" in page
    assert table(dora, "funnel")[0]["row"] == "All commands"
    assert counts(dora) == [8, 4, 5, 3, 3, 2, 3]
    assert b"plot-bar" in dora.get(f"{FUNNEL}?plot=funnel&as=svg").content


def test_it_is_counted_anew_each_time(dora: Client, project: Project) -> None:
    worker, agent = both(make_live_project("living"))
    judged(worker, agent)
    assert counts(dora) == [9, 5, 5, 3, 3, 2, 3]
    Command.objects.filter(public_id="c-8").update(truth=DIG, is_misread=True)
    assert counts(dora)[-1] == 4


def test_it_can_be_narrowed(dora: Client, project: Project) -> None:
    worker, agent = both(make_live_project("living"))
    judged(worker, agent)
    assert counts(dora, "&project=living")[0] == 1
    assert counts(dora, "&agent=droid")[0] == 2
    assert counts(dora, "&until=2022-03-03")[0] == 3
    assert counts(dora, "&since=2022-03-03&until=2022-03-05")[0] == 7
    assert counts(dora, "&project=past&agent=droid&since=2022-03-03&until=2022-03-03")[:2] == [2, 2]
    for nonsense in ("&project=nowhere", "&agent=nobody", "&since=yesterday", "&until=9999-12-31", "&since=0001-01-01"):
        assert counts(dora, nonsense)[0] == 9


def test_the_marks_are_followed_over_time(dora: Client, project: Project) -> None:
    rows = [(row["day"], row["all_commands"], row["rate"]) for row in table(dora, "precision-by-day")]
    assert rows == [("2022-03-01", "1", "1.0"), ("2022-03-03", "2", "0.5"), ("2022-03-05", "5", "")]
    assert [row["rate"] for row in table(dora, "recall-by-day")] == ["1.0", "1.0", "0.0"]
    picture = dora.get(f"{FUNNEL}?plot=recall-by-day&as=svg").content.decode()
    assert "plot-line" in picture
    assert re.findall(r'cx="([^"]+)"', picture)[-1] == "90%", "right of the last day stand the words of the lines"


def test_versions_workers_and_repeated_words_have_their_rates_and_what_is_left_out_its_reason(
    dora: Client, project: Project, pipe: APIClient
) -> None:
    page = words_of(dora, FUNNEL)
    assert "droid – 2 2 2 1 1 50.0 % 9–91 % 100.0 % 21–100 %" in page
    assert "direct:known-by-name 1 1 1 1 1 100.0 % 21–100 % 100.0 % 21–100 %" in page
    assert [(row["worker"], row["rate"]) for row in table(dora, "recall-by-worker")] == [
        ("p:2", "0.5"),
        ("direct:known-by-name", "1.0"),
    ]
    assert list(table(dora, "said-again")[0].values()) == ["dig a hole", "3", "2", "1", "2", "0", "0"]
    left = [(row["reason"], row["commands"]) for row in table(dora, "left-out")]
    assert left == [("no_words", "1"), ("beyond", "1"), ("repeated", "2")]
    post(pipe, *(past(f"w-{number}", "hop", worker=f"q:{number}") for number in range(30)))
    assert "1–20 of 32 workers" in words_of(dora, FUNNEL)
    assert "21–32 of 32 workers" in words_of(dora, f"{FUNNEL}?page=2")


def test_a_viewer_sees_their_projects_and_no_names(project: Project, pipe: APIClient) -> None:
    make_past("secret")
    post(pipe, past("s-1", "something secret") | {"project": "secret"}, past("s-2", "x") | {"project": "secret"})
    victor = client_of(make_staff("victor", Role.VIEWER, project))
    page = words_of(victor, FUNNEL)
    assert counts(victor)[0] == 8
    assert counts(victor, "&project=secret")[0] == 8
    assert "secret" not in page
    assert "known-by-name" not in page
    assert "p:2" not in page
    called = [pseudonym_of(Worker.objects.get(external_id=name)) for name in ("2", "known-by-name")]
    assert [row["worker"] for row in table(victor, "recall-by-worker")] == called
    html = victor.get(FUNNEL).content.decode()
    linked = [f"/staff/workers/{Worker.objects.get(external_id=name).pk}/" in html for name in ("known-by-name", "2")]
    assert linked == [True, False], "a worker whom the project does not know is no link"
