"""One error report: what its page tells, of what, and to whom."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.access.roles import Role, pseudonym_of
from annotation.models import Project
from audit.log import Subject, record
from lib.trees.engine import Turn
from routing.models import ErrorReport
from tests.support.builders import NOON, client_of, make_project, make_staff
from tests.support.commands import default_tree, kept_scene, make_bare_route, make_report, make_sending
from tests.support.pages import words_of
from tests.support.tool_workers import make_parse_project

pytestmark = pytest.mark.django_db
NO, NOT_UNDERSTOOD = 1, 1


def address(report: ErrorReport) -> str:
    return f"/staff/reports/{report.public_id}/"


def picture(report: ErrorReport) -> str:
    return f"{address(report)}picture.svg"


@pytest.fixture
def given(db: None) -> Project:
    return make_project("given", title="Given here")


def test_a_report_tells_all_that_was_kept_of_the_command(given: Project, dora: Client) -> None:
    report = make_report(
        given,
        text="dig a hole",
        status="failed",
        why_failed="timeout",
        form_version="2.3.1",
        feedback="it went into the lake",
    )
    words = words_of(dora, address(report))
    assert "“dig a hole” new nlu_error the agent misunderstood the words" in words
    assert f"Its id there {report.command.public_id}" in words
    assert "Version of agent robot Version of parser 2.3.1" in words
    assert "Ended failed, timeout" in words
    assert "What the agent understood Dig." in words
    assert '"action_type": "DIG"' in words
    assert "“it went into the lake”" in words
    answer = dora.get(address(report))
    session = report.command.live.session
    assert f'<a href="/staff/sessions/{session.public_id}/">' in answer.content.decode()
    assert "/staff/sessions/s" not in dora.get(address(make_report(given))).content.decode(), "it was posted"


def test_the_way_through_the_tree_stands_in_its_own_words(given: Project, dora: Client) -> None:
    tree = default_tree()
    asked = tree.read().nodes
    after = asked["done"].choices[NO].next
    assert after is not None
    path = [Turn(node="done", choice=NO), Turn(node=after, choice=NOT_UNDERSTOOD)]
    words = words_of(dora, address(make_report(given, tree=tree, path=path)))
    for turn in path:
        node = asked[turn["node"]]
        assert f"{node.ask} {node.choices[turn['choice']].label}" in words
    assert "Asked by the tree default, version 1" in words


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ([{"node": "no_such", "choice": 2}], "no_such choice 2"),
        ([{"node": "done", "choice": 99}], "choice 99"),
        ([{"node": "done", "choice": True}], "choice True"),
        ([{}], "choice None"),
        ([], "No answers to questions are kept with it."),
    ],
)
def test_a_path_that_the_tree_does_not_have_is_told_as_it_is(
    path: list[dict[str, object]], said: str, given: Project, dora: Client
) -> None:
    assert said in words_of(dora, address(make_report(given, tree=default_tree(), path=path)))


def test_a_report_without_anything_says_what_is_missing(given: Project, dora: Client) -> None:
    report = make_report(given, worker=None, agent=None, form=None, outcome="own_error")
    words = words_of(dora, address(report))
    assert "Worker not known Agent not known Ended not known" in words
    assert "What the agent understood The assistant did not say what it understood." in words
    assert "The agent did not tell which objects" in words
    assert "No picture of the world is kept with it." in words
    assert dora.get(picture(report)).status_code == 404


def test_the_scene_shows_what_the_agent_took_each_phrase_for(given: Project, dora: Client) -> None:
    found = [
        {"phrase": "the tower", "voxels": [[1, 1, 1], [1, 2, 1], [99, 0, 0]]},
        {"phrase": "the lake", "voxels": []},
    ]
    report = make_report(given, scene=kept_scene(), objects_found=found)
    answer = dora.get(address(report))
    words = words_of(dora, address(report))
    assert "the tower 3 the lake it found nothing" in words
    assert "1 voxel outside of the scene is not drawn" in words
    shown = answer.context["picture"]
    assert [(layer["name"], layer["count"]) for layer in shown["layers"]] == [("“the tower”", 2)]
    assert shown["scene"]["size"] == [6, 5, 6]
    svg = dora.get(picture(report))
    assert svg["Content-Type"].startswith("image/svg+xml")
    assert 'fill="url(#hatch)"' in svg.content.decode()
    bare = make_report(given, scene=kept_scene(), text="<script>", objects_found=[])
    drawn = dora.get(picture(bare)).content.decode()
    assert "url(#hatch)" not in drawn
    assert "The scene of “&lt;script&gt;”" in drawn


def test_where_it_was_sent_is_told_with_the_reason_why_not(given: Project, dora: Client) -> None:
    parsing, drawn_out = make_parse_project("parsing", title="Parses"), make_parse_project("drawn-out")
    report = make_report(given)
    task = make_sending(report, parsing, route=make_bare_route(parsing, "every")).task
    assert task is not None
    for number, (why, detail) in enumerate(
        [("not_drawn", ""), ("not_valid", "unsafe"), ("not_valid", "capability_error"), ("refused", "Too long.")]
    ):
        make_sending(report, drawn_out, why_not=why, detail=detail, phrase=f"phrase {number}")
    words = words_of(dora, address(report))
    assert f"Parses the route every – {task.key} open" in words
    assert "a person phrase 0 no task Not drawn: the route takes a share of the commands." in words
    assert "no task It speaks of violence against people, or insults them." in words
    assert "no task The agent cannot do such things, so it is no valid command for it." in words
    assert "no task The project did not take it. Too long." in words


def test_what_was_sent_to_other_projects_names_none_of_them(given: Project) -> None:
    hidden = make_parse_project("hidden", title="Hidden parses")
    report = make_report(given)
    task = make_sending(report, hidden, route=make_bare_route(hidden, "every")).task
    assert task is not None
    victor = client_of(make_staff("victor", Role.VIEWER, given))
    page = victor.get(address(report)).content.decode()
    assert report.command.worker is not None
    assert pseudonym_of(report.command.worker) in page
    assert f"/staff/workers/{report.command.worker.pk}/" not in page, "the account may not open it"
    assert "another project" in page
    assert "Hidden parses" not in page
    assert task.key not in page
    assert "/staff/routes/every/" not in page


def test_merged_ones_stand_with_it_and_it_with_them(given: Project, dora: Client) -> None:
    kept = make_report(given, text="dig here")
    merged = make_report(
        make_project("elsewhere"), text="dig there", state="dismissed", why_dismissed="the same", merged_into=kept
    )
    assert "Merged into this one “dig there” nlu_error, elsewhere" in words_of(dora, address(kept))
    assert "Merged into “dig here”" in words_of(dora, address(merged))
    victor = client_of(make_staff("victor", Role.VIEWER, given))
    assert "dig there" not in words_of(victor, address(kept))
    vera = client_of(make_staff("vera", Role.VIEWER, merged.project))
    assert "Merged into a report of another project" in words_of(vera, address(merged))


def test_what_was_done_is_read_from_the_audit_log(given: Project, dora: Client) -> None:
    report, other = make_report(given), make_report(given)
    for one, reason in ((report, "a slip"), (other, "of the other")):
        subject = Subject("error_report", one.public_id)
        record(verb="error_report.dismissed", actor="staff:rita", subject=subject, at=NOON, reason=reason)
    words = words_of(dora, address(report))
    assert "error_report.dismissed staff:rita a slip" in words
    assert "of the other" not in words


def test_reports_that_say_the_same_are_offered_to_merge_into(given: Project, dora: Client) -> None:
    report = make_report(given, text="Dig a hole!")
    same = make_report(given, text="dig a hole")
    make_report(given, text="dig a hole there")
    make_report(given, text="dig a hole", state="dismissed", why_dismissed="a slip")
    foreign = make_report(make_project("foreign"), text="dig a hole")
    assert dora.get(address(report)).context["alike"] == [foreign, same]
    rita = make_staff("rita", Role.REVIEWER, given)
    make_staff("rita", Role.VIEWER, foreign.project)
    assert client_of(User.objects.get(pk=rita.pk)).get(address(report)).context["alike"] == [same]
    parsing = make_parse_project("parsing")
    make_parse_project("closed", status=Project.Status.CLOSED)
    assert dora.get(address(report)).context["targets"] == [parsing], "a project that repairs nothing is no place"
