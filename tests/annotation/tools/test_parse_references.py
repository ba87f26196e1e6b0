"""References among commands: they go as every command goes, and every step is held against what is right there."""

import json
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment, Project, ScoreChange, Task, Truth
from annotation.references import references
from annotation.tools.parse.chains import IDLE_AFTER, leave_idle
from annotation.tools.parse.known_steps import right_answers
from annotation.work.leases import expire_overdue
from annotation.work.posting import TaskBody, post_tasks
from tests.annotation.tools.test_parse import STEPS, TEXT, TOWER
from tests.support.builders import NOON, make_worker
from tests.support.tool_workers import claim, make_parse_project, perfect, post_commands, take_step, work_through

pytestmark = pytest.mark.django_db

MODES = ("one_worker", "many_workers")
DIG = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DIG"}]}
NOOP = {"dialogue_type": "NOOP"}
CHECK = "build a red house and go there"
"""The text of the reference; every other command is TEXT, so the two are told apart by it alone."""
knows = perfect({TEXT: TOWER, CHECK: TOWER})


def _reference(project: Project, *forms: Any, text: str = CHECK, key: str = "r1") -> Task:
    answers = [{"form": form} for form in forms or [TOWER]]
    body = TaskBody(key=key, payload={"text": text}, reference={"answers": answers})
    post_tasks(project=project, bodies=[body], at=NOON)
    return Task.objects.get(project=project, key=key)


def _serve(project: Project, *, references: bool) -> None:
    Project.objects.filter(pk=project.pk).update(reference_rate=float(references))


def _scores(reference: Task) -> list[float | None]:
    rows = Annotation.objects.filter(task__part_of=reference).order_by("pk")
    return list(rows.values_list("score", flat=True))


def _way(client: Any, *answers: Any) -> list[Any]:
    """All that a worker sees who claims and gives these answers: codes, keys in order, questions; never the ids."""
    seen: list[Any] = []
    for answer in answers:
        held = claim(client)
        if held is None:
            seen.append(None)
            continue
        payload = held["payload"]
        given = answer(payload) if callable(answer) else answer
        sent = client.post(f"/api/v1/work/assignments/{held['assignment']}/submit/", {"answer": given}, format="json")
        asked = [{**one, "example": "", "options": _plain(one["options"])} for one in payload["questions"]]
        shown = [payload["node"]["step"], asked, payload["back"], payload["so_far"], payload["parts"]]
        seen.append([list(held), list(payload), list(payload["node"]), *shown, sent.status_code, list(sent.json())])
    # The one word in which the two commands differ.
    return json.loads(json.dumps(seen).replace("house", "tower"))  # type: ignore[no-any-return]


def _plain(options: Any) -> Any:
    """The options without examples: one with a word of the command is left out, and the two commands differ."""
    return [[option["value"], option["label"]] for option in options]


def _no(payload: Any) -> Any:
    return {"answers": {"right": False, "wrong": payload["questions"][1]["options"][2]["value"]}}


def _back(payload: Any) -> Any:
    return {"answers": {}, "back": payload["back"][0]["key"]}


WAYS = {
    "all of it": [knows] * (STEPS + 1),
    "one step back": [knows, knows, _back, knows, knows],
    "a no at the end": [knows] * (STEPS - 1) + [_no] + [knows] * 2,
    "no command": [knows, {"answers": {}, "not_a_command": True}, knows],
    "cannot tell": [knows, {"answers": {}, "unknown": True}, knows],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_reference_goes_step_by_step_as_every_command(way: str, as_worker: Any) -> None:
    project = make_parse_project()
    post_commands(project, {"c1": TEXT, "c2": TEXT})
    _reference(project)
    client = as_worker(project, make_worker())
    _serve(project, references=True)
    met = _way(client, *WAYS[way][: len(WAYS[way]) - 1])
    assert Annotation.objects.filter(task__is_reference=True).count() == len(met)

    _serve(project, references=False)
    other = as_worker(project, make_worker())
    assert _way(other, *WAYS[way][: len(WAYS[way]) - 1]) == met
    assert not Annotation.objects.latest("pk").task.is_reference


@pytest.mark.parametrize("is_reference", [True, False])
def test_a_late_answer_to_a_chain_that_was_left_is_refused(is_reference: bool, as_worker: Any) -> None:
    project = make_parse_project()
    post_commands(project, {"c1": TEXT})
    _reference(project)
    _serve(project, references=is_reference)
    client = as_worker(project, make_worker())
    take_step(client, knows)
    held = claim(client)
    assert held is not None
    assert Assignment.objects.get(public_id=held["assignment"]).task.is_reference == is_reference
    Assignment.objects.held().update(lease_expires_at=NOON)
    expire_overdue(at=NOON)
    assert leave_idle(at=timezone.now() + 2 * IDLE_AFTER) == 1
    answer = {"answer": knows(held["payload"])}
    sent = client.post(f"/api/v1/work/assignments/{held['assignment']}/submit/", answer, format="json")
    assert (sent.status_code, sent.json()["code"]) == (409, "lease_lost")


@pytest.mark.parametrize("given_to", MODES)
def test_every_step_is_scored_but_steps_back(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    post_commands(project, {f"c{number}": TEXT for number in range(3)})
    reference = _reference(project)
    _serve(project, references=True)
    client = as_worker(project, make_worker())
    if given_to == "one_worker":
        for answer in [knows, knows, _back]:
            take_step(client, answer)
    # What was answered before a step back is not asked again.
    for _ in range(STEPS - (given_to == "one_worker")):
        take_step(client, knows)
    scores = _scores(reference)
    assert set(scores) - {None} == {1.0}
    assert scores.count(None) == (given_to == "one_worker"), "one step back was taken where one can be"
    assert given_to == "many_workers" or len(scores) == STEPS + 2


def test_several_forms_may_be_right(as_worker: Any) -> None:
    project = make_parse_project()
    post_commands(project, {"c1": TEXT})
    reference = _reference(project, TOWER, DIG)
    _serve(project, references=True)
    fills: Any = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "FILL"}]}
    for form in (TOWER, DIG, fills):
        before = len(_scores(reference))
        client = as_worker(project, make_worker())
        believes = perfect({CHECK: form})
        for _ in range(3):
            take_step(client, believes)
        wrong = 0.0 in _scores(reference)[before:]
        assert wrong == (form is fills)


