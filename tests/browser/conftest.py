"""A real server, as `manage.py serve` starts it, and a real Chromium that visits it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.support.clips import barcode_clip
from tests.support.servers import make_tables, own_database, own_queue, wait_alive
from tests.support.shared_data import ROOT

KEY = "browser-tests-own-key"
PASSWORD = "browser-tests-password"
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

EXPECTED = ("Failed to load resource", "CONTEXT_LOST_WEBGL", "GPU stall due to ReadPixels")
"""Lines that a browser's console may have: faults that a test provokes (a lost lease, line or picture), and, where it
has no graphics card, that it reads back each picture that WebGL drew."""

# A slow machine is not a fault of a page.
expect.set_options(timeout=20_000)


@dataclass
class Server:
    """A running Crosswalk and a pipeline's client to it."""

    url: str
    api: httpx.Client
    folder: Path
    environment: dict[str, str]
    clips: dict[tuple[str, int], Path] = field(default_factory=dict)
    suites: set[str] = field(default_factory=set)

    def put(self, path: str, **body: Any) -> Any:
        return self._read(self.api.put(f"/api/v1{path}", json=body))

    def post(self, path: str, **body: Any) -> Any:
        return self._read(self.api.post(f"/api/v1{path}", json=body))

    def get(self, path: str) -> Any:
        return self._read(self.api.get(f"/api/v1{path}"))

    @staticmethod
    def _read(response: httpx.Response) -> Any:
        assert response.is_success, response.text
        return response.json()

    def answer(self, project: str, worker: str, outcome: str, frame: int) -> int:
        """Have a worker take the next task and answer it; the status of the answer, or of the refusal to give one."""
        token = self.post(f"/projects/{project}/links/", worker=worker)["token"]
        headers = {"Authorization": f"Bearer {token}"}
        held = self.api.post("/api/v1/work/claim/", headers=headers)
        if held.status_code != 200:
            return held.status_code
        address = f"/api/v1/work/assignments/{held.json()['assignment']}/submit/"
        return self.api.post(
            address, headers=headers, json={"answer": {"outcome": outcome, "frame": frame}}
        ).status_code

    def sleep_until_another_claims(self, project: str, page: Page) -> None:
        """As if the machine slept: nothing of the task leaves the page until its lease is over and it is another's."""
        page.route("**/heartbeat/", lambda route: route.abort())
        page.route("**/work/assignments/*/", lambda route: route.abort())
        token = self.post(f"/projects/{project}/links/", worker="quick")["token"]
        deadline = time.monotonic() + 30
        while self.api.post("/api/v1/work/claim/", headers={"Authorization": f"Bearer {token}"}).status_code != 200:
            assert time.monotonic() < deadline, "the lease does not end"
            page.wait_for_timeout(200)

    def reviewer(self, name: str, password: str, *, role: str = "reviewer") -> None:
        """A staff account with this role in every project; a repeat changes nothing."""
        code = (
            "from django.contrib.auth.models import User; from django.utils import timezone;"
            "from annotation.models import Membership;"
            f"found = User.objects.filter(username={name!r}).first();"
            f"user = found or User.objects.create_user({name!r}, password={password!r}, is_staff=True);"
            f"found or Membership.objects.create(user=user, role={role!r}, created_at=timezone.now())"
        )
        command = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "-c", code]
        subprocess.run(command, env=self.environment, check=True, cwd=ROOT)

    def link(self, project: str, worker: str) -> str:
        """The address that lets `worker` in."""
        return str(self.post(f"/projects/{project}/links/", worker=worker)["url"])

    def annotations(self, project: str, worker: str = "") -> list[dict[str, Any]]:
        """The answers in a project, or those of one worker."""
        lines = self.api.get(f"/api/v1/projects/{project}/annotations.jsonl").text.splitlines()
        rows = [json.loads(line) for line in lines]
        return [row for row in rows if not worker or row["worker"] == f"direct:{worker}"]

    def project_of_clips(self, slug: str, kinds: list[str], *, frames: int = 90, **changes: Any) -> str:
        """A live project whose tasks are barcoded clips of these kinds, all ready."""
        suite = self.suite_of_clips(kinds, frames=frames)
        self.put(
            f"/projects/{slug}/",
            **{
                "tool": "marker",
                "title": "Mark what the agent did",
                "instructions": ["# First page\n\nWatch.", "# Second page\n\nMark."],
                "suite": suite,
                "status": "live",
                "reference_rate": 0,
                "pay": {"base": {"amount": "0.30", "currency": "USD"}},
                **changes,
            },
        )
        return slug

    def suite_of_clips(self, kinds: list[str], *, frames: int = 90) -> str:
        """A suite of these clips. Preparing a video takes seconds, so each suite is made once for a server."""
        suite = "-".join([*(kind.replace("_", "-") for kind in kinds), str(frames)])
        if suite not in self.suites:
            self.put(f"/agents/{suite}/", name=suite)
            self.put(f"/suites/{suite}/", title=suite)
            self.put(
                f"/suites/{suite}/scenarios/only/",
                instruction="put the red ball next to the green key",
                category="put",
                skill="instruction following",
                takeover_s=0.5,
                continuation_s=600,
                criteria="The ball lies on a square that touches the key's.",
            )
            for number, kind in enumerate(kinds):
                if (kind, frames) not in self.clips:
                    folder = self.folder / f"{kind}-{frames}"
                    self.clips[kind, frames] = barcode_clip(folder, kind=kind, frames=frames).path
                self._post_clip(suite, number, self.clips[kind, frames], agent=suite)
            self._wait_ready([f"{suite}-{number}" for number, _ in enumerate(kinds)])
            self.suites.add(suite)
        return suite

    def add_agent(self, agent: str, suite: str, kinds: list[str], *, frames: int = 90) -> None:
        """Have another agent try the suite of these clips, with the same clips."""
        if agent not in self.suites:
            self.put(f"/agents/{agent}/", name=agent)
            for number, kind in enumerate(kinds):
                self._post_clip(suite, number, self.clips[kind, frames], agent=agent)
            self._wait_ready([f"{agent}-{number}" for number, _ in enumerate(kinds)])
            self.suites.add(agent)

    def _post_clip(self, suite: str, number: int, clip: Path, *, agent: str) -> None:
        data = {
            "external_id": f"{agent}-{number}",
            "agent": agent,
            "suite": suite,
            "scenario": "only",
            "continuation": number,
            "transcript": [{"at_s": 0.5, "speaker": "player", "text": "put the red ball next to the green key"}],
        }
        with clip.open("rb") as video:
            self._read(self.api.post("/api/v1/episodes/", data={"data": json.dumps(data)}, files={"video": video}))

    def _wait_ready(self, episodes: list[str]) -> None:
        deadline = time.monotonic() + 120
        for episode in episodes:
            while (status := self.get(f"/episodes/{episode}/")["status"]) == "preparing":
                assert time.monotonic() < deadline, f"{episode} is not prepared after two minutes"
                time.sleep(0.2)
            assert status == "ready"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server whose data lies in the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    database, drop = own_database()
    queue, give_up = own_queue()
    environment = {
        **os.environ,
        **database,
        **queue,
        "CROSSWALK_DATA_DIR": str(folder),
        "CROSSWALK_PORT": str(port),
        "CROSSWALK_API_KEY": KEY,
        "CROSSWALK_ADMIN_PASSWORD": PASSWORD,
        "CROSSWALK_LOG_LEVEL": "warning",
        # Tests leave sessions open, and share a server.
        "CROSSWALK_BUILDER_CAPACITY": "200",
    }
    manage = [sys.executable, str(ROOT / "manage.py")]
    make_tables(folder, environment)
    subprocess.run([*manage, "prepare"], env=environment, check=True, cwd=ROOT)
    log = (folder / "log").open("w")
    process = subprocess.Popen([*manage, "serve"], env=environment, cwd=ROOT, stdout=log, stderr=log)
    try:
        wait_alive(url, process, folder / "log")
        with httpx.Client(base_url=url, headers={"Authorization": f"Api-Key {KEY}"}, timeout=30) as api:
            yield Server(url, api, folder, environment)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        log.close()
        drop()
        give_up()


