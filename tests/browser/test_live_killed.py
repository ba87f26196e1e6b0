"""The web server is killed in the middle of a session, and comes back: the page and the agent go on."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import conftest
from tests.browser.conftest import KEY, PASSWORD, Server, silent_page
from tests.support.live_page import PATIENCE_MS, LivePage, project_of_sessions, records_of
from tests.support.servers import Site, own_site
from tests.support.shared_data import ROOT
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
ORANGE = 47


@pytest.fixture
def page(context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page whose console says nothing but that the server is not there."""
    monkeypatch.setattr(conftest, "EXPECTED", (*conftest.EXPECTED, "WebSocket connection to"))
    with silent_page(context) as found:
        yield found


@contextmanager
def killable(folder: Path) -> Iterator[tuple[Site, Server]]:
    """A server whose web process can be killed alone, with the built-in agent beside it."""
    keys = {"CROSSWALK_API_KEY": KEY, "CROSSWALK_ADMIN_PASSWORD": PASSWORD}
    with own_site(folder, **keys) as site:
        site.start()
        url = f"http://127.0.0.1:{site.port}"
        command = [sys.executable, str(ROOT / "manage.py"), "builder", "--url", site.socket_url]
        with (folder / "builder.log").open("w") as said:
            builder = subprocess.Popen(command, env=site.environment, cwd=ROOT, stdout=said, stderr=said)
        try:
            with httpx.Client(base_url=url, headers={"Authorization": f"Api-Key {KEY}"}, timeout=30) as api:
                yield site, Server(url, api, folder, site.environment)
        finally:
            builder.terminate()
            builder.wait(timeout=30)


def test_a_killed_server_comes_back_and_the_session_goes_on(tmp_path: Path, page: Page) -> None:
    with killable(tmp_path) as (site, server):
        project = project_of_sessions(server, "live-kill")
        worker = LivePage(page).enter(server.link(project, "killed")).begin()
        worker.obeyed("build a small blue cube")
        worker.tell("dance forever")
        expect(page.locator("[data-status=acting]")).to_be_visible()
        site.kill()
        expect(page.locator("[data-connection]")).to_contain_text("No connection")
        worker.place(ORANGE)
        page.locator("[data-stop]").click()
        site.start()
        expect(page.locator("[data-node]")).to_be_visible(timeout=2 * PATIENCE_MS)
        page.locator("[data-choice='0']").click()
        worker.await_field()
        worker.obeyed("turn left")
        with records_of(server, project) as records:
            assert len(records.bodies("place")) == 1
            assert len(records.bodies("command")) == 3
            records.are_once()
            worker.reflect()
            worker.finish()
            assert records.bodies("closed") == [{"reason": "finished"}]
