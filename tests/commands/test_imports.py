"""Past commands: posted all or nothing, kept as they are, and given back with all others."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Project
from commands.models import Command, CorpusCommand
from jobs import outbox
from jobs.models import Job
from routing.models import ErrorReport, Sending
from routing.routes import put_route
from tests.conftest import api_client
from tests.support.builders import NOON, make_agent, make_project, make_worker
from tests.support.calls import lines
from tests.support.commands import BUILD, DIG, NOOP, kept, make_past, past, pointers, post
from tests.support.sessions import both, judged, make_live_project
from workforce.models import Worker

LINES = "/api/v1/commands.jsonl"
WHOLE: dict[str, Any] = {
    "parse": BUILD,
    "outcome": "nlu_error",
    "form": DIG,
    "worker": "prolific:5f2",
    "agent": "droid",
    "at": "2022-03-04T02:55:42Z",
}


@pytest.fixture
def project(db: None) -> Project:
    make_agent("droid")
    return make_past()


def test_a_command_is_kept_as_it_was_posted(pipe: APIClient, project: Project) -> None:
    assert post(pipe, past(text="Build a House!", **WHOLE)) == {"created": 1, "unchanged": 0}
    (command,) = kept()
    assert (command.public_id, command.project, command.assignment) == ("c-1", project, None)
    assert (command.text, command.plain_text, command.fault) == ("Build a House!", "build a house", "")
    assert (command.form, command.truth, command.is_misread, command.outcome) == (BUILD, DIG, True, "nlu_error")
    assert command.means_other
    assert command.at == datetime(2022, 3, 4, 2, 55, 42, tzinfo=UTC)
    assert command.worker is not None
    assert command.agent is not None
    assert (command.worker.identity, command.agent.slug) == ("prolific:5f2", "droid")


def test_only_name_project_and_words_are_needed_and_null_equals_left_out(pipe: APIClient, project: Project) -> None:
    before = timezone.now()
    post(pipe, past())
    nothing: dict[str, Any] = dict.fromkeys(["parse", "outcome", "form", "worker", "agent", "at"])
    assert post(pipe, past(**nothing)) == {"created": 0, "unchanged": 1}
    (command,) = kept()
    assert (command.worker, command.agent, command.form, command.truth, command.is_misread) == (None,) * 5
    assert (command.outcome, hasattr(command, "live")) == ("", False)
    assert before <= command.at <= timezone.now()


@pytest.mark.parametrize("value", [{}, [], [1, "a", None], 0, 1.5, "", "build", True, False, {"b": {"a": [None]}}])
def test_parse_and_form_are_any_json(value: Any, pipe: APIClient, project: Project) -> None:
    post(pipe, past(parse=value, form=value), past("c-2", parse=[value], form=value))
    same, other = kept()
    assert (same.form, same.truth, same.is_misread) == (value, value, False)
    assert type(same.form) is type(value)
    assert other.is_misread


@pytest.mark.parametrize(
    ("parse", "form", "differ"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ([1, 2], [2, 1], True),
        (1, 1.0, False),
        ({"n": [1e2]}, {"n": [100]}, False),
        (True, 1, True),
        (False, 0, True),
        ("1", 1, True),
        ("a", "A", True),
        ({}, [], True),
        ({"a": None}, {}, True),
        (None, {}, True),
    ],
)
def test_parse_and_form_differ_as_json_does(
    parse: Any, form: Any, differ: bool, pipe: APIClient, project: Project
) -> None:
    post(pipe, past(parse=parse, form=form))
    assert kept()[0].is_misread is differ


# Posting again -----------------------------------------------------------------------------------------------------


def test_equal_content_changes_nothing(pipe: APIClient, project: Project) -> None:
    post(pipe, past(**WHOLE))
    again = past(**WHOLE | {"at": "2022-03-04T03:55:42+01:00", "parse": dict(reversed(BUILD.items()))})
    assert post(pipe, again, past("c-2")) == {"created": 1, "unchanged": 1}
    assert [command.public_id for command in kept()] == ["c-1", "c-2"]


@pytest.mark.parametrize(
    "other",
    [
        {"text": "build a hut"},
        {"parse": NOOP},
        {"form": BUILD},
        {"outcome": "ok"},
        {"worker": "prolific:5f3"},
        {"agent": "other"},
        {"at": "2022-03-04T02:55:43Z"},
        {"outcome": None},
    ],
)
def test_other_content_under_a_known_name_is_a_conflict(
    other: dict[str, Any], pipe: APIClient, project: Project
) -> None:
    make_agent("other")
    post(pipe, past(**WHOLE))
    problem = post(pipe, past("c-0"), past(**WHOLE | other), past("c-2"), status=409)
    assert problem["code"] == "conflict"
    assert pointers(problem) == ["#/commands/1/command"]
    assert [command.public_id for command in kept()] == ["c-1"]
    assert not Worker.objects.filter(external_id="5f3").exists()


def test_a_command_of_a_session_cannot_be_posted(pipe: APIClient, db: None) -> None:
    worker, agent = both(make_live_project("living"))
    judged(worker, agent)
    command = worker.command()
    body = past(command.public_id, command.text) | {"project": "living"}
    assert pointers(post(pipe, body, status=409)) == ["#/commands/0/command"]


# Refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"project": "nowhere"}, "project"),
        ({"project": "marking"}, "project"),
        ({"agent": "nobody"}, "agent"),
        ({"command": "c-0"}, "command"),
        ({"command": "a b"}, "command"),
        ({"command": "x" * 129}, "command"),
        ({"text": ""}, "text"),
        ({"text": None}, "text"),
        ({"text": "x" * 501}, "text"),
        ({"text": "nul \0"}, "text"),
        ({"outcome": "NLU error"}, "outcome"),
        ({"outcome": ""}, "outcome"),
        ({"worker": "Prolific:5f2"}, "worker"),
        ({"worker": ":5f2"}, "worker"),
        ({"worker": "prolific:a b"}, "worker"),
        ({"worker": "prolific:" + "x" * 129}, "worker"),
        ({"at": "yesterday"}, "at"),
        ({"at": "2022-03-04"}, "at"),
        ({"at": "2022-03-04T02:55:42"}, "at"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "at"),
        ({"at": 1646362542}, "at"),
        ({"gold": {}}, "gold"),
    ],
)
def test_a_wrong_field_is_pointed_at_and_nothing_is_made(
    wrong: dict[str, Any], pointer: str, pipe: APIClient, project: Project
) -> None:
    make_project("marking")
    problem = post(pipe, past("c-0"), past() | wrong, status=422)
    assert problem["code"] == ("unknown_field" if pointer == "gold" else "invalid")
    assert pointers(problem) == [f"#/commands/1/{pointer}"]
    assert kept() == []


def test_every_unknown_name_is_reported_at_once(pipe: APIClient, project: Project) -> None:
    problem = post(pipe, past(project="no"), past("c-2"), past("c-3") | {"project": "not"}, status=422)
    assert pointers(problem) == ["#/commands/0/project", "#/commands/2/project"]


def test_a_thousand_are_taken_at_once_and_no_more(pipe: APIClient, project: Project) -> None:
    assert post(pipe) == {"created": 0, "unchanged": 0}
    many = [past(f"c-{number}") for number in range(1001)]
    assert pointers(post(pipe, *many, status=422)) == ["#/commands"]
    assert post(pipe, *many[1:])["created"] == 1000


# Consequences -----------------------------------------------------------------------------------------------------


def test_workers_are_made_once(pipe: APIClient, project: Project) -> None:
    known = make_worker("alice")
    named = ["alice", "direct:alice", "prolific:alice", "panel:a:b"]
    post(pipe, *(past(f"c-{number}", worker=name) for number, name in enumerate(named)))
    assert [command.worker for command in kept()][:2] == [known, known]
    assert sorted(worker.identity for worker in Worker.objects.all()) == ["direct:alice", "panel:a:b", "prolific:alice"]


def test_valid_commands_enter_the_corpus_of_their_project_each_once(pipe: APIClient, project: Project) -> None:
    bodies = [past("c-1", "dig a hole"), past("c-2", "dig a hole", form=DIG), past("c-3", "?!")]
    post(pipe, *bodies)
    post(pipe, *bodies)
    Project.objects.update(settings={"stoplight": {"preset": "default", "corpus": "shared"}})
    post(pipe, past("c-4"))
    rows = CorpusCommand.objects.order_by("pk").values_list("corpus__slug", "text", "command__public_id")
    assert list(rows) == [
        ("past", "dig a hole", "c-1"),
        ("past", "dig a hole", "c-2"),
        ("shared", "build a house", "c-4"),
    ]


def test_a_command_that_went_wrong_is_reported_once_and_routed(pipe: APIClient, project: Project) -> None:
    bodies = [past("c-1"), past("c-2", **WHOLE), past("c-3", outcome="ok"), past("c-4", outcome="task_error")]
    post(pipe, *bodies)
    post(pipe, *bodies)
    rows = ErrorReport.objects.order_by("pk").values_list("command__public_id", "outcome", "state", "project")
    assert list(rows) == [("c-2", "nlu_error", "annotated", project.pk), ("c-4", "task_error", "new", project.pk)]
    jobs = Job.objects.filter(kind="routing.route").values_list("subject", flat=True)
    assert sorted(jobs) == [f"{project.pk}:c-2", f"{project.pk}:c-4"]
    routed(project)
    post(pipe, past("c-5"), past("c-6", outcome="ok"))
    assert Job.objects.filter(kind="routing.route").count() == 4


def routed(project: Project) -> None:
    """Every valid command of the project goes to annotation from now on."""
    make_project("parses", tool="parse")
    put_route(slug="all", body={"outcome": "*", "project": "parses", "rate": 1.0}, by="key:pipe", at=NOON)


def test_a_command_without_an_outcome_is_annotated_unless_its_form_is_known(pipe: APIClient, project: Project) -> None:
    routed(project)
    post(pipe, past(parse=BUILD), past("c-2", parse=BUILD, form=DIG))
    for pk in Job.objects.filter(kind="routing.route").values_list("pk", flat=True):
        outbox.run(pk)
    first, second = Sending.objects.order_by("command")
    assert first.task is not None
    assert first.task.payload["text"] == "build a house"
    assert (second.task, second.why_not) == (None, Sending.Why.NOTHING_TO_ANNOTATE)


def test_posting_costs_the_same_for_2_commands_and_200(
    pipe: APIClient, project: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number, rows in enumerate([2, 200]):
        # Not for each row; but the database takes so many values at a time.
        with django_assert_max_num_queries(40):
            post(pipe, *(past(f"c-{number}-{row}", **WHOLE | {"worker": f"p:{row}"}) for row in range(rows)))
    assert ErrorReport.objects.count() == 202


# Back out ----------------------------------------------------------------------------------------------------------


def names(client: APIClient, query: str = "") -> list[str]:
    return [line["command"] for line in lines(client.get(f"{LINES}{query}"))]


def test_a_posted_command_comes_back(pipe: APIClient, project: Project) -> None:
    post(pipe, past(**WHOLE), past("c-2", at="2022-03-05T00:00:00Z"))
    first, second = lines(pipe.get(LINES))
    assert first == {
        "command": "c-1",
        "session": None,
        "worker": "prolific:5f2",
        "agent": "droid",
        "text": "build a house",
        "parse": BUILD,
        "model": None,
        "shadow": None,
        "status": None,
        "outcome": "nlu_error",
        "path": [],
        "feedback": "",
        "scores": None,
        "at": "2022-03-04T02:55:42+00:00",
        "dropped": False,
    }
    assert [second[name] for name in ("worker", "agent", "parse", "outcome")] == [None] * 4


def test_a_command_of_a_session_comes_with_how_it_was_judged(pipe: APIClient, db: None) -> None:
    worker, agent = both(make_live_project("living"))
    judged(worker, agent, text="dance")
    worker.send("command", id="c2", text="dig")
    first, second = lines(pipe.get(LINES))
    assert first["command"] == Command.objects.earliest("pk").public_id
    assert (first["session"], first["agent"]) == (worker.session.public_id, "agent-of-living")
    assert (first["status"], first["outcome"], first["path"]) == ("done", "ok", [{"node": "done", "choice": 0}])
    assert (second["text"], second["status"], second["outcome"], second["path"]) == ("dig", "sent", None, [])


def test_workers_are_named_only_to_a_key_with_the_scope(pipe: APIClient, project: Project) -> None:
    post(pipe, past(**WHOLE))
    reader = api_client(create_key(name="reader", scopes=[ApiKey.Scope.READ], at=timezone.now()))
    assert lines(reader.get(LINES))[0]["worker"] == Worker.objects.get().pseudonym


def test_commands_posted_together_come_oldest_first(pipe: APIClient, project: Project) -> None:
    days = {"late": "2022-03-09", "early": "2022-03-01", "middle": "2022-03-05"}
    post(pipe, *(past(name, at=f"{day}T00:00:00Z") for name, day in days.items()))
    assert names(pipe) == ["early", "middle", "late"]


def test_it_goes_on_after_a_command_with_all_that_came_later(pipe: APIClient, project: Project) -> None:
    post(pipe, past("c-1"), past("c-2"))
    post(pipe, past("older", at="2001-01-01T00:00:00Z"))
    assert names(pipe, "?since=c-1") == ["c-2", "older"]
    assert names(pipe, "?since=older") == []


def test_it_can_be_narrowed_to_a_project(pipe: APIClient, project: Project) -> None:
    make_past("other")
    bodies = [past("c-1"), past("c-2") | {"project": "other"}, past("both"), past("both") | {"project": "other"}]
    assert post(pipe, *bodies) == {"created": 4, "unchanged": 0}, "a name is one of its project"
    assert post(pipe, *bodies) == {"created": 0, "unchanged": 4}
    assert names(pipe, "?project=other") == ["c-2", "both"]
    assert names(pipe, "?project=other&since=c-2") == ["both"]
    assert names(pipe, "?since=c-2") == ["both", "both"]
    for query in ("?since=both", "?since=nothing", "?project=other&since=c-1"):
        response = pipe.get(f"{LINES}{query}")
        assert (response.status_code, pointers(response.json())) == (422, ["#/since"])
    assert pipe.get(f"{LINES}?project=nowhere").status_code == 404


def test_lines_cost_the_same_for_2_commands_and_6(
    pipe: APIClient, project: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number, rows in enumerate([2, 6]):
        post(pipe, *(past(f"c-{number}-{row}", **WHOLE | {"worker": f"p:{row}"}) for row in range(rows)))
        with django_assert_max_num_queries(6):
            names(pipe)
