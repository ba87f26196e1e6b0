"""The list of error reports: what it shows to whom, what it finds, what it costs; the file of it."""

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project
from routing.models import ErrorReport
from tests.support.builders import client_of, make_agent, make_project, make_staff
from tests.support.commands import default_tree, make_report, make_sending
from tests.support.pages import compact, words_of
from tests.support.tool_workers import make_parse_project
from web.staff.decorators import ROWS
from web.staff.grid import listing
from web.staff.routing import report_list

pytestmark = pytest.mark.django_db
LIST = "/staff/reports/"
FILE = "/staff/reports/reports.csv"


def lines_of(client: Client, address: str) -> list[dict[str, str]]:
    content = client.get(address).getvalue().decode()
    return list(csv.DictReader(io.StringIO(content)))


def test_a_report_stands_with_its_outcome_in_words_its_phrases_and_its_task(dora: Client) -> None:
    parsing = make_parse_project("parsing", title="Parses")
    found = [{"phrase": "the red tower", "voxels": [[1, 1, 1]]}, {"phrase": "it", "voxels": []}]
    report = make_report(make_project("given"), text="break the red tower", objects_found=found, tree=default_tree())
    task = make_sending(report, parsing).task
    assert task is not None
    page = dora.get(LIST).content.decode()
    words = words_of(dora, LIST)
    assert "break the red tower" in words
    assert "nlu_error the agent misunderstood the words" in words
    assert "about “the red tower” , “it”" in words
    assert "new Parses robot default, 1" in words
    assert f'href="/staff/review/tasks/{task.pk}/"' in page
    assert f'href="{LIST}{report.public_id}/"' in page


def test_reports_and_tasks_of_other_projects_are_not_told(dora: Client) -> None:
    mine, other = make_project("mine"), make_project("other")
    make_sending(make_report(mine, text="dig a hole"), make_parse_project("parsing", title="Secret parses"))
    make_report(other, text="fly to the moon")
    victor = client_of(make_staff("victor", Role.VIEWER, mine))
    assert "fly to the moon" in words_of(dora, LIST)
    assert "fly to the moon" not in words_of(victor, LIST)
    assert "1 report" in words_of(victor, LIST)
    (line,) = lines_of(victor, FILE)
    assert (line["text"], line["sent_to"], line["task"]) == ("dig a hole", "", "")
    assert ("Secret parses" in words_of(dora, LIST), "Secret parses" in words_of(victor, LIST)) == (True, False)
    assert "another project" in words_of(victor, LIST)


@pytest.fixture
def six(db: None) -> Project:
    """Reports that differ in one thing each from the first, `dig a hole`."""
    given = make_project("given")
    make_report(given)
    make_report(given, text="vision", outcome="vision_error")
    make_report(given, text="routed", state="routed")
    make_report(given, text="other agent", agent=make_agent("android"))
    make_report(given, text="tree", tree=default_tree())
    make_report(make_project("elsewhere"), text="elsewhere")
    return given


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=routed", ["routed"]),
        ("outcome=vision_error", ["vision"]),
        ("agent=android", ["other agent"]),
        ("tree=default", ["tree"]),
        ("project=elsewhere", ["elsewhere"]),
        ("q=A+HOLE", ["dig a hole"]),
        ("state=routed&q=hole", []),
        ("outcome=no_such", []),
        ("q=%00", ["elsewhere", "tree", "other agent", "routed", "vision", "dig a hole"]),
        ("state=no_such", ["elsewhere", "tree", "other agent", "routed", "vision", "dig a hole"]),
        ("after=nonsense", ["elsewhere", "tree", "other agent", "routed", "vision", "dig a hole"]),
    ],
)
def test_filters_narrow_the_page_and_the_file(query: str, found: list[str], six: Project, dora: Client) -> None:
    assert [line["text"] for line in lines_of(dora, f"{FILE}?{query}")] == found
    words = words_of(dora, f"{LIST}?{query}")
    assert (f"{len(found)} report{'' if len(found) == 1 else 's'}" in words) is bool(found)
    for text in ("dig a hole", "other agent"):
        assert (text in words) is (text in found)


def test_a_report_is_found_by_ids_and_states_are_counted_whichever_is_chosen(six: Project, dora: Client) -> None:
    report = ErrorReport.objects.get(command__text="routed")
    for name in (report.public_id, report.command.public_id):
        assert [line["text"] for line in lines_of(dora, f"{FILE}?q={name}")] == ["routed"]
    for query in ("", "?state=routed"):
        assert "5 new: no task asks about it 1 routed: a task" in words_of(dora, LIST + query)
    assert "1 new: no task asks about it 0 routed: a task" in words_of(dora, f"{LIST}?outcome=vision_error")


def test_pages_follow_one_another_last_first(dora: Client) -> None:
    given = make_project("given")
    made = [make_report(given, text=f"command number {number}.") for number in range(ROWS + 3)]
    first = dora.get(LIST)
    assert [one.row.report for one in first.context["grid"].rows] == made[:2:-1]
    second = dora.get(LIST, {"after": first.context["grid"].following})
    assert [one.row.report for one in second.context["grid"].rows] == made[2::-1]
    assert second.context["grid"].total == str(ROWS + 3)


def test_counting_stops_somewhere_and_says_so(dora: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    given = make_project("given")
    for _ in range(4):
        make_report(given)
    assert "4 reports" in words_of(dora, LIST)
    monkeypatch.setattr(report_list, "MOST_COUNTED", 3)
    assert "3 new: no task asks about it" in words_of(dora, LIST)
    monkeypatch.setattr(listing, "MOST_COUNTED", 3)
    assert "more than 3 reports" in words_of(dora, LIST)


def test_a_file_says_what_became_of_each_and_starts_no_formula(dora: Client) -> None:
    given, parsing = make_project("given"), make_parse_project("parsing")
    kept = make_report(given, text="=1+1", feedback="it dug there", tree=default_tree())
    task = make_sending(kept, parsing).task
    assert task is not None
    make_report(given, text="dig", state="dismissed", why_dismissed="merged", merged_into=kept)
    merged, first = lines_of(dora, FILE)
    assert first["text"] == "'=1+1"
    assert (first["outcome"], first["state"], first["feedback"]) == ("nlu_error", "new", "it dug there")
    assert (first["tree"], first["tree_version"], first["understood"]) == ("default", "1", "Dig.")
    assert (first["sent_to"], first["task"]) == ("parsing", task.key)
    assert (merged["merged_into"], merged["why_dismissed"], merged["task"]) == (kept.public_id, "merged", "")


@pytest.mark.parametrize(("role", "is_offered"), [(Role.VIEWER, False), (Role.REVIEWER, True)])
def test_only_reviewers_are_offered_to_choose(role: Role, is_offered: bool) -> None:
    mine, other = make_project("mine"), make_project("other")
    report, foreign = make_report(mine), make_report(other)
    someone = make_staff("someone", role, mine)
    User.objects.get(pk=someone.pk)
    make_staff("someone", Role.VIEWER, other)
    page = compact(client_of(someone).get(LIST).content.decode())
    assert (f'name="report" value="{report.public_id}"' in page) is is_offered
    assert f'name="report" value="{foreign.public_id}"' not in page
    assert ("With the chosen ones" in page) is is_offered
