"""Taking a project's data out: every format that it has, with the shape of its columns, for a staff session."""

import json

import pytest
from django.test import Client

from annotation.access.roles import Role
from tests.support.builders import annotate, claim, client_of, make_project, make_staff, make_task, make_worker
from tests.support.pages import words_of
from tests.support.sessions import make_live_project
from tests.support.tool_workers import make_parse_project, make_voxels_project

pytestmark = pytest.mark.django_db


def test_a_line_has_the_columns_that_the_page_names(dora: Client) -> None:
    project = make_project("p", redundancy=1)
    make_task(project)
    worker = make_worker("known-to-admins")
    annotate(claim(project, worker, chance=lambda: 0.0))
    page = dora.get("/staff/projects/p/take-out/")
    shapes = {one.format.name: [field.name for field in one.fields] for one in page.context["formats"]}
    for name in ("annotations.jsonl", "consensus.jsonl"):
        answer = dora.get(f"/staff/projects/p/take-out/{name}")
        assert answer["Content-Disposition"] == f'attachment; filename="p-{name}"'
        (line,) = [json.loads(text) for text in answer.getvalue().splitlines()]
        assert [*line] == shapes[name]
        assert "known-to-admins" not in str(line)
    assert dora.get("/staff/projects/p/take-out/secrets.jsonl").status_code == 404
    assert dora.get("/staff/projects/p/take-out/ledger.csv").status_code == 404


def test_each_tool_has_its_own_formats_and_every_button_gives_a_file(dora: Client) -> None:
    projects = {
        make_project("marking"): "tasks.jsonl",
        make_parse_project("parsing"): "forms.jsonl",
        make_voxels_project("voxels"): "masks.npz",
        make_live_project("living"): "commands.jsonl",
    }
    for project, own in projects.items():
        shown = dora.get(f"/staff/projects/{project.slug}/take-out/").context["formats"]
        names = [one.format.name for one in shown]
        assert own in names
        assert {"annotations.jsonl", "consensus.jsonl", "findings.jsonl", "ledger.csv"} <= set(names)
        for one in shown:
            answer = dora.get(one.address)
            assert answer.status_code == 200, one.address
            assert "attachment" in answer["Content-Disposition"], one.address
    assert "masks.npz" not in words_of(dora, "/staff/projects/parsing/take-out/")


def test_who_is_paid_what_is_for_admins(dora: Client) -> None:
    viewer = client_of(make_staff("vic", Role.VIEWER, make_project("p")))
    assert "ledger.csv" not in words_of(viewer, "/staff/projects/p/take-out/")
