"""Two admins edit one thing at once: the second is told what the first changed, and nothing is lost."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test import Client

from agents.models import Agent
from annotation.access.roles import Role
from annotation.models import Project
from common.data.fair_sqlite.base import lock_of
from evaluation.models import Suite
from routing.models import Route
from tests.support.builders import (
    client_of,
    make_agent,
    make_project,
    make_qualification,
    make_scenario,
    make_staff,
    make_suite,
)
from tests.support.commands import make_bare_route
from tests.support.crowds import race
from tests.support.tool_workers import make_parse_project
from web.staff.routing import routes
from web.staff.setup import project_form
from web.staff.setup.records import record_page
from workforce.models import Qualification

pytestmark = pytest.mark.django_db
SETTINGS = "/staff/projects/p/settings/"


@pytest.fixture
def eve() -> Client:
    """The second admin."""
    return client_of(make_staff("eve", Role.ADMIN))


def opened(client: Client, address: str) -> dict[str, str]:
    """The fields of this page with their values, as a browser would send them."""
    page = client.get(address)
    drawn = page.context.get("fields") or [one for part in page.context["sections"] for one in part.fields]
    drawn = [*drawn, *(one for row in page.context.get("gates") or [] for one in row)]
    texts = {one.field.path: one.text for one in drawn if one.field.kind != "yes" or one.text}
    return {**texts, "seen": page.context["seen"]}


def test_changes_of_different_fields_are_both_kept(dora: Client, eve: Client) -> None:
    make_project("p", title="Doors", lease_s=60)
    mine, hers = opened(dora, SETTINGS), opened(eve, SETTINGS)
    assert dora.post(SETTINGS, {**mine, "title": "Red doors"}).status_code == 302
    assert eve.post(SETTINGS, {**hers, "lease_s": "90"}).status_code == 302
    project = Project.objects.get()
    assert (project.title, project.lease_s) == ("Red doors", 90)


def test_a_field_that_both_changed_is_shown_with_both_values_and_not_saved(dora: Client, eve: Client) -> None:
    make_project("p", title="Doors", lease_s=60)
    mine, hers = opened(dora, SETTINGS), opened(eve, SETTINGS)
    dora.post(SETTINGS, {**mine, "title": "Red <doors>", "limit_per_worker": "7"})
    refused = eve.post(SETTINGS, {**hers, "title": "Blue doors", "lease_s": "90"})
    assert refused.status_code == 409
    words = unescape(refused.content.decode())
    assert "Meanwhile this became “Red <doors>”" in words
    assert 'value="Blue doors"' in words, "what she typed stays"
    assert Project.objects.get().title == "Red <doors>"
    again = {name: one.text for name, one in _by_path(refused).items()}
    assert (again["lease_s"], again["limit_per_worker"]) == ("90", "7")
    assert eve.post(SETTINGS, {**again, "seen": refused.context["seen"]}).status_code == 302
    project = Project.objects.get()
    assert (project.title, project.lease_s, project.limit_per_worker) == ("Blue doors", 90, 7), "saved knowingly"


def _by_path(page: Any) -> dict[str, Any]:
    drawn = [one for part in page.context["sections"] for one in part.fields]
    drawn += [one for row in page.context["gates"] for one in row]
    return {one.field.path: one for one in drawn if one.field.kind != "yes" or one.text}


def test_the_form_of_a_record_merges_too(dora: Client, eve: Client) -> None:
    make_agent("robot")
    page = "/staff/agents/robot/edit/"
    mine, hers = opened(dora, page), opened(eve, page)
    dora.post(page, {**mine, "name": "Robot 1"})
    eve.post(page, {**hers, "description": "It lifts."})
    agent = Agent.objects.get()
    assert (agent.name, agent.description) == ("Robot 1", "It lifts.")
    refused = eve.post(page, {**hers, "name": "Robot 2"})
    assert refused.status_code == 409
    assert "Meanwhile this became “Robot 1”" in refused.content.decode()
    assert Agent.objects.get().name == "Robot 1"


def test_the_form_of_a_route_merges_too(dora: Client, eve: Client) -> None:
    route = make_bare_route(make_parse_project("parsing"), "every")
    make_agent("robot")
    page = f"/staff/routes/{route.slug}/"
    form = {"outcome": "*", "project": "parsing", "percent": "100", "tree": ""}
    seen = re.search(r'name="seen" value="([^"]+)"', eve.get(page).content.decode())
    assert seen is not None
    form["seen"] = unescape(seen[1])
    dora.post(page, {**form, "percent": "50"})
    assert eve.post(page, {**form, "agents": "robot"}).status_code == 302
    now = Route.objects.get()
    assert (now.rate, [one.slug for one in now.agents.all()]) == (0.5, ["robot"])
    refused = eve.post(page, {**form, "percent": "20", "agents": "robot"})
    assert refused.status_code == 409
    assert "Meanwhile this became “50”" in refused.content.decode()
    assert refused.context["typed"].percent == "20"
    assert Route.objects.get().rate == 0.5


def test_an_answer_of_a_quiz_never_moves_to_another_question_because_one_was_taken_out(
    dora: Client, eve: Client
) -> None:
    """A row of a list is known by its number alone, and the rows after one that was taken out move up."""
    asks = [f"Is it {word}?" for word in ("red", "blue", "tall")]
    questions = [
        {"id": f"q{n}", "ask": ask, "kind": "single", "options": ["yes", "no"], "accept": ["yes"]}
        for n, ask in enumerate(asks)
    ]
    make_qualification("quiz", questions=questions)
    page = "/staff/qualifications/quiz/edit/"
    mine, hers = opened(dora, page), opened(eve, page)
    assert dora.post(page, {**mine, "questions/0/kind": ""}).status_code == 302
    refused = eve.post(page, {**hers, "questions/1/accept": "no"})
    assert refused.status_code == 409
    assert "Rows of this list have changed meanwhile" in refused.content.decode()
    assert [one["accept"] for one in Qualification.objects.get().questions] == [["yes"], ["yes"]]


def test_pages_that_another_added_beyond_the_rows_of_a_form_stay(dora: Client, eve: Client) -> None:
    make_qualification("quiz", pages=["One"])
    page = "/staff/qualifications/quiz/edit/"
    hers = opened(eve, page)
    for number, words in ((1, "Two"), (2, "Three")):
        assert dora.post(page, {**opened(dora, page), f"pages/{number}": words}).status_code == 302
    assert eve.post(page, {**hers, "title": "Another title"}).status_code == 302
    quiz = Qualification.objects.get()
    assert (quiz.title, quiz.pages) == ("Another title", ["One", "Two", "Three"])


def test_a_gate_that_was_typed_in_a_row_that_is_no_more_is_not_dropped(dora: Client, eve: Client) -> None:
    gates = [{"action": "warn", "below": 0.5, "minimum_n": 5}, {"action": "pause", "below": 0.4, "minimum_n": 5}]
    make_project("p", gates=gates)
    mine, hers = opened(dora, SETTINGS), opened(eve, SETTINGS)
    none = {"gates/0/action": "", "gates/1/action": "", "confirmed": "1"}
    assert dora.post(SETTINGS, {**mine, **none}).status_code == 302
    typed = {"gates/2/action": "warn", "gates/2/below": "70", "gates/2/minimum_n": "9", "confirmed": "1"}
    refused = eve.post(SETTINGS, {**hers, **typed})
    assert refused.status_code == 409
    assert 'value="70"' in refused.content.decode()


def is_locked(row: "QuerySet[Any]") -> bool:
    """True if no other connection can change this row now."""
    if connection.vendor == "sqlite":
        turn = lock_of(connection.settings_dict["NAME"])
        is_free = turn.acquire(timeout_s=0)
        if is_free:
            turn.release()
        return not is_free

    def free() -> int:
        with transaction.atomic():
            return len(row.select_for_update(skip_locked=True))

    return race(free) == [0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("address", "of", "slug", "compares"),
    [
        (SETTINGS, Project, "p", (project_form, "merged_form")),
        ("/staff/projects/p/setup/money/", Project, "p", (project_form, "merged_form")),
        ("/staff/agents/robot/edit/", Agent, "robot", (record_page, "merged_form")),
        ("/staff/qualifications/quiz/edit/", Qualification, "quiz", (record_page, "merged_form")),
        ("/staff/suites/s/edit/", Suite, "s", (record_page, "merged_form")),
        ("/staff/suites/s/scenarios/one/", Suite, "s", (record_page, "merged_form")),
        ("/staff/routes/every/", Route, "every", (routes, "merged")),
    ],
)
def test_nobody_else_saves_between_the_comparison_and_the_saving(
    address: str, of: Any, slug: str, compares: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(make_staff("eve", Role.ADMIN))
    make_project("p")
    make_agent("robot")
    make_qualification("quiz")
    make_scenario(make_suite("s"), "one")
    make_bare_route(make_parse_project("parsing"), "every")
    compare, locked = getattr(*compares), []

    def noting(*args: Any) -> Any:
        locked.append(is_locked(of.objects.filter(slug=slug)))
        return compare(*args)

    monkeypatch.setattr(*compares, noting)
    client.post(address, {})
    assert locked == [True]
