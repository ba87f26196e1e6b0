"""Gates over commands: without yes and no, the share of right steps of references stands for balanced accuracy."""

from typing import Any

import pytest
from django.urls import reverse

from annotation.access.roles import Role
from annotation.models import GateAction, Project
from annotation.work.posting import TaskBody, post_tasks
from tests.annotation.tools.test_parse import TEXT, TOWER
from tests.support.builders import NOON, client_of, make_staff, make_worker
from tests.support.tool_workers import make_parse_project, perfect, post_commands, work_through

pytestmark = [pytest.mark.django_db, pytest.mark.long]

GATES = [{"action": "pause", "below": 0.7, "minimum_n": 10}]
NOOP = {"dialogue_type": "NOOP"}


def _project() -> Project:
    project = make_parse_project(reference_rate=1.0, gates=GATES)
    texts = {f"r{number}": f"{TEXT} {number}" for number in range(15)}
    bodies = [
        TaskBody(key=key, payload={"text": text}, reference={"answers": [{"form": TOWER}]})
        for key, text in texts.items()
    ]
    post_tasks(project=project, bodies=bodies, at=NOON)
    post_commands(project, {f"c{number}": TEXT for number in range(40)})
    return project


def _forms(form: Any) -> dict[str, Any]:
    return {TEXT: form} | {f"{TEXT} {number}": form for number in range(15)}


def test_a_worker_who_calls_nothing_a_command_is_paused_and_told_so(as_worker: Any) -> None:
    project = _project()
    client = as_worker(project, make_worker())
    for _ in range(40):
        held = claim_or_refusal(client)
        if isinstance(held, str):
            break
        client.post(
            f"/api/v1/work/assignments/{held['assignment']}/submit/",
            {"answer": perfect(_forms(NOOP))(held["payload"])},
            format="json",
        )
    assert claim_or_refusal(client) == "paused"
    action = GateAction.objects.get()
    page = client_of(make_staff("boss", Role.ADMIN)).get(reverse("staff-review-pause", args=[action.pk]))
    assert page.status_code == 200


def test_a_worker_who_is_right_is_never_paused(as_worker: Any) -> None:
    project = _project()
    client = as_worker(project, make_worker())
    assert work_through(client, perfect(_forms(TOWER)), most=40) == 40
    assert not GateAction.objects.exists()


def claim_or_refusal(client: Any) -> Any:
    response = client.post("/api/v1/work/claim/", {}, format="json")
    return response.json()["code"] if response.status_code == 403 else response.json()
