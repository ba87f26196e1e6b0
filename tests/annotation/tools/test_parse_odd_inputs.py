"""Odd texts, payloads and answers are worked on, or refused with a pointer to their place."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Consensus, Task
from tests.support.builders import make_worker
from tests.support.calls import problem
from tests.support.tool_workers import claim, make_parse_project, take_step, work_through

pytestmark = pytest.mark.django_db

MARKUP = "<script>alert(1)</script> build <b>a</b> &lt;house&gt;"
ODD_TEXTS: dict[str, tuple[str, int]] = {
    "markup": (MARKUP, 200),
    "emoji": ("build a 🏠🔥 👩‍👩‍👧 now", 200),
    "right to left": ("\u202eabc ابنِ بيتًا أحمر \u2066x\u2069", 200),
    "no spaces": ("x" * 3000, 200),
    "unicode spaces": ("build\u00a0a\u2003house\u3000now", 200),
    "lines": ("build a house\nthen\tgo", 200),
    "one word": ("a", 200),
    "ten thousand words": ("word " * 10_000, 422),
    "too many words": ("a " * 301, 422),
    "empty": ("", 422),
    "blank": (" \t\n\u2003", 422),
    "null character": ("build\x00 a house", 422),
    "half a character": ("build \ud800", 400),
}
DEEP: Any = {}
for _ in range(400):
    DEEP = {"filters": DEEP}
ODD_PAYLOADS: dict[str, Any] = {
    "no text": {},
    "text is a list": {"text": ["build"]},
    "text is null": {"text": None},
    "unknown field": {"text": "build", "truth": {}},
    "context is a text": {"text": "build", "context": "earlier"},
    "context of another shape": {"text": "build", "context": [{"who": "me"}]},
    "speaker unknown": {"text": "build", "context": [{"speaker": "dog", "text": "wuff"}]},
    "too many turns": {"text": "build", "context": [{"speaker": "worker", "text": "hi"}] * 51},
    "form is a text": {"text": "build", "form": "BUILD"},
    "form is huge": {"text": "build", "form": {"x": "y" * 70_000}},
    "form is deep": {"text": "build", "form": DEEP},
    "marked is odd": {"text": "build", "marked": "perhaps"},
}
NO_ANSWERS: list[Any] = [{}, [], "BUILD", None, {"": ""}, {"~/#": MARKUP}]
NO_VALUES: list[Any] = [None, ["BUILD"], {"BUILD": 1}, 3, True, "Z" * 5000, DEEP]
ODD_ANSWERS: list[Any] = [
    {},
    *({"answers": answers} for answers in NO_ANSWERS),
    *({"answers": {"value": value}} for value in NO_VALUES),
    {"answers": {"value": "HUMAN_GIVE_COMMAND", "other": 1}},
    {"answers": {"value": "HUMAN_GIVE_COMMAND"}, "unknown": True},
    {"answers": {}, "unknown": True, "not_a_command": True},
    {"answers": {}, "unknown": "maybe"},
    {"answers": {}, "back": "#"},
    {"answers": {}, "back": ["#"]},
    {"answers": {}, "back": "/" * 3000},
    {"form": {"dialogue_type": "NOOP"}},
    {"record": {"#": {"value": "NOOP"}}},
    {"unknown": False},
    {"outcome": "success", "frame": 1},
]
ODD_SPANS: list[Any] = [
    *([run] for run in ([0, 99], [-1, 0], [2, 1], [0], [0, 1, 2], [0.0, 1.0], [True, True], ["0", "1"], [10**30] * 2)),
    *([[[0, 1]]], [None], [0, 1], "0-1", {"0": 1}, 5),
    [[0, 1]] * 20_000 + [["x", 1]],
]


def _post(pipe: APIClient, slug: str, payload: Any) -> Any:
    return pipe.post(f"/api/v1/projects/{slug}/tasks/", {"tasks": [{"key": "t", "payload": payload}]}, format="json")


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_a_command_of_odd_text_is_worked_on_or_refused(name: str, pipe: APIClient, as_worker: Any) -> None:
    text, status = ODD_TEXTS[name]
    project = make_parse_project()
    raw = json.dumps({"tasks": [{"key": "t", "payload": {"text": text}}]})
    sent = pipe.post(f"/api/v1/projects/{project.slug}/tasks/", raw, content_type="application/json")
    assert sent.status_code in ({400, 422} if status == 400 else {status}), sent.content
    if status != 200:
        problem(sent)
        assert not Task.objects.exists()
        return
    client = as_worker(project, make_worker())
    held = claim(client)
    assert held is not None
    assert held["payload"]["tokens"] == held["payload"]["text"].split()
    steps = work_through(client, _straight, most=20)
    assert 2 < steps < 20
    assert Consensus.objects.get(task__key="t").answer["form"]["event_sequence"][0]["action_type"] == "BUILD"


@pytest.mark.parametrize("name", ODD_PAYLOADS)
def test_an_odd_payload_is_refused_with_its_place(name: str, pipe: APIClient) -> None:
    project = make_parse_project()
    sent = _post(pipe, project.slug, ODD_PAYLOADS[name])
    found = problem(sent)
    assert sent.status_code in (400, 422)
    assert sent.status_code == 400 or all(one["pointer"].startswith("#/tasks/0/payload") for one in found["errors"])


def test_odd_answers_are_refused_with_their_place_and_the_hold_stays(pipe: APIClient, as_worker: Any) -> None:
    project = make_parse_project()
    assert _post(pipe, project.slug, {"text": "build a red house now"}).status_code == 200
    client = as_worker(project, make_worker())
    held = claim(client)
    assert held is not None
    path = f"/api/v1/work/assignments/{held['assignment']}/submit/"
    for answer in ODD_ANSWERS:
        sent = client.post(path, {"answer": answer}, format="json")
        assert sent.status_code in (400, 422), (answer, sent.content[:300])
        found = problem(sent)
        assert all(one["pointer"].startswith("#/answer") for one in found["errors"]), (answer, found)
        assert len(sent.content) < 20_000, "an error does not give all of it back"
    for raw in ('{"answer": {"answers": {"value": NaN}}}', '{"answer": {"answers": {"value": 1e999}}}', "[" * 50_000):
        assert client.post(path, raw, content_type="application/json").status_code in (400, 422)
    assert claim(client) == held

    while not (spans := [one["id"] for one in held["payload"]["questions"] if one["kind"] == "spans"]):
        take_step(client, _straight)
        held = claim(client)
        assert held is not None
    path = f"/api/v1/work/assignments/{held['assignment']}/submit/"
    name = spans[0]
    for span in ODD_SPANS:
        sent = client.post(path, {"answer": {"answers": {name: span}}}, format="json")
        assert sent.status_code == 422, (span, sent.content[:300])
        assert f"#/answer/answers/{name}" in [one["pointer"] for one in problem(sent)["errors"]]
    assert claim(client) == held


def _straight(payload: Any) -> Any:
    """The first valid answer to each question: a command to build one thing that has a name."""
    answers: dict[str, Any] = {}
    for question in payload["questions"]:
        values = [option["value"] for option in question["options"]]
        if question["kind"] == "yes_no":
            answers[question["id"]] = True
        elif question["kind"] == "choice" and not question["optional"]:
            answers[question["id"]] = next(one for one in ("HUMAN_GIVE_COMMAND", "BUILD", *values) if one in values)
        elif question["kind"] == "choices":
            answers[question["id"]] = [one for one in ("has_name", "schematic") if one in values][:1]
        elif not question["optional"] or question["id"] == "text_span":
            answers[question["id"]] = [[0, 0]]
    return {"answers": answers}


ODD_RECORDS: list[Any] = [
    *({"#": 1}, {"#": {"value": 1}}, {"#": {"value": DEEP}}, "record", [], None),
    {"#": {"value": "HUMAN_GIVE_COMMAND"}, "#parts": []},
    {"#": {"value": "HUMAN_GIVE_COMMAND"}, "#parts": {"event_sequence": "99"}},
]


def test_odd_records_and_forms_are_answered_clearly(as_worker: Any) -> None:
    client = as_worker(make_parse_project(), make_worker())
    for record in ODD_RECORDS:
        sent = client.post("/api/v1/work/parse/next/", {"text": "build a house", "record": record}, format="json")
        assert sent.status_code in (400, 422), (record, sent.content[:300])
        problem(sent)
    for record in ({}, {"": {}}, {"nowhere#": {"x": [1]}}, {"#": {"value": "NOOP"}, "#confirm": {"right": True}}):
        sent = client.post("/api/v1/work/parse/next/", {"text": "build a house", "record": record}, format="json")
        assert sent.status_code == 200, (record, sent.content[:300])
    forms = [{}, {"dialogue_type": 7}, {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": {"x": 1}}]
    forms += [{"": None}, {"event_sequence": [[[]]]}, {"dialogue_type": MARKUP}]
    forms += [{"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD", "schematic": DEEP}]}]
    for form in forms:
        sent = client.post("/api/v1/work/parse/check/", {"text": "build a house", "form": form}, format="json")
        assert sent.status_code in (200, 400, 422), (form, sent.content[:300])
        assert sent.status_code != 200 or sent.json()["faults"]


def test_a_record_of_very_many_steps_is_refused_before_it_is_read(as_worker: Any) -> None:
    client = as_worker(make_parse_project(), make_worker())
    record = {f"/event_sequence/{number}#": {"value": "DIG"} for number in range(1000)}
    sent = client.post("/api/v1/work/parse/next/", {"text": "dig", "record": record}, format="json")
    assert sent.status_code == 422
    assert problem(sent)["errors"][0]["pointer"] == "#/record"
