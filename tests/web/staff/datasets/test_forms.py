"""The staff page of logical forms: empty, full, files, import with a preview; and what it costs."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Project, Task
from tests.support.builders import make_project
from tests.support.pages import words_of
from tests.support.tool_workers import (
    HOUSE_FORM,
    KNOWN,
    TOWER_FORM,
    Enter,
    decided,
    make_parse_project,
    post_command,
    worked,
)

PAGE = "/staff/projects/p/forms/"
OLD = {"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": HOUSE_FORM["event_sequence"]}
LINES = f"build a house|{json.dumps(OLD)}\nbuild a red tower|{json.dumps(TOWER_FORM)}\nnothing"
Json = dict[str, Any]


@pytest.fixture
def project(db: None) -> Project:
    return make_parse_project("p", given_to="experts")


def test_the_project_page_leads_there_and_others_do_not(project: Project, dora: Client) -> None:
    make_project("marking")
    assert PAGE in dora.get("/staff/projects/p/").content.decode()
    assert "/forms/" not in dora.get("/staff/projects/marking/").content.decode()
    assert dora.get("/staff/projects/marking/forms/").status_code == 404
    assert dora.get("/staff/projects/marking/forms/download/").status_code == 404
    assert dora.post("/staff/projects/marking/forms/import/", {"lines": LINES}).status_code == 404


def test_what_is_in_the_forms(project: Project, dora: Client) -> None:
    for number, (text, form) in enumerate(KNOWN.items()):
        decided(post_command(project, f"c{number}", text, form=HOUSE_FORM, marked=number == 1), form)
    page = words_of(dora, PAGE)
    assert "There are 2." in page
    assert "Marks of wrong parses" in page
    assert "of 1 parses marked as wrong 1 are. Recall: of 1 parses that are wrong 1 were marked." in page
    assert "The agent's parse" in page
    assert "50.0 %" in page
    assert "HUMAN_GIVE_COMMAND" in page
    assert "Never yet:" in page
    assert "GET_MEMORY" in page
    assert "has_name 2 “house” 1 , “tower” 1" in page
    assert "has_colour 1 “red” 1" in page


def test_disagreements_name_the_step(dora: Client, as_worker: Enter) -> None:
    shared = make_parse_project("p", redundancy=3)
    post_command(shared, "c1", "build a red tower")
    worked(shared, as_worker, {"build a red tower": TOWER_FORM}, workers=2)
    other = json.loads(json.dumps(TOWER_FORM).replace("has_colour", "has_size"))
    worked(shared, as_worker, {"build a red tower": other})
    csv = dora.get(f"{PAGE}?plot=disagreements&as=csv").content.decode().splitlines()
    assert csv[0] == "step,differ,of,share,low,high"
    assert any(line.startswith("schematic › filters: what is told,1,1,1.0") for line in csv)
    assert any(line.startswith("the whole command: which it is,0,1") for line in csv)


@pytest.mark.parametrize("shape", ["jsonl", "pairs", "tabs", "ids"])
def test_staff_take_the_dataset_away(shape: str, project: Project, dora: Client) -> None:
    decided(post_command(project, "c1", "build a house"), HOUSE_FORM)
    answer = dora.get(f"{PAGE}download/?shape={shape}")
    assert f"p-forms-{shape}" in answer["Content-Disposition"]
    assert "build a house" in answer.getvalue().decode()


def test_a_preview_makes_nothing_and_names_what_is_wrong(project: Project, dora: Client) -> None:
    answer = dora.post(f"{PAGE}import/", {"lines": LINES, "shape": "auto", "act": "preview"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "action_sequence is called event_sequence now." in page
    assert "There is no form at the end of this line" in page
    assert "Make the other 2" in page
    assert not Task.objects.exists()


def test_what_was_looked_at_is_made(project: Project, dora: Client) -> None:
    file = SimpleUploadedFile("pairs.txt", LINES.encode())
    shown = dora.post(f"{PAGE}import/", {"file": file, "shape": "auto", "act": "preview"})
    kept = shown.context["lines"]
    assert kept == LINES
    body = {"lines": kept, "shape": "auto", "skip_refused": "yes", "act": "import"}
    answer = dora.post(f"{PAGE}import/", body, follow=True)
    assert "2 references made, 1 line left out." in answer.content.decode()
    assert Task.objects.references().count() == 2


def test_what_is_refused_is_kept_for_another_try(project: Project, dora: Client) -> None:
    answer = dora.post(f"{PAGE}import/", {"lines": LINES, "act": "import"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Nothing was made." in page
    assert "line 3" in page
    assert "build a red tower|" in page
    assert not Task.objects.exists()
    wrong = SimpleUploadedFile("x.txt", b"\xff\xfe\x00")
    assert "not text in UTF-8" in dora.post(f"{PAGE}import/", {"file": wrong}).content.decode()
    assert dora.post(f"{PAGE}import/", {"lines": " "}).status_code == 422
