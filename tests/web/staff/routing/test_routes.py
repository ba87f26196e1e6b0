"""The pages of routes: which there are, what each made; making one, changing it, and what is refused."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from audit.models import AuditEvent
from routing.models import Route
from routing.routes import put_route
from tests.support.builders import make_agent, make_project
from tests.support.commands import default_tree, make_bare_route, make_repair, make_report, make_sending
from tests.support.pages import text_of, words_of
from tests.support.tool_workers import make_parse_project, make_voxels_project
from web.staff.routing import route_list
from web.staff.routing.routes import Made, made_by

pytestmark = pytest.mark.django_db
LIST, NEW = "/staff/routes/", "/staff/new-route/"
NO_ROUTE_FOR_ALL = "No route takes every command."


def at(route: Route) -> str:
    return f"/staff/routes/{route.slug}/"


@pytest.fixture
def parsing(db: None) -> Project:
    return make_parse_project("parsing", title="Parses")


@pytest.mark.parametrize(
    ("outcome", "rate", "is_warned"), [("nlu_error", 1.0, True), ("*", 0.0, True), ("*", 0.1, False)]
)
def test_a_missing_route_for_every_command_is_said_on_top(
    outcome: str, rate: float, is_warned: bool, parsing: Project, dora: Client
) -> None:
    make_bare_route(parsing, outcome=outcome, rate=rate)
    assert (NO_ROUTE_FOR_ALL in words_of(dora, LIST)) is is_warned


def test_a_route_stands_with_what_it_takes_and_where_it_leads(parsing: Project, dora: Client) -> None:
    route = make_bare_route(parsing, "some", outcome="nlu_error", rate=0.125, tree=default_tree().tree)
    route.agents.add(make_agent("robot"))
    route.sources.add(make_project("given", title="Given here"))
    words = words_of(dora, LIST)
    assert "some nlu_error the agent misunderstood the words of the tree default of robot given in Given here" in words
    assert "Parses parse 12.5 %" in words


def test_what_a_route_made_is_counted_by_kind(parsing: Project, dora: Client) -> None:
    route, idle = make_bare_route(parsing, "busy"), make_bare_route(parsing, "idle")
    given = make_project("given")
    task = make_repair(parsing)
    for _ in range(3):
        make_sending(make_report(given), parsing, route=route, task=task)
    make_sending(make_report(given), parsing, route=route)
    for why, n in (("not_drawn", 4), ("not_valid", 3), ("nothing_to_annotate", 2), ("refused", 1)):
        for _ in range(n):
            make_sending(make_report(given), parsing, route=route, why_not=why)
    make_sending(make_report(given), parsing, why_not="refused")  # a person's
    made = made_by([route, idle])
    assert made == {route.pk: Made(tasks=2, repeated=2, not_drawn=4, not_valid=3, nothing=2, refused=1)}
    words = words_of(dora, LIST)
    assert "100.0 % 14 2 2 4 not drawn 3 not valid 2 with nothing to mark 1 refused idle" in words
    assert "2 tasks of 14 commands" in words_of(dora, at(route))


def test_chosen_routes_are_stopped_at_once_and_the_list_is_narrowed(parsing: Project, dora: Client) -> None:
    one, two = make_bare_route(parsing, "one"), make_bare_route(parsing, "two", outcome="nlu_error", rate=0.0)
    said = dora.post(LIST, {"act": "stop", "row": [one.pk, two.pk]}, follow=True)
    assert "✓ 1 stopped" in text_of(said.content.decode())
    assert "1 were so already" in text_of(said.content.decode())
    assert set(Route.objects.values_list("rate", flat=True)) == {0.0}
    assert AuditEvent.objects.get(subject_kind="route").subject == "one"
    rows = dora.get(f"{LIST}?outcome=nlu_error&project=parsing&column=share&download=csv").getvalue().decode()
    assert rows.splitlines() == ["route,share", "two,0.0"]


def test_stopping_many_routes_keeps_what_others_change_meanwhile(
    parsing: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = make_bare_route(parsing, "one"), make_bare_route(parsing, "two")

    def put_while_another_edits(**asked: Any) -> Any:
        Route.objects.filter(pk=two.pk).update(outcome="nlu_error")
        return put_route(**asked)

    monkeypatch.setattr(route_list, "put_route", put_while_another_edits)
    dora.post(LIST, {"act": "stop", "row": [one.pk, two.pk]})
    assert set(Route.objects.values_list("slug", "outcome", "rate")) == {
        ("one", one.outcome, 0.0),
        ("two", "nlu_error", 0.0),
    }


# Making and changing --------------------------------------------------------------------------------------------


def body(**changes: Any) -> dict[str, Any]:
    return {"slug": "every", "outcome": "*", "project": "parsing", "percent": "100", "tree": "", **changes}


def test_a_route_is_made_and_recorded(parsing: Project, dora: Client) -> None:
    tree, agent, given = default_tree().tree, make_agent("robot"), make_project("given")
    sent = body(outcome="nlu_error", percent="12,5", tree="default", agents=["robot"], sources=["given"])
    answer = dora.post(NEW, sent, follow=True)
    assert "✓ The route every is made." in text_of(answer.content.decode())
    made = Route.objects.get()
    assert (made.slug, made.outcome, made.project, made.rate, made.tree) == ("every", "nlu_error", parsing, 0.125, tree)
    assert (list(made.agents.all()), list(made.sources.all())) == ([agent], [given])
    assert AuditEvent.objects.get(subject_kind="route").actor == "staff:dora"


def test_the_form_of_a_route_changes_nothing_when_it_is_sent_as_it_is(dora: Client) -> None:
    """The form offers all that the API takes: a rate with many places, a closed project, a source of any tool."""
    closed = make_voxels_project("objects", status=Project.Status.CLOSED)
    given = make_parse_project("given", status=Project.Status.CLOSED)
    tree = default_tree().tree
    route = make_bare_route(closed, "odd", outcome="vision_error", rate=0.07, tree=tree)
    route.agents.add(make_agent("robot"))
    route.sources.add(given)
    ctx = dora.get(at(route)).context
    typed = ctx["typed"]
    assert [one.slug for one in ctx["targets"]] == ["objects"]
    assert given in ctx["sources"]
    sent = {
        "outcome": typed.outcome,
        "project": typed.project,
        "percent": typed.percent,
        "tree": typed.tree,
        "agents": typed.agents,
        "sources": typed.sources,
    }
    assert typed.percent == "7"
    assert dora.post(at(route), sent).status_code == 302
    now = Route.objects.get()
    assert (now.outcome, now.project, now.rate, now.tree) == ("vision_error", closed, 0.07, tree)
    assert [one.slug for one in now.agents.all()] == ["robot"]
    assert list(now.sources.all()) == [given]
    assert not AuditEvent.objects.filter(subject_kind="route").exists()
    make_parse_project("parsing")
    assert dora.post(at(route), body(slug="another", percent="0")).status_code == 302
    now = Route.objects.get()
    assert (now.slug, now.rate) == ("odd", 0), "a route keeps its name"
    offered = [outcome for outcome, _ in dora.get(NEW).context["outcomes"]]
    assert ("vision_error" in offered, "ok" in offered) == (True, False)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"slug": ""}, "slug"),
        ({"slug": "Every Command"}, "slug"),
        ({"slug": "taken"}, "slug"),
        ({"outcome": ""}, "outcome"),
        ({"outcome": "ok"}, "outcome"),
        ({"outcome": "x" * 64}, "outcome"),
        ({"outcome": "melted", "tree": "default"}, "outcome"),
        ({"project": ""}, "project"),
        ({"project": "marking"}, "project"),
        ({"percent": "101"}, "percent"),
        ({"percent": "-1"}, "percent"),
        ({"percent": "nan"}, "percent"),
        ({"percent": "many"}, "percent"),
        ({"percent": ""}, "percent"),
        ({"tree": "no-such"}, "tree"),
        ({"agents": ["no-such"]}, "agents"),
        ({"sources": ["no-such", "nor-this"]}, "sources"),
        ({"agents": ["robot\0robot"]}, "agents"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_lost(
    wrong: dict[str, Any], field: str, parsing: Project, marking: Project, dora: Client
) -> None:
    default_tree()
    make_bare_route(parsing, "taken", outcome="vision_error")
    make_agent("robot")
    sent = body(**{"agents": ["robot"], **wrong})
    answer = dora.post(NEW, sent)
    assert answer.status_code == 422
    assert Route.objects.count() == 1
    ctx = answer.context
    assert list(ctx["errors"]) == [field]
    assert ctx["errors"][field] in answer.content.decode().replace("&#x27;", "'").replace("&quot;", '"')
    assert (ctx["typed"].slug, ctx["typed"].percent) == (sent["slug"], sent["percent"])
    assert list(ctx["typed"].agents) == [one.replace("\0", "") for one in sent["agents"]]
