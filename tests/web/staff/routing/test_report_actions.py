"""Acts of staff on error reports: one, or many at once; a refused act loses nothing."""

from typing import Any

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project
from audit.models import AuditEvent
from routing.models import ErrorReport
from tests.support.builders import client_of, make_project, make_staff
from tests.support.commands import judged, make_report, parse_project, report_of, sent, sessions_project
from tests.support.pages import compact, text_of
from web.staff.decorators import ROWS

pytestmark = pytest.mark.django_db
State = ErrorReport.State
MANY = "/staff/reports/act/"


@pytest.fixture
def report() -> ErrorReport:
    """A new report of a command that is there."""
    return report_of(judged("dig a hole"))


@pytest.fixture
def rita() -> Client:
    """A reviewer of the project in which the commands are given, and of none besides."""
    return client_of(make_staff("rita", Role.REVIEWER, sessions_project()))


def act(client: Client, report: ErrorReport, name: str, **body: str) -> Any:
    return client.post(f"/staff/reports/{report.public_id}/act/", {"act": name, **body})


def state_of(report: ErrorReport) -> str:
    return ErrorReport.objects.get(pk=report.pk).state


def test_a_report_is_dismissed_with_its_reason_and_taken_up_again(report: ErrorReport, rita: Client) -> None:
    answer = act(rita, report, "dismiss", reason=" pressed the wrong button ")
    assert (answer.status_code, answer["Location"]) == (302, f"/staff/reports/{report.public_id}/")
    found = ErrorReport.objects.get(pk=report.pk)
    assert (found.state, found.why_dismissed) == (State.DISMISSED, "pressed the wrong button")
    assert AuditEvent.objects.get(subject=report.public_id).actor == "staff:rita"
    again = act(rita, report, "dismiss", reason="another reason")
    assert again.status_code == 409
    assert "This report is dismissed already" in text_of(again.content.decode())
    page = text_of(rita.get(answer["Location"]).content.decode())
    assert "Take it up again" in page
    assert "Dismiss it" not in page
    assert act(rita, report, "reopen").status_code == 302
    assert state_of(report) == State.NEW


def test_a_report_is_sent_to_a_project(report: ErrorReport, dora: Client) -> None:
    parsing = parse_project("parsing")
    assert act(dora, report, "reroute", project="parsing").status_code == 302
    (row,) = sent(report.command)
    assert (row.to, row.route, row.task is not None) == (parsing, None, True)
    assert state_of(report) == State.ROUTED


@pytest.mark.parametrize("field", ["into", "into_id"])
def test_a_report_is_merged_into_another(field: str, report: ErrorReport, rita: Client) -> None:
    other = report_of(judged("Dig a hole."))
    assert act(rita, report, "merge", **{field: other.public_id}).status_code == 302
    found = ErrorReport.objects.get(pk=report.pk)
    assert (found.state, found.merged_into) == (State.DISMISSED, other)


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("dismiss", {"reason": "  "}, "Say in a few words why"),
        ("dismiss", {"reason": "x" * 2001}, "Use 2000 characters at most."),
        ("dismiss", {}, "Say in a few words why"),
        ("reroute", {"project": "no-such"}, "Choose the project that is to repair it."),
        ("reroute", {"project": "sessions"}, "Choose the project that is to repair it."),
        ("reroute", {"project": "not-mine"}, "Choose the project that is to repair it."),
        ("reroute", {}, "Choose the project that is to repair it."),
        ("merge", {}, "Choose the report that is to be kept, or give its id."),
        ("merge", {"into_id": "no-such"}, "There is no report with this id in your projects."),
        ("merge", {"into_id": "\0"}, "There is no report with this id in your projects."),
        ("merge", {"into": "FOREIGN"}, "There is no report with this id in your projects."),
        ("merge", {"into": "ITSELF"}, "A report cannot be merged into itself."),
        ("explode", {}, "Choose what is to be done."),
        ("", {}, "Choose what is to be done."),
    ],
)
def test_what_cannot_be_done_is_said_beside_the_form(
    name: str, body: dict[str, str], said: str, report: ErrorReport, rita: Client
) -> None:
    parse_project("not-mine")
    foreign = make_report(make_project("foreign"))
    names = {"FOREIGN": foreign.public_id, "ITSELF": report.public_id}
    answer = act(rita, report, name, **{field: names.get(value, value) for field, value in body.items()})
    assert answer.status_code in {409, 422}
    page = text_of(answer.content.decode())
    assert f"Nothing was changed. {said}" in page
    assert state_of(report) == State.NEW
    assert not AuditEvent.objects.filter(subject_kind="error_report").exists()


