"""A person who is erased leaves no words in reports, and no name in the tasks that their commands became."""

import json
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from annotation.models import SceneTask, Task
from commands.models import Command
from common.redaction import REMOVED
from interaction import privacy as sessions
from interaction.models import LiveCommand
from routing.models import ErrorReport, Sending
from routing.privacy import erase, export_reports, old_texts, remove_texts
from routing.reports import dismiss
from tests.support.builders import NOON, make_worker
from tests.support.commands import CUBE, a_scene, make_route, parse_project, report_of, routed, tasks_of, voxel_project
from workforce.models import Worker
from workforce.privacy import data_of, person_of

pytestmark = pytest.mark.django_db
TEXT = "tell marguerite to call marguerite@example.org near the tree"
PATH: Any = [{"node": "done", "choice": 1}, {"node": "understood", "choice": 0, "text": "ask marguerite"}]
FORM = {"said": "marguerite", "text_span": [0, [1, 1]]}
FOUND: Any = [{"phrase": "marguerite 's tree", "voxels": CUBE}, {"phrase": "the hole", "voxels": []}]


def traces(name: str) -> list[str]:
    kept: list[Any] = [
        *Command.objects.values("text", "plain_text", "feedback", "path", "form", "objects_found"),
        *LiveCommand.objects.values("why_failed"),
        *ErrorReport.objects.values("why_dismissed"),
        *Sending.objects.values("phrase", "detail"),
        *Task.objects.values("payload"),
        *SceneTask.objects.values("phrase"),
    ]
    return [said for row in kept if name in (said := json.dumps(row))]


@pytest.fixture
def marguerite(db: None) -> Worker:
    worker = make_worker("marguerite")
    make_route(parse_project("words", given_to="many_workers"), "*")
    make_route(voxel_project("things"), "vision_error")
    more: dict[str, Any] = {
        "worker": worker,
        "path": PATH,
        "feedback": "said marguerite",
        "form": FORM,
        "live": {"status": "failed", "why_failed": f"cannot: {TEXT}"},
        "objects_found": FOUND,
        "scene": a_scene(),
    }
    routed(TEXT, "vision_error", **more)
    routed("tag it marguerite", "ok", **{**more, "form": None})
    routed("dance", "ok", worker=worker)
    return worker


def test_an_erasure_leaves_no_trace_and_the_tasks_stay(marguerite: Worker) -> None:
    words = Task.objects.filter(project__slug="words")
    before = {task.pk: len(task.payload["text"].split()) for task in words}
    dismiss(report=ErrorReport.objects.get(), reason="marguerite plays", by="staff:rita", at=NOON)
    assert len(traces("marguerite")) > 6
    removed = Counter(erase(person_of(marguerite), NOON)) + Counter(sessions.erase(person_of(marguerite), NOON))
    assert set(removed) == {"texts_in_reports", "texts_in_routed_tasks", "texts_in_sessions"}
    assert not traces("marguerite")
    assert not traces(TEXT)
    report = ErrorReport.objects.get()
    assert (report.command.text, report.command.feedback) == (REMOVED, REMOVED)
    assert report.command.path == [PATH[0], {**PATH[1], "text": REMOVED}]
    assert report.outcome == "vision_error"
    after = {task.pk: task.payload["text"] for task in words.all()}
    assert {pk: len(text.split()) for pk, text in after.items()} == before, "forms count the words"
    assert f"tell {REMOVED} to call {REMOVED} near the tree" in after.values()
    assert "dance" in after.values()
    phrases = set(SceneTask.objects.values_list("phrase", flat=True))
    assert phrases == {f"{REMOVED} 's tree", "the hole"}


def test_another_person_is_left_alone(marguerite: Worker) -> None:
    before = traces("marguerite")
    assert not any(erase(person_of(make_worker("somebody-else")), NOON).values())
    assert traces("marguerite") == before


def test_the_reports_of_a_worker_are_exported(marguerite: Worker) -> None:
    (told,) = export_reports(marguerite)
    assert told["command"] == TEXT
    assert (told["outcome"], told["feedback"], told["state"]) == ("vision_error", "said marguerite", "routed")
    assert data_of(marguerite)["error_reports"] == [told]


def test_old_words_go_and_outcomes_stay(marguerite: Worker) -> None:
    old, young = routed("build it for marguerite", worker=marguerite), routed("dig a hole", worker=marguerite)
    ErrorReport.objects.filter(command=young).update(at=NOON + timedelta(days=2))
    later = NOON + timedelta(days=1)
    assert list(old_texts(later)) == [old], "the words of live commands go with their session"
    assert remove_texts(later) == 1
    assert not old_texts(later).exists()
    assert (report_of(old).command.text, report_of(young).command.text) == (REMOVED, "dig a hole")
    assert report_of(old).outcome == "nlu_error"
    assert len(tasks_of(report_of(young).sendings.get().to)) == 5
