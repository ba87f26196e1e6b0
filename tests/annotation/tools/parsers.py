"""Workers of the parse annotator in tests: they claim, answer and hand in over HTTP, from a form that they believe."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from rest_framework.test import APIClient

from annotation.logical_form.walk import record_of
from annotation.models import Project, Task
from annotation.tasks import post_tasks
from tests.builders import NOON, make_project

Json = dict[str, Any]
Answer = Callable[[Json], Json]
"""What a worker answers to the payload of a step."""


def make_parse_project(slug: str = "", *, given_to: str = "one_worker", **changes: Any) -> Project:
    return make_project(slug, tool="parse", settings={"given_to": given_to}, **changes)


def post_commands(project: Project, texts: Mapping[str, str], **rest: Any) -> list[Task]:
    """One task a text, by key."""
    bodies: list[Any] = [{"key": key, "payload": {"text": text}, **rest} for key, text in texts.items()]
    post_tasks(project=project, bodies=bodies, at=NOON)
    return list(Task.objects.filter(project=project, key__in=texts).order_by("pk"))


def perfect(forms: Mapping[str, Json]) -> Answer:
    """A worker who knows the form of each command, by its text."""
    records = {text: record_of(form) for text, form in forms.items()}

    def answer(payload: Json) -> Json:
        if payload["questions"][0]["id"] == "right":
            return {"answers": {"right": True}}
        return {"answers": records[payload["text"]][payload["node"]["step"]]}

    return answer


def noisy(forms: Mapping[str, Json], *, error: float, rng: random.Random) -> Answer:
    """The same worker, who at each question picks something else with the probability `error`."""
    records = {text: record_of(form) for text, form in forms.items()}

    def answer(payload: Json) -> Json:
        asked = payload["questions"]
        if asked[0]["id"] == "right":
            return {"answers": {"right": True}}
        # After an error of theirs they may be asked what has no true answer.
        true = records[payload["text"]].get(payload["node"]["step"])
        given = dict(true or {})
        for question in asked:
            if true is None or rng.random() < error:
                other = _anything(question, len(payload["tokens"]), rng)
                given.pop(question["id"], None)
                if other not in (None, []):
                    given[question["id"]] = other
        return {"answers": given}

    return answer


def _anything(question: Json, words: int, rng: random.Random) -> Any:
    if question["optional"] and rng.random() < 0.5:
        return None
    match question["kind"]:
        case "choice":
            return rng.choice(question["options"])["value"]
        case "choices":
            return [rng.choice([one for one in question["options"] if one["value"] != "more"])["value"]]
        case "spans":
            first = rng.randrange(words)
            return [[first, min(words - 1, first + rng.randrange(2))]]
        case "text":
            return "something"
        case _:
            return True


def work_through(client: APIClient, answer: Answer, *, most: int = 10_000) -> int:
    """Claim and hand in until nothing is left, or `most` were done; how many."""
    for done in range(most):
        response = client.post("/api/v1/work/claim/", {}, format="json")
        if response.status_code == 204:
            return done
        assert response.status_code == 200, response.content
        held = response.json()
        sent = hand_in(client, held["assignment"], answer(held["payload"]))
        if sent.status_code == 422:
            sent = hand_in(client, held["assignment"], {"answers": {}, "unknown": True})
        assert sent.status_code == 201, (held["payload"], sent.content)
    return most


def claim(client: APIClient) -> Json | None:
    """What the worker is given; None if nothing is open to them."""
    response = client.post("/api/v1/work/claim/", {}, format="json")
    assert response.status_code in (200, 204), response.content
    return None if response.status_code == 204 else response.json()


def take_step(client: APIClient, answer: Json | Answer) -> Json:
    """Claim one step, answer it; what was shown."""
    held = claim(client)
    assert held is not None, "nothing is open to this worker"
    payload: Json = held["payload"]
    sent = hand_in(client, held["assignment"], answer(payload) if callable(answer) else answer)
    assert sent.status_code == 201, (payload, sent.content)
    return payload


def hand_in(client: APIClient, assignment: str, answer: Json) -> Any:
    return client.post(f"/api/v1/work/assignments/{assignment}/submit/", {"answer": answer}, format="json")
