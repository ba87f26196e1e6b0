"""Crosswalk as its pipelines and workers see it: voxel tasks on one scene."""

import os
import random
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path

from bench.peers.calls import Line
from bench.peers.product import Annotator, Product
from bench.processes import free_port
from config.serving import web_module
from tests.support.shared_data import ROOT

SIDE = 5
_PLENTY = "10000000"


class _Worker(Annotator):
    def __init__(self, line: Line) -> None:
        self._line = line

    def next(self) -> tuple[int, float, object]:
        answer = self._line.call("POST", "/api/v1/work/claim/", {})
        return answer.status, answer.seconds, answer.json().get("assignment")

    def draft(self, task: object) -> tuple[int, float]:
        body = {"draft": {"voxels": [[0, 0, 0]]}}
        answer = self._line.call("PATCH", f"/api/v1/work/assignments/{task}/", body)
        return answer.status, answer.seconds

    def submit(self, task: object) -> tuple[int, float]:
        body = {"answer": {"voxels": [[random.randrange(SIDE), 0, 0]]}, "active_s": 3.2}
        answer = self._line.call("POST", f"/api/v1/work/assignments/{task}/submit/", body)
        return answer.status, answer.seconds


class Crosswalk(Product):
    """Served by `manage.py serve`, with `further` web processes beside it, each at a port of its own.

    Attributes:
        further: Their number; more than 0 need PostgreSQL and Redis. Annotators take the web processes in turns.
    """

    name = "Crosswalk"
    health = "/healthz"
    further = 0
    _key = secrets.token_urlsafe(24)
    _scene = ""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._further = [free_port() for _ in range(self.further)]
        self._bases = cycle([self.base, *(f"http://127.0.0.1:{port}" for port in self._further)])

    @staticmethod
    def missing() -> str:
        return ""

    def prepare(self) -> None:
        _, environment = self.command()
        subprocess.run(
            [sys.executable, "manage.py", "prepare"], cwd=ROOT, env=environment, check=True, stdout=sys.stderr
        )

    def command(self) -> tuple[Sequence[str], Mapping[str, str]]:
        environment = {
            **os.environ,
            "CROSSWALK_DATA_DIR": str(self.folder),
            "CROSSWALK_PORT": str(self.port),
            "CROSSWALK_API_KEY": self._key,
            "CROSSWALK_LOG_LEVEL": "error",
            # The measurement asks faster than anybody may.
            "CROSSWALK_KEY_REQUESTS_A_MINUTE": _PLENTY,
            "CROSSWALK_WORKER_REQUESTS_A_MINUTE": _PLENTY,
        }
        return [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(self.port)], environment

    def start(self) -> float:
        seconds = super().start()
        _, environment = self.command()
        for port in self._further:
            self._run([sys.executable, "-m", *web_module("127.0.0.1", port)], environment, f"http://127.0.0.1:{port}")
        return seconds

    def project(self, title: str) -> str:
        line = self._pipeline()
        blocks = [[x, 0, z, 35] for x in range(SIDE) for z in range(SIDE)]
        posted = line.must("POST", "/api/v1/scenes/", {"scenes": [{"size": [8, 8, 8], "blocks": blocks}]}).json()
        self._scene = posted["scenes"][0]
        body = {"tool": "voxels", "title": title, "instructions": ["Mark it."], "status": "live", "redundancy": 1}
        line.must("PUT", f"/api/v1/projects/{title}/", {**body, "reference_rate": 0, "settings": {"stage": "mark"}})
        return title

    def post(self, project: str, first: int, number: int) -> float:
        tasks = [
            {"key": f"task-{one:08d}", "payload": {"scene": self._scene, "phrase": f"the red duck next to block {one}"}}
            for one in range(first, first + number)
        ]
        return self._pipeline().must("POST", f"/api/v1/projects/{project}/tasks/", {"tasks": tasks}).seconds

    def annotator(self, project: str, name: str) -> Annotator:
        posted = self._pipeline().must("POST", f"/api/v1/projects/{project}/links/", {"worker": name}).json()
        return _Worker(Line(next(self._bases), Authorization=f"Bearer {posted['token']}"))

    def export(self, project: str) -> tuple[float, float, int]:
        answer = self._pipeline().must("GET", f"/api/v1/projects/{project}/annotations.jsonl")
        return answer.first_s, answer.seconds, len(answer.content)

    def _pipeline(self) -> Line:
        return Line(self.base, Authorization=f"Api-Key {self._key}")
