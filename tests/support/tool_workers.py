"""Workers of the parse and the voxel annotator, who claim, answer and hand in over HTTP."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from annotation.models import Project, Task
from annotation.review.adjudication import adjudicate
from annotation.work.posting import TaskBody, post_tasks
from lib.logical_form.asking.walk import record_of
from tests.support.builders import NOON, make_project, make_worker, token_for
from workforce.models import Worker

Json = dict[str, Any]
Answer = Callable[[Json], Json]
"""A function from the payload of a step to the worker's answer."""


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
    """Claim and hand in until nothing is left, or `most` tasks are done; their number."""
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
    """Claim a task; None if nothing is open to the worker."""
    response = client.post("/api/v1/work/claim/", {}, format="json")
    assert response.status_code in (200, 204), response.content
    return None if response.status_code == 204 else response.json()


def take_step(client: APIClient, answer: Json | Answer) -> Json:
    """Claim one step and answer it; its payload."""
    held = claim(client)
    assert held is not None, "nothing is open to this worker"
    payload: Json = held["payload"]
    sent = hand_in(client, held["assignment"], answer(payload) if callable(answer) else answer)
    assert sent.status_code == 201, (payload, sent.content)
    return payload


def hand_in(client: APIClient, assignment: str, answer: Json) -> Any:
    return client.post(f"/api/v1/work/assignments/{assignment}/submit/", {"answer": answer}, format="json")


def form_of(**slots: int) -> Json:
    """A BUILD command in which one word gives each property."""
    clauses = [{"pred_text": name, "obj_text": [0, [place, place]]} for name, place in slots.items()]
    schematic = {"filters": {"where_clause": {"AND": clauses}}}
    action = {"action_type": "BUILD", "schematic": schematic}
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [action]}


HOUSE_FORM = form_of(has_name=2)
TOWER_FORM = form_of(has_name=3, has_colour=2)
KNOWN = {"build a house": HOUSE_FORM, "build a red tower": TOWER_FORM}
Enter = Callable[[Project, Worker], APIClient]


def post_command(project: Project, key: str, text: str, **payload: Any) -> Task:
    post_tasks(project=project, bodies=[TaskBody(key=key, payload={"text": text, **payload})], at=NOON)
    return Task.objects.get(project=project, key=key)


def worked(project: Project, as_worker: Enter, forms: Json | None = None, *, workers: int = 1) -> list[Worker]:
    """New workers answer every open task of the project."""
    people = [make_worker() for _ in range(workers)]
    clients = [as_worker(project, person) for person in people]
    answer = perfect(forms or KNOWN)
    while sum(work_through(client, answer) for client in clients):
        pass
    return people


def decided(task: Task, form: Json, *, name: str = "dora") -> None:
    """A reviewer decides the form of a task."""
    by, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True, "is_superuser": True})
    adjudicate(task=task, answer={"form": form}, reason="I know it.", by=by, at=NOON)


GROUND, RED, BLUE = 9, 60, 57
ASSISTANT = {"x": 1.0, "y": 1.0, "z": 4.0, "pitch": -10.0, "yaw": 180.0}
PERSON = {"x": 4.0, "y": 1.0, "z": 4.0, "pitch": 0.0, "yaw": -150.0}
TOWER = [[1, 1, 1], [1, 2, 1], [1, 3, 1]]
"""The cells of the red tower of `scene`."""


def scene(**changes: Any) -> Json:
    """A flat world of 6 x 5 x 6: a red tower of three, one blue block."""
    ground = [[x, 0, z, GROUND] for x in range(6) for z in range(6)]
    blocks = [*ground, *([*place, RED] for place in TOWER), [4, 1, 2, BLUE]]
    return {"size": [6, 5, 6], "blocks": sorted(blocks), "agent": ASSISTANT, "player": PERSON, **changes}


def make_voxels_project(slug: str = "", **changes: Any) -> Project:
    return make_project(slug, tool="voxels", **{"settings": {}, **changes})


def post_phrases(project: Project, phrases: Mapping[str, str], **rest: Any) -> list[Task]:
    """One task a phrase about the same scene, by key."""
    return post(project, {key: {"scene": scene(), "phrase": phrase} for key, phrase in phrases.items()}, **rest)


def post(project: Project, payloads: Mapping[str, Json], **rest: Any) -> list[Task]:
    bodies: list[Any] = [{"key": key, "payload": payload, **rest} for key, payload in payloads.items()]
    post_tasks(project=project, bodies=bodies, at=NOON)
    return list(Task.objects.filter(project=project, key__in=payloads).order_by("pk"))


def work(project: Project, name: str, answer: Answer, *, most: int = 10_000) -> int:
    """Have a worker answer every task that they are given; the number of tasks."""
    client = client_for(project, name)
    for done in range(most):
        held = claim(client)
        if held is None:
            return done
        given = hand_in(client, held["assignment"], answer(held["payload"]))
        assert given.status_code == 201, given.content
    return most


def client_for(project: Project, name: str) -> APIClient:
    token = token_for(project, make_worker(name))
    return APIClient(headers={"authorization": f"Bearer {token}"})


def marks(voxels: Sequence[Sequence[int]] | None) -> Json:
    """The answer that says this mask; None: it is not there."""
    return {"absent": True} if voxels is None else {"voxels": [list(voxel) for voxel in voxels]}