@pytest.mark.parametrize("answer", [{"answers": {"value": "NOOP"}}, {"answers": {}, "not_a_command": True}])
def test_both_ways_to_say_that_it_is_no_command_are_right(answer: Any, as_worker: Any) -> None:
    project = make_parse_project()
    post_commands(project, {"c1": TEXT})
    reference = _reference(project, NOOP, text="hello there")
    _serve(project, references=True)
    client = as_worker(project, make_worker())
    take_step(client, answer)
    assert _scores(reference) == [1.0]


def test_the_last_step_is_right_where_the_form_means_the_same() -> None:
    record = {"#": {"value": "NOOP"}}
    assert right_answers([NOOP], record, "#confirm") == [{"answers": {"right": True}}]
    assert right_answers([DIG], record, "#confirm") == [{"answers": {"right": False}}]
    assert right_answers([DIG], record, "/event_sequence#parts") == [], "off the way nothing is known"


@pytest.mark.parametrize("change", ["retire", "correct"])
def test_a_worker_in_the_middle_of_a_reference_that_changes_goes_on(change: str, as_worker: Any) -> None:
    project = make_parse_project()
    post_commands(project, {"c1": TEXT})
    reference = _reference(project)
    _serve(project, references=True)
    client = as_worker(project, make_worker())
    take_step(client, knows)
    take_step(client, knows)
    holding = as_worker(project, make_worker())
    assert claim(holding) is not None
    if change == "retire":
        references.retire(reference=reference, reason="was wrong", by="staff:a", at=NOON)
    else:
        references.correct(
            reference=reference, answers=[{"form": DIG}], tolerance_s=None, reason="was wrong", by="staff:a", at=NOON
        )
    changed = ScoreChange.objects.filter(annotation__task__part_of=reference)
    assert changed.exists(), "there were two things to do, and now there is one"
    for _ in range(STEPS - 2):
        shown = take_step(client, knows)
        assert shown["text"] == CHECK
    for _ in range(2):
        assert take_step(holding, knows)["text"] == CHECK
    scores = _scores(reference)
    if change == "retire":
        assert set(scores) == {None}
        other = claim(as_worker(project, make_worker()))
        assert other is not None
        assert other["payload"]["text"] == TEXT
    else:
        assert 0.0 in scores, "they gave the form that is no longer right"
        digs = perfect({CHECK: DIG})
        other = as_worker(project, make_worker())
        before = len(scores)
        take_step(other, digs)
        take_step(other, digs)
        assert _scores(reference)[before:] == [1.0, 1.0]


def test_the_shared_steps_of_a_corrected_reference_are_those_of_its_new_form(as_worker: Any) -> None:
    project = make_parse_project(given_to="many_workers")
    reference = _reference(project)
    assert reference.parts.filter(open=True).count() == STEPS
    references.correct(
        reference=reference, answers=[{"form": DIG}], tolerance_s=None, reason="was wrong", by="staff:a", at=NOON
    )
    for part in reference.parts.filter(open=True).order_by("pk"):
        assert Truth.objects.get(task=part).answers
    last = reference.parts.filter(open=True, payload__step="#confirm").last()
    assert last is not None
    assert right_answers([DIG], last.payload["record"], "#confirm") == [{"answers": {"right": True}}]
    references.correct(
        reference=reference, answers=[{"form": TOWER}], tolerance_s=None, reason="not", by="staff:a", at=NOON
    )
    references.retire(reference=reference, reason="odd", by="staff:a", at=NOON)
    assert not reference.parts.filter(open=True).exists()


def test_the_shared_steps_of_a_reference_come_in_the_order_in_which_they_are_asked(as_worker: Any) -> None:
    project = make_parse_project(given_to="many_workers")
    post_commands(project, {f"c{number}": TEXT for number in range(3)})
    _reference(project)
    _serve(project, references=True)
    for _ in range(2):
        client = as_worker(project, make_worker())
        met: list[int] = []
        for _ in range(6):
            held = claim(client)
            assert held is not None
            task = Assignment.objects.get(public_id=held["assignment"]).task
            if task.is_reference:
                met.append(task.pk)
            take_step(client, knows)
        assert met
        assert met == sorted(met)


@pytest.mark.parametrize("given_to", MODES)
def test_nobody_meets_a_command_again_that_was_made_a_reference(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    (task,) = post_commands(project, {"c1": CHECK})
    alice, bob = make_worker(), make_worker()
    work_through(as_worker(project, alice), knows)
    task.refresh_from_db()
    references.promote(
        task=task, confirmed=task.consensus.answer, tolerance_s=None, reason="clear", by="staff:a", at=NOON
    )
    post_commands(project, {"c2": TEXT, "c3": TEXT})
    _serve(project, references=True)
    shown = [claim(as_worker(project, worker)) for worker in (alice, bob)]
    assert [held and held["payload"]["text"] for held in shown] == [TEXT, CHECK]
