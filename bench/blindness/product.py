"""The real server: a whole tree of the product in this process, with a new database, over its HTTP API.

`python -m bench.blindness.product TREE SEED PROJECTS FIRST STEP STRATEGY...` plays every STEPth project from the
FIRSTth on, and prints each trial as a line of JSON. TREE may be another revision than this one: only its settings, its
command `prepare` and its addresses are used.
"""

import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.blindness.contents import EPISODES, content_of, project_body, units_of
from bench.blindness.playing import play, slugs_of
from bench.blindness.server import Json, Reply, Server
from bench.blindness.specs import Spec, drawn_specs
from bench.blindness.strategies import STRATEGIES

KEY = "bench-Zk4vT9qLw2Xy7Rb3Nd8Hc6Mf"
AT_ONCE = 500
SERVER_ERROR = b'{"code": "server_error"}'
WARM_UP = 30
"""The number of calls before the first trial, so that caches of the process are filled."""
WARMED_UP = Spec(-1, 0, "experts", 20, 5, 0.25, 1, False, False, ())
_FRAMES, _WIDTH, _HEIGHT = 30, 64, 48


class Product:
    """The tree as a `Server`. `time.time` and Django's clock are moved on by `pass_time`; requests take real time."""

    def __init__(self) -> None:
        from django.test import Client
        from django.utils import timezone

        self._ahead_s = 0.0
        self._http = Client(raise_request_exception=False)
        real_time, real_now = time.time, timezone.now
        time.time = lambda: real_time() + self._ahead_s
        timezone.now = lambda: real_now() + timedelta(seconds=self._ahead_s)

    def now(self) -> float:
        return time.time()

    def pass_time(self, seconds: float) -> None:
        self._ahead_s += seconds

    def enter(self, project: str, worker: str) -> str:
        found: str = self.pipeline("POST", f"projects/{project}/links/", {"worker": worker})["token"]
        return found

    def request(self, token: str, method: str, path: str, body: Json) -> Reply:
        return self._send(method, f"work/{path}", body, authorization=f"Bearer {token}")

    def pipeline(self, method: str, path: str, body: Json) -> Json:
        """A call with the API key; it must succeed."""
        reply = self._send(method, path, body, authorization=f"Api-Key {KEY}")
        if reply.status >= 400:
            raise RuntimeError(f"{method} {path}: {reply.status} {reply.body[:500]!r}")
        return reply.content

    def tidy(self) -> None:
        """Copy the database's log into it, as the server's sweeps do; a long log makes every query slower."""
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def post_episode(self, data: Json, video: bytes) -> None:
        file = io.BytesIO(video)
        file.name = "episode.mp4"
        form = {"data": json.dumps(data), "video": file}
        reply = self._http.post("/api/v1/episodes/", form, headers={"authorization": f"Api-Key {KEY}"})
        if reply.status_code >= 400:
            raise RuntimeError(f"episode: {reply.status_code} {reply.content[:500]!r}")

    def _send(self, method: str, path: str, body: Json, *, authorization: str) -> Reply:
        data: Any = "" if method == "GET" else json.dumps(body)
        start = time.perf_counter()
        found = self._http.generic(
            method,
            f"/api/v1/{path}",
            data,
            content_type="application/json",
            headers={"authorization": authorization},
        )
        seconds = time.perf_counter() - start
        answer = SERVER_ERROR if found.status_code >= 500 else found.content
        return Reply(found.status_code, dict(found.headers), answer, seconds)


def make_projects(server: Product, spec: Spec, strategy: str) -> None:
    """Put the project of a trial and post its units; for a strategy in two projects also a second one like it."""
    bodies = [unit.body for unit in units_of(spec)]
    for slug in slugs_of(spec, strategy):
        server.pipeline("PUT", f"projects/{slug}/", project_body(spec, is_strict=STRATEGIES[strategy].is_strict))
        for first in range(0, len(bodies), AT_ONCE):
            server.pipeline("POST", f"projects/{slug}/tasks/", {"tasks": bodies[first : first + AT_ONCE]})


def make_episodes(server: Product) -> None:
    """Post the episodes that the marker projects share, and prepare their videos at once."""
    from config.celery import app

    import_module("jobs.tasks")
    # Each job runs at once, in this process.
    app.send_task = _run_now  # type: ignore[method-assign, assignment]
    server.pipeline("PUT", "agents/bench/", {"name": "Bench"})
    server.pipeline("PUT", "suites/bench/", {"title": "Bench"})
    scenario = {"instruction": "x", "category": "a", "skill": "b", "takeover_s": 0.0, "continuation_s": 5.0}
    server.pipeline("PUT", "suites/bench/scenarios/one/", scenario)
    video = _video()
    for number in range(EPISODES):
        data = {
            "external_id": f"episode-{number:04}",
            "agent": "bench",
            "suite": "bench",
            "scenario": "one",
            "continuation": number,
            "instruction": content_of("marker", number),
        }
        server.post_episode(data, video)


def _run_now(name: str, args: Sequence[Any]) -> None:
    from config.celery import app

    app.tasks[name](*args)


def _video() -> bytes:
    import av
    import numpy as np

    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        with av.open(file.name, "w") as out:
            stream = out.add_stream("libx264", rate=30)
            assert isinstance(stream, av.VideoStream)
            stream.width, stream.height, stream.pix_fmt = _WIDTH, _HEIGHT, "yuv420p"
            for number in range(_FRAMES):
                picture = np.full((_HEIGHT, _WIDTH, 3), 8 * number, dtype=np.uint8)
                out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            out.mux(stream.encode(None))
        return Path(file.name).read_bytes()


def _start(tree: Path, folder: str) -> Product:
    # The harness is of this tree and loaded already; the product's packages are found in the other one.
    sys.path[0] = str(tree)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "CROSSWALK_SECRET_KEY": "only-for-a-measurement-" + "x" * 40,
        "CROSSWALK_API_KEY": KEY,
        "CROSSWALK_DATA_DIR": folder,
        "CROSSWALK_LOG_LEVEL": "CRITICAL",
        "CROSSWALK_WORK_TOKEN_DAYS": "3650",
        "DATABASE_URL": "",
    }
    import django

    django.setup()
    from django.core.management import call_command

    call_command("prepare")
    return Product()


def _warm_up(server: Server, project: str) -> None:
    token = server.enter(project, "warm-up")
    for _ in range(WARM_UP):
        held = server.request(token, "POST", "claim/", {}).content
        server.request(token, "POST", f"assignments/{held['assignment']}/release/", {})
        server.pass_time(600)


def main(tree: str, seed: str, projects: str, first: str, step: str, *strategies: str) -> None:
    specs = drawn_specs(int(projects), seed=int(seed), strategies=strategies)[int(first) :: int(step)]
    with tempfile.TemporaryDirectory(prefix="crosswalk-blindness-") as folder:
        server = _start(Path(tree), folder)
        if any(spec.kind == "marker" for spec in specs):
            make_episodes(server)
        make_projects(server, WARMED_UP, "answer half")
        _warm_up(server, slugs_of(WARMED_UP, "answer half")[0])
        for spec in specs:
            server.tidy()
            for name in spec.strategies:
                make_projects(server, spec, name)
                trial = play(server, spec, name)
                print(json.dumps(trial.as_json()), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
