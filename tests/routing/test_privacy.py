"""A person who is erased leaves no words in reports, and no name in the tasks that their commands became."""

import json
from datetime import timedelta
from typing import Any

import pytest

from annotation.models import SceneTask, Task
from common.mentions import REMOVED
from routing.models import ErrorReport, Sending
from routing.privacy import erase, old_texts, remove_texts, tell_reports
from routing.reports import dismiss
from tests.builders import NOON, make_worker
from tests.routing.sources import CUBE, Source, a_scene, make_route, parse_project, report_of, tasks_of, voxel_project
from workforce.models import Worker
from workforce.privacy import data_of, person_of

TEXT = "tell marguerite to call marguerite@example.org near the tree"
PATH: Any = [{"node": "done", "choice": 1}, {"node": "why", "choice": 0, "text": "ask marguerite"}]
FORM = {"said": "marguerite", "text_span": [0, [1, 1]]}
FOUND: Any = [{"phrase": "marguerite 's tree", "voxels": CUBE}, {"phrase": "the hole", "voxels": []}]


def traces(name: str) -> list[str]:
    kept: list[Any] = [
        *ErrorReport.objects.values(
            "text", "feedback", "path", "why_failed", "form", "form_in_words", "objects_found", "why_dismissed"
        ),
        *Sending.objects.values("phrase", "detail"),
        *Task.objects.values("payload"),
        *SceneTask.objects.values("phrase"),
    ]
    return [said for row in kept if name in (said := json.dumps(row))]


@pytest.fixture
def marguerite(source: Source) -> Worker:
    worker = make_worker("marguerite")
    make_route(parse_project("words", given_to="many_workers"), "*")
    make_route(voxel_project("things"), "vision_error")
    more: dict[str, Any] = {
        "worker": worker,
        "path": PATH,
        "feedback": "said marguerite",
        "form": FORM,
        "form_in_words": f"Do “{TEXT}”.",
        "why_failed": f"cannot: {TEXT}",
        "objects_found": FOUND,
        "scene": a_scene,
    }
    source.routed(TEXT, "vision_error", **more)
    source.routed("tag it marguerite", "ok", **{**more, "form": None})
    source.routed("dance", "ok", worker=worker)
    return worker


def test_an_erasure_leaves_no_trace_and_the_tasks_stay(marguerite: Worker, source: Source) -> None:
    words = Task.objects.filter(project__slug="words")
    before = {task.pk: len(task.payload["text"].split()) for task in words}
    dismiss(report=ErrorReport.objects.get(), reason="marguerite plays", by="staff:rita", at=NOON)
    assert len(traces("marguerite")) > 6
    removed = erase(person_of(marguerite), NOON)
    assert all(removed.values())
    assert not traces("marguerite")
    assert not traces(TEXT)
    report = ErrorReport.objects.get()
    assert (report.text, report.feedback, report.form_in_words) == (REMOVED, REMOVED, REMOVED)
    assert report.path == [PATH[0], {**PATH[1], "text": REMOVED}]
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


def test_what_is_stored_is_told(marguerite: Worker) -> None:
    (told,) = tell_reports(marguerite)
    assert told["command"] == TEXT
    assert (told["outcome"], told["feedback"], told["state"]) == ("vision_error", "said marguerite", "routed")
    assert data_of(marguerite)["error_reports"] == [told]


def test_old_words_go_and_what_was_judged_stays(marguerite: Worker, source: Source) -> None:
    young = source.routed("dig a hole", worker=marguerite)
    report_of(young)
    ErrorReport.objects.filter(text="dig a hole").update(at=NOON + timedelta(days=2))
    later = NOON + timedelta(days=1)
    assert old_texts(later).count() == 1
    assert remove_texts(later) == 1
    assert not old_texts(later).exists()
    assert sorted(ErrorReport.objects.values_list("text", flat=True)) == [REMOVED, "dig a hole"]
    assert len(tasks_of(report_of(young).sendings.get().to)) == 4
