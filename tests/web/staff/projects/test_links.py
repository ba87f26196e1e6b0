"""A pasted list of workers becomes a CSV file of links, all of them or none."""

import csv
import io

import pytest
from django.test import Client

from annotation.models import Enrolment, Project, WorkToken
from tests.support.builders import make_project
from tests.support.pages import text_of, words_of

PAGE = "/staff/projects/p/links/many/"


@pytest.fixture(autouse=True)
def _project(db: None) -> Project:
    return make_project("p")


def test_a_pasted_list_becomes_a_file_of_links_that_open_the_project(dora: Client) -> None:
    assert "For many at once" in words_of(dora, "/staff/projects/p/")
    assert "one a line or with commas" in words_of(dora, PAGE)
    answer = dora.post(PAGE, {"workers": "ann\r\nbob, p:7;ann\n"})
    assert answer["Content-Disposition"] == 'attachment; filename="links-p.csv"'
    assert "no-store" in answer["Cache-Control"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["worker"] for row in rows] == ["ann", "bob", "p:7"]
    assert all(Client().get(row["url"].partition("8000")[2] or row["url"]).status_code == 302 for row in rows)
    assert Enrolment.objects.count() == WorkToken.objects.count() == 3


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Paste at least one name"),
        ("ann\nbö b\nann@example.org", "“bö” cannot be a name"),
        ("\n".join(f"w{n}" for n in range(1001)), "at most 1000 links"),
        ("\n".join(f"w@{n}" for n in range(30)), "And 10 more."),
    ],
)
def test_a_wrong_list_makes_nothing_and_loses_nothing(typed: str, said: str, dora: Client) -> None:
    answer = dora.post(PAGE, {"workers": typed})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert said in text_of(page)
    assert typed.splitlines()[:1] == [] or typed.splitlines()[0] in page
    assert WorkToken.objects.count() == 0
