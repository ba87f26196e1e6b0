"""Personal data in live sessions: erased with the worker, exported to the worker, and removed when it is old."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from agents.models import Agent
from annotation.models import Annotation, Consensus, Project
from commands.models import Command
from interaction.models import AgentProcess, Event, LiveCommand, Session
from interaction.privacy import erase, export_commands, export_sessions, old_texts, remove_texts, shut_out, take_out
from interaction.session import ticks
from interaction.session.refusals import SessionClosed
from jobs import outbox
from routing import tree_versions
from tests.support.builders import NOON, make_worker
from tests.support.sessions import MINIMUM_S, NO, Agents, LiveWorker, come_in, make_live_project, process_of
from tests.support.traces import log_of_the_process, traces
from workforce.privacy import data_of, person_of, request_erasure

pytestmark = pytest.mark.django_db
NAME, EMAIL = "marguerite", "marguerite.d@example.org"
COMMAND = f"build a house for {NAME}, and write to {EMAIL}"
SAID = ["write to", EMAIL, NAME, "ask my sister", "fun for me"]
TREE = {
    "title": "Short",
    "start": "done",
    "nodes": {
        "done": {
            "ask": "Was it done?",
            "show": None,
            "choices": [{"label": "Yes", "outcome": "ok"}, {"label": "No", "outcome": "other_error", "text": True}],
        }
    },
}


def met(project: Project, name: str) -> tuple[LiveWorker, Agents]:
    """A worker of this name whose clock runs, and a process that has their session and no other."""
    resume = f"p{AgentProcess.objects.count()}"
    agent = process_of(Agent.objects.get(slug=project.settings["agent"]), resume=resume, capacity=1)
    worker = come_in(project, name)
    worker.send("start")
    return worker, agent


def made_by(name: str, project: Project) -> tuple[LiveWorker, Agents]:
    """A worker who wrote of themselves wherever they can write, and an agent that says it all again."""
    worker, agent = met(project, name)
    worker.send("command", id="c1", text=COMMAND)
    for state in ("received", "thinking"):
        agent.send(worker, "status", command="c1", state=state)
    agent.send(worker, "say", text=f"You said: {COMMAND}")
    form = {"dialogue_type": "PUT_MEMORY", "filters": {"triples": [{"obj_text": {"fixed_value": f"for {NAME}"}}]}}
    agent.send(worker, "parse", command="c1", form=form)
    agent.send(worker, "objects", command="c1", phrase=f"the house of {NAME}", voxels=[[1, 2, 3]])
    agent.send(worker, "ask", question="q1", text=f"Is it for {NAME}?", choices=[f"For {NAME}", "For all"])
    worker.send("choose", question="q1", choice=1)
    worker.send("pose", x=1, y=2, z=3, pitch=0, yaw=0)
    agent.send(worker, "status", command="c1", state="failed", reason=f"there is no {NAME}")
    worker.send("mark", command="c1", node="done", choice=NO, text="ask my sister")
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    worker.send("reflect", usability=6, performance=2, feedback="It was fun for me")
    return worker, agent


def with_short_tree() -> Project:
    tree_versions.put_tree(slug="short", content=TREE, by="key:test", at=NOON)
    return make_live_project(tree="short", columns={"base_pay": Decimal("2.00")})


@pytest.fixture
def project() -> Project:
    return with_short_tree()


def kept() -> str:
    """All stored texts of sessions."""
    rows: list[Any] = [
        *Event.objects.values_list("body", flat=True),
        *Command.objects.values_list("text", "form", "objects_found", "path", "feedback"),
        *LiveCommand.objects.values_list("why_failed", flat=True),
        *Session.objects.values_list("reflection", "worker_resume", "worker_wrote"),
        *Annotation.objects.values_list("answer", flat=True),
        *Consensus.objects.values_list("answer", flat=True),
    ]
    return json.dumps(rows)


def test_an_erased_person_leaves_no_word_in_a_session_and_all_that_they_judged(project: Project) -> None:
    worker, _ = made_by(NAME, project)
    worker.send("finish")
    assert (worker.now().worker_resume, worker.now().worker_wrote) == ("tab", "tab")
    before = kept()
    assert [word for word in SAID if word not in before] == []
    person = worker.hold.worker
    assert erase(person_of(make_worker("somebody-else")), NOON) == {"texts_in_sessions": 0}

    assert erase(person_of(person), worker.at)["texts_in_sessions"] > 8

    after = kept()
    assert [word for word in SAID if word in after] == []
    assert '"tab"' not in after
    command = Command.objects.get()
    assert (command.outcome, command.path[0]["choice"], command.text) == ("other_error", NO, "[removed]")
    assert command.objects_found == [{"phrase": "the house of [removed]", "voxels": [[1, 2, 3]]}]
    assert worker.said("say") == [{"text": "You said: [removed]"}]
    assert worker.said("pose") == [{"x": 1.0, "y": 2.0, "z": 3.0, "pitch": 0.0, "yaw": 0.0}]
    assert worker.said("question")[0]["ask"] == "Was it done?"
    answer = Annotation.objects.get().answer
    assert (answer["usability"], answer["performance"], answer["feedback"]) == (6, 2, "[removed]")
    assert Session.objects.get().reflection == {"usability": 6, "performance": 2, "feedback": "[removed]"}
    assert erase(person_of(person), worker.at) == {"texts_in_sessions": 0}, "asking again changes nothing"


def test_a_worker_who_is_shut_out_is_not_waited_for_and_their_time_is_owed(project: Project) -> None:
    worker, _ = made_by(NAME, project)
    other, _ = met(project, "somebody-else")
    shut_out(worker.hold.worker, worker.at)
    assert (worker.now().reason, worker.now().owed_s) == ("left", float(MINIMUM_S))
    assert other.now().ended_at is None
    shut_out(worker.hold.worker, worker.at)
    assert worker.said("closed") == [{"reason": "left"}]


def test_a_worker_is_told_of_their_sessions_and_of_nobody_elses(project: Project) -> None:
    worker, _ = made_by(NAME, project)
    met(project, "somebody-else")
    shut_out(worker.hold.worker, worker.at)
    (session,) = export_sessions(worker.hold.worker)
    assert session["session"] == worker.session.public_id
    assert session["did"] == {"start": 1, "command": 1, "choose": 1, "pose": 1, "mark": 1, "reflect": 1}
    assert (session["ended"], session["owed"]["amount"]) == ("left", "2.00")
    assert session["how_it_went"]["feedback"] == "It was fun for me"
    (command,) = export_commands(worker.hold.worker)
    assert command["command"] == COMMAND
    assert command["answers"] == [{"asked": "Was it done?", "answer": "No", "text": "ask my sister"}]
    assert {"sessions", "commands"} <= set(data_of(worker.hold.worker))


def test_words_of_old_sessions_go_and_those_of_others_stay(project: Project) -> None:
    worker, _ = made_by(NAME, project)
    young, _ = made_by("somebody-else", project)
    assert not old_texts(worker.at + timedelta(days=1)).exists(), "sessions that go on are not old"
    shut_out(worker.hold.worker, worker.at)
    shut_out(young.hold.worker, worker.at + timedelta(days=9))
    before = worker.at + timedelta(days=1)
    assert old_texts(before).count() == 1

    assert remove_texts(before) == 1

    assert remove_texts(before) == 0
    assert worker.command().text == "[removed]"
    assert young.command().text == COMMAND
    assert old_texts(worker.at + timedelta(days=10)).count() == 1


def test_a_remark_alone_is_old_text_too(project: Project) -> None:
    worker, _ = met(project, NAME)
    for feedback, left in (("", 0), ("Nobody came.", 1)):
        worker.send("reflect", usability=1, performance=1, feedback=feedback)
        Session.objects.update(ended_at=NOON, reason="agent_lost")
        assert old_texts(NOON + timedelta(days=1)).count() == left
        Session.objects.update(ended_at=None, reason="")
    Session.objects.update(ended_at=NOON, reason="agent_lost")
    assert remove_texts(NOON + timedelta(days=1)) == 1
    assert not old_texts(NOON + timedelta(days=1)).exists()


def test_a_session_of_few_words_is_cleaned_without_trouble(project: Project) -> None:
    worker, agent = met(project, NAME)
    worker.send("command", id="c1", text="go")
    agent.send(worker, "say", text="I go on.")
    assert take_out(worker.now(), person_of(worker.hold.worker).mentions) == 2
    assert worker.said("say") == [{"text": "I go on."}]


@pytest.mark.django_db(transaction=True)
def test_an_erasure_in_the_midst_of_a_session_leaves_no_trace_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_send", outbox.run)
    with log_of_the_process() as log:
        worker, agent = made_by(NAME, with_short_tree())
        assert {"interaction_event.body", "commands_command.text"} <= {
            place.rpartition(": ")[0] for place in traces(SAID)
        }, "the search finds what is there"
        request_erasure(worker=worker.hold.worker, by="staff:dora", at=worker.at)
    assert worker.now().reason == "left"
    assert traces(SAID) == set()
    assert [word for word in SAID if word in log.getvalue()] == []
    with pytest.raises(SessionClosed):
        worker.send("command", id="c2", text="are you there")
    with pytest.raises(SessionClosed):
        agent.send(worker, "say", text=f"Where is {NAME}?")