def test_what_was_typed_stands_in_the_form_again(report: ErrorReport, rita: Client) -> None:
    page = compact(act(rita, report, "merge", into_id="no-such").content.decode())
    assert 'value="no-such" required aria-invalid="true" aria-describedby="merge-error"' in page
    page = act(rita, report, "dismiss", reason="y" * 2001).content.decode()
    assert f'value="{"y" * 2001}"' in page


# The chosen ones ------------------------------------------------------------------------------------------------


def many(client: Client, reports: list[ErrorReport], name: str, *, query: str = "", **body: str) -> Any:
    return client.post(f"{MANY}{query}", {"act": name, "report": [one.public_id for one in reports], **body})


def test_the_chosen_ones_are_dismissed_and_the_list_stays_as_it_was(rita: Client) -> None:
    chosen = [report_of(judged(f"dig {number} holes")) for number in (1, 2)]
    other = report_of(judged("dance"))
    answer = many(rita, chosen, "dismiss", query="?state=new&q=dig", reason="a slip")
    assert (answer.status_code, answer["Location"]) == (302, "/staff/reports/?state=new&q=dig")
    assert [state_of(one) for one in chosen] == [State.DISMISSED] * 2
    assert state_of(other) == State.NEW
    assert "✓ 2 reports dismissed." in text_of(rita.get(answer["Location"]).content.decode())


def test_the_chosen_ones_are_sent_and_one_that_refuses_stops_no_other(dora: Client) -> None:
    parsing = parse_project("parsing")
    chosen = [report_of(judged(text)) for text in ("dig a hole", "dance", "build it")]
    act(dora, chosen[1], "dismiss", reason="a slip")
    answer = many(dora, chosen, "reroute", project="parsing")
    page = text_of(dora.get(answer["Location"]).content.decode())
    assert "✓ 2 reports sent." in page
    assert "“dance” was left as it is: This report is dismissed." in page
    assert [state_of(one) for one in chosen] == [State.ROUTED, State.DISMISSED, State.ROUTED]
    assert parsing.tasks.count() == 2


def test_many_refusals_are_not_told_one_by_one(dora: Client) -> None:
    chosen = [report_of(judged(f"dig {number} holes")) for number in range(7)]
    many(dora, chosen, "dismiss", reason="a slip")
    answer = many(dora, chosen, "dismiss", reason="another")
    page = text_of(dora.get(answer["Location"]).content.decode())
    assert page.count("was left as it is") == 5
    assert "2 more were left as they are." in page


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("dismiss", {}, "Say in a few words why"),
        ("reroute", {}, "Choose the project that is to repair it."),
        ("merge", {"into": "x"}, "Choose what is to be done."),
        ("", {}, "Choose what is to be done."),
    ],
)
def test_what_is_wrong_with_the_form_loses_no_choice(
    name: str, body: dict[str, str], said: str, report: ErrorReport, rita: Client
) -> None:
    report_of(judged("dance"))
    answer = many(rita, [report], name, query="?q=hole", **body)
    assert answer.status_code == 422
    page = compact(answer.content.decode())
    assert f"Nothing was done. {said}" in text_of(page)
    assert f'value="{report.public_id}" aria-label="Choose “dig a hole”" checked' in page
    assert "dance" not in page
    assert state_of(report) == State.NEW


def test_none_no_name_and_more_than_stand_on_a_page_are_refused(report: ErrorReport, rita: Client) -> None:
    answer = many(rita, [], "dismiss", reason="kept as it was")
    assert "Nothing was done. Choose at least one report." in text_of(answer.content.decode())
    assert 'value="kept as it was"' in answer.content.decode()
    assert rita.post(MANY, {"act": "dismiss", "reason": "a slip", "report": "no\0such"}).status_code == 404
    names = [f"report-{number}" for number in range(ROWS + 1)]
    answer = rita.post(MANY, {"act": "dismiss", "reason": "a slip", "report": names})
    assert f"Choose {ROWS} reports at most." in text_of(answer.content.decode())


def test_one_of_another_project_among_the_chosen_stops_all(report: ErrorReport) -> None:
    other = make_report(make_project("elsewhere"))
    rita = make_staff("rita", Role.REVIEWER, sessions_project())
    assert many(client_of(rita), [report, other], "dismiss", reason="a slip").status_code == 404
    make_staff("rita", Role.VIEWER, Project.objects.get(slug="elsewhere"))
    assert many(client_of(rita), [report, other], "dismiss", reason="a slip").status_code == 403
    assert state_of(report) == State.NEW
