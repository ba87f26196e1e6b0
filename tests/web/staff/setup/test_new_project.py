"""A project made and set up on staff pages: its draft, its steps, trying it, and going live."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Assignment, Project, Task
from annotation.projects.templates.all import TEMPLATES
from annotation.projects.templates.template import Template
from audit.models import AuditEvent
from tests.support.builders import make_episode, make_film, make_project, make_scenario, make_suite, make_task
from tests.support.pages import words_of
from web.staff.setup.project_body import body_of
from workforce.models import Qualification

QUALITY = {
    "qualification": "",
    "reference_rate": "20",
    "redundancy": "4",
    "aggregation/method": "majority",
    "aggregation/least": "2",
}


def begin(client: Client, template: str = "marker", title: str = "Which one lifts the ball?") -> Any:
    return client.post("/staff/new-project/", {"template": template, "title": title})


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=list(TEMPLATES))
def test_each_template_makes_a_draft_with_its_quiz(template: Template, dora: Client) -> None:
    answer = begin(dora, template.name)
    assert answer["Location"] == "/staff/projects/which-one-lifts-the-ball/setup/material/"
    project = Project.objects.get()
    assert (project.status, project.tool) == ("draft", template.tool)
    assert project.instructions == template.body.instructions
    assert project.qualification == Qualification.objects.get(slug="which-one-lifts-the-ball-quiz")
    assert AuditEvent.objects.get(verb="project.created").actor == "staff:dora"


def test_a_second_project_of_the_same_title_gets_a_name_of_its_own(dora: Client) -> None:
    begin(dora)
    begin(dora)
    assert set(Project.objects.values_list("slug", flat=True)) == {
        "which-one-lifts-the-ball",
        "which-one-lifts-the-ball-2",
    }


@pytest.mark.parametrize(("template", "title"), [("marker", " "), ("no-such", "A title"), ("marker", "x" * 201)])
def test_a_refused_beginning_makes_nothing_and_loses_nothing(template: str, title: str, dora: Client) -> None:
    answer = begin(dora, template, title)
    assert answer.status_code == 422
    assert title.strip() in answer.content.decode()
    assert not Project.objects.exists()


def test_a_step_saves_what_its_form_has_and_nothing_else(dora: Client) -> None:
    begin(dora)
    before = body_of(Project.objects.get())
    page = "/staff/projects/which-one-lifts-the-ball/setup/quality/"
    gate = {"gates/0/action": "pause", "gates/0/below": "60", "gates/0/minimum_n": "8", "gates/1/action": ""}
    answer = dora.post(page, {**QUALITY, **gate, "on": "1"})
    assert answer["Location"] == "/staff/projects/which-one-lifts-the-ball/setup/money/"
    after = body_of(Project.objects.get())
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"qualification", "reference_rate", "redundancy", "start", "gates", "aggregation"}
    assert (after["reference_rate"], after["redundancy"], after["start"]) == (0.2, 4, None)
    assert after["gates"] == [{"action": "pause", "below": 0.6, "minimum_n": 8}]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"redundancy": "many"}, "Write a whole number."),
        ({"redundancy": ""}, "This is needed."),
        ({"redundancy": "0"}, "greater than or equal to 1"),
        ({"aggregation/most": "3"}, "A task cannot stop growing below its redundancy."),
        ({"gates/0/action": "warn", "gates/0/below": "20", "gates/0/minimum_n": "5"}, "greater than or equal to 0.5"),
    ],
)
def test_a_wrong_value_is_said_beside_its_field_and_nothing_is_lost(
    changed: dict[str, str], said: str, dora: Client
) -> None:
    begin(dora)
    before = body_of(Project.objects.get())
    page = "/staff/projects/which-one-lifts-the-ball/setup/quality/"
    answer = dora.post(page, {**QUALITY, "reference_rate": "12.5", **changed})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert said in html
    assert 'value="12.5"' in html
    assert body_of(Project.objects.get()) == before


def test_money_says_what_an_hour_earns_and_warns_below_the_floor(dora: Client) -> None:
    begin(dora)
    page = "/staff/projects/which-one-lifts-the-ball/setup/money/"
    assert "12.00 USD an hour earns, at 45 s" in words_of(dora, page)
    assert "Less than the floor." in words_of(dora, f"{page}?seconds=90")
    money = {"pay/base/amount": "0.20", "currency": "EUR", "budget/amount": "40", "lease_s": "600"}
    assert dora.post(page, money).status_code == 302
    body = body_of(Project.objects.get())
    assert body["pay"] == {"base": {"amount": "0.20", "currency": "EUR"}}
    assert body["budget"] == {"amount": "40.00", "currency": "EUR"}
    assert dora.post(page, {**money, "pay/base/amount": "", "budget/amount": ""}).status_code == 302
    assert (body_of(Project.objects.get())["pay"], body_of(Project.objects.get())["budget"]) == (None, None)


def test_all_settings_can_be_saved_as_they_are_shown(dora: Client) -> None:
    project = make_project("marking", suite=make_suite("sts"), title="Mark")
    before = body_of(project)
    page = dora.get("/staff/projects/marking/settings/")
    typed = {one.field.path: one.text for drawn in page.context["sections"] for one in drawn.fields}
    assert dora.post("/staff/projects/marking/settings/", typed).status_code == 302
    assert body_of(Project.objects.get()) == before


def test_trying_a_task_checks_the_answer_and_keeps_nothing(dora: Client) -> None:
    project = make_project("marking", suite=make_suite("sts"))
    task = make_task(project, truth="success")
    page = f"/staff/projects/marking/setup/try/{task.pk}/"
    assert "Nothing is kept" in dora.get(page).content.decode()
    tried = dora.post("/staff/projects/marking/setup/try/", {"task": task.pk, "q-answer": _marked("success")})
    assert "Nothing was kept." in tried.content.decode()
    assert "your answer scores 100" in tried.content.decode()
    refused = dora.post("/staff/projects/marking/setup/try/", {"task": task.pk, "q-answer": _marked("perhaps")})
    assert refused.status_code == 422
    assert not Annotation.objects.exists()
    assert not Assignment.objects.exists()


def _marked(outcome: str) -> str:
    return json.dumps({"outcome": outcome, "frame": 20})


def test_a_draft_goes_live_only_when_there_is_something_to_judge(dora: Client) -> None:
    begin(dora)
    project = Project.objects.get()
    page = "/staff/projects/which-one-lifts-the-ball/setup/check/"
    assert "missing There is nothing to judge yet." in words_of(dora, page)
    assert dora.post(page).status_code == 422
    scenario = make_scenario(make_suite("sts"))
    make_film(make_episode(scenario=scenario))
    taken = dora.post(
        reverse("staff-setup-material", args=[project.slug]), {"act": "suite", "suite": scenario.suite.slug}
    )
    assert taken.status_code == 302
    assert Task.objects.get().project == project
    assert "ready 1 task is there." in words_of(dora, page)
    assert dora.post(page)["Location"] == "/staff/projects/which-one-lifts-the-ball/"
    project.refresh_from_db()
    assert project.is_live
