"""Workers who meet nothing but references, through the API that their browser uses, and err when they are told to."""

from typing import Any

from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Project
from tests.annotation.crowd import post_many
from tests.builders import make_project, token_for
from workforce.models import Worker

STRICT: dict[str, Any] = {"action": "pause", "below": 0.7, "minimum_n": 6}
GENTLE: dict[str, Any] = {"action": "warn", "below": 0.7, "minimum_n": 4}


def checked_project(slug: str = "p", *, references: int = 40, **changes: Any) -> Project:
    """Every task is a reference, as many of either class; one ordinary task that never closes keeps the doors open."""
    project = make_project(slug, **{"reference_rate": 1.0, "gates": [STRICT], **changes})
    [ordinary] = post_many(project, 1, redundancy=1000)
    for truth in ("success", "failure"):
        post_many(project, references // 2, truth=truth, episode=ordinary.payload["episode"])
    return project


class Checked:
    """A worker's browser in a project."""

    def __init__(self, project: Project, worker: Worker) -> None:
        self.project, self.worker = project, worker
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(project, worker)}")

    def claim(self) -> Any:
        return self.client.post("/api/v1/work/claim/")

    def answer(self, *, right: bool) -> Annotation:
        """Claim a reference and answer it so."""
        claimed = self.claim()
        assert claimed.status_code == 200, claimed.json()
        return self.hand_in(claimed.json()["assignment"], right=right)

    def hand_in(self, held: str, *, right: bool) -> Annotation:
        task = Assignment.objects.get(public_id=held).task
        assert task.is_reference
        says_success = task.truth_class if right else not task.truth_class
        answer = {"outcome": "success" if says_success else "failure", "frame": 20}
        done = self.client.post(f"/api/v1/work/assignments/{held}/submit/", {"answer": answer})
        assert done.status_code == 201, done.json()
        return Annotation.objects.get(public_id=done.json()["annotation"])

    def err_until_paused(self, *, most: int = 30) -> int:
        """How many wrong answers it takes until a claim is refused because of a pause."""
        for number in range(most):
            claimed = self.claim()
            if claimed.status_code == 403:
                assert claimed.json()["code"] == "paused"
                return number
            self.hand_in(claimed.json()["assignment"], right=False)
        raise AssertionError(f"not paused after {most} wrong answers")

    def notice(self) -> Any:
        return self.client.get("/api/v1/work/").json()["notice"]