@pytest.fixture(scope="module")
def chromium(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser for one file of tests, started with what the file names as CHROMIUM_FLAGS too.

    Not for the whole run: while Playwright is there an event loop runs in this thread, and Django refuses the database
    to every test that comes after on the same worker.
    """
    with launched([*FLAGS, *getattr(request.module, "CHROMIUM_FLAGS", ())]) as browser:
        yield browser


@contextmanager
def launched(flags: list[str]) -> Iterator[Browser]:
    """A Chromium with these flags."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = next((found for name in names if (found := shutil.which(name))), None)
    assert path, "the browser tests need Chromium: run scripts/browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A fresh browser profile on a small laptop's screen."""
    found = chromium.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    yield found
    found.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose console must stay silent: no errors, no policy violations."""
    with silent_page(context) as found:
        yield found


def sign_in(page: Page, server: Server, path: str = "", *, name: str = "admin", password: str = PASSWORD) -> Page:
    """Open a staff page as this account."""
    page.goto(f"{server.url}/staff/{path}")
    page.get_by_label("User").fill(name)
    page.get_by_label("Password").fill(password)
    with page.expect_navigation():
        page.get_by_role("button", name="Sign in").click()
    return page


@pytest.fixture
def staff(page: Page, server: Server) -> Page:
    """The overview, on which `admin` has signed in."""
    return sign_in(page, server)


@contextmanager
def silent_page(context: BrowserContext) -> Iterator[Page]:
    """As the fixture `page`, in a browser profile of one's own."""
    said: list[str] = []
    found = context.new_page()
    found.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    found.on("pageerror", lambda error: said.append(str(error)))
    yield found
    assert [line for line in said if not any(expected in line for expected in EXPECTED)] == []
