"""A session goes on where it was, however the line to the server was lost."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import conftest
from tests.browser.conftest import Server, silent_page
from tests.support.live_page import PATIENCE_MS, LivePage, bluish, project_of_sessions, records_of
from tests.support.sockets import cable_to
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
YES = 0
ORANGE = 47


@pytest.fixture
def page(context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page whose console says nothing but that a socket was lost: it is cut on purpose."""
    monkeypatch.setattr(conftest, "EXPECTED", (*conftest.EXPECTED, "WebSocket connection to"))
    with silent_page(context) as found:
        yield found


def test_what_is_done_without_a_line_comes_when_it_is_back(server: Server, context: BrowserContext, page: Page) -> None:
    project = project_of_sessions(server, "live-offline")
    worker = LivePage(page).enter(server.link(project, "offline")).begin()
    context.set_offline(True)
    expect(page.locator("[data-connection]")).to_contain_text("No connection")
    expect(page.locator("[data-presence]")).to_contain_text("no connection")
    worker.place(ORANGE)
    worker.tell("build a small blue cube")
    expect(page.locator("[data-status=sending]")).to_be_visible()
    context.set_offline(False)
    worker.card("done")
    expect(page.locator("[data-connection]")).to_have_text("")
    assert bluish(worker.look()) > 1000
    with records_of(server, project) as records:
        assert [body["text"] for body in records.bodies("command")] == ["build a small blue cube"]
        assert [body["block"] for body in records.bodies("place")] == [ORANGE]
        records.are_once()


def test_a_cable_pulled_midway_is_noticed_and_mended(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-cable")
    there = urlsplit(server.url)
    with cable_to(there.port or 0) as cable, records_of(server, project) as records:
        link = server.link(project, "cable").replace(there.netloc, f"127.0.0.1:{cable.port}")
        worker = LivePage(page).enter(link).begin()
        worker.tell("dance forever")
        expect(page.locator("[data-status=acting]")).to_be_visible()
        cable.pull()
        expect(page.locator("[data-connection]")).to_contain_text("No connection")
        page.locator("[data-stop]").click()
        worker.place(ORANGE)
        cable.plug()
        worker.pick("done", YES)
        worker.await_field()
        expect(page.locator("[data-connection]")).to_have_text("")
        for _ in range(3):
            worker.tell("turn left")
            cable.pull()
            cable.plug()
            worker.pick("done", YES)
        worker.await_field()
        assert [body["text"] for body in records.bodies("command")] == ["dance forever", *["turn left"] * 3]
        assert len(records.bodies("place")) == 1
        records.are_once()
        worker.reflect()
        worker.finish()


def test_a_line_that_falls_silent_is_given_up_and_what_comes_late_counts_once(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-frozen")
    there = urlsplit(server.url)
    with cable_to(there.port or 0) as cable, records_of(server, project) as records:
        link = server.link(project, "frozen").replace(there.netloc, f"127.0.0.1:{cable.port}")
        worker = LivePage(page).enter(link).begin()
        cable.freeze()
        worker.place(ORANGE)
        worker.tell("turn left")
        expect(page.locator("[data-status=sending]")).to_be_visible()
        expect(page.locator("[data-connection]")).to_contain_text("No connection", timeout=PATIENCE_MS)
        # The old line and the new one bring the same.
        cable.plug()
        worker.pick("done", YES)
        worker.obeyed("turn right")
        assert [body["text"] for body in records.bodies("command")] == ["turn left", "turn right"]
        assert len(records.bodies("place")) == 1
        records.are_once()
