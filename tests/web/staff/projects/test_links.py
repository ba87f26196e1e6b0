"""A pasted list of workers becomes a CSV file of links, all of them or none."""

import csv
import io

import pytest
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from annotation.models import Enrolment, Project, WorkToken
from tests.support.builders import claim, make_enrolment, make_project, make_task, make_worker
from tests.support.pages import text_of, words_of
from web.staff.projects import link_list
from workforce.models import Worker

PAGE = "/staff/projects/p/links/many/"


@pytest.fixture(autouse=True)
def project(db: None) -> Project:
    return make_project("p")


def test_a_pasted_list_becomes_a_file_of_links_that_open_theproject(dora: Client) -> None:
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


LIST = "/staff/projects/p/links/"


def test_the_list_shows_a_worker_whose_links_are_deleted_while_it_is_made(
    dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    dora.post(PAGE, {"workers": "ann"})
    made = link_list._rows

    def after_deleting(request: HttpRequest, found: list[Enrolment]) -> list[link_list.Row]:
        WorkToken.objects.all().delete()
        return made(request, found)

    monkeypatch.setattr(link_list, "_rows", after_deleting)
    page = dora.get(LIST)
    assert page.status_code == 200
    assert "ann" in text_of(page.content.decode())


def test_workers_with_links_are_listed_and_many_are_shut_out_at_once(dora: Client, project: Project) -> None:
    assert "Nobody has a link" in words_of(dora, LIST)
    dora.post(PAGE, {"workers": "ann bob carla ann"})
    dora.post(PAGE, {"workers": "ann"})
    make_enrolment(project, make_worker("by-panel"))
    assert "direct:ann ✓ works 2" in words_of(dora, LIST)
    assert "by-panel" not in words_of(dora, LIST), "a worker without a link"
    chosen = [Enrolment.objects.get(worker__external_id=name).pk for name in ("ann", "carla")]
    make_task(project)
    held = claim(project, Worker.objects.get(external_id="ann"))
    said = text_of(dora.post(LIST, {"act": "revoke", "row": chosen}, follow=True).content.decode())
    assert "2 can no longer come in by a link" in said
    assert not WorkToken.objects.filter(enrolment__in=chosen, expires_at__gt=timezone.now()).exists()
    held.refresh_from_db()
    assert held.status == "released"
    assert "direct:bob" in words_of(dora, f"{LIST}?state=works")
    assert "No worker fits" in words_of(dora, f"{LIST}?state=works&q=ann")
    assert "2 were so already" in text_of(
        dora.post(LIST, {"act": "revoke", "row": chosen}, follow=True).content.decode()
    )
    lines = dora.get(f"{LIST}?state=ended&column=state&column=made&download=csv").getvalue().decode().splitlines()
    assert lines == ["worker,state,made", "direct:carla,ended,1", "direct:ann,ended,2"]
