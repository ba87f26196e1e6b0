"""A session goes on where it was: after a reload, on another page, without a line, and after the server was killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import conftest
from tests.browser.conftest import KEY, PASSWORD, Server, silent_page
from tests.support.live_page import PATIENCE_MS, LivePage, bluish, project_of_sessions, records_of
from tests.support.servers import Site, own_site
from tests.support.shared_data import ROOT
from tests.support.sockets import cable_to
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
YES, NO = 0, 1
ORANGE = 47


@pytest.fixture
def page(context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page whose console says nothing but that a socket was lost: it is cut on purpose."""
    monkeypatch.setattr(conftest, "EXPECTED", (*conftest.EXPECTED, "WebSocket connection to"))
    with silent_page(context) as found:
        yield found


def test_a_reload_loses_and_doubles_nothing(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-reload")
    worker = LivePage(page).enter(server.link(project, "reloader")).begin()
    with records_of(server, project) as records:
        worker.obeyed("build a small blue cube")
        worker.place(ORANGE)
        worker.await_field()
        worker.field.fill("half a sent")
        records.wait_for("place")
        # Long after the draft was saved, a moment before the page is gone.
        page.wait_for_timeout(1000)
        worker.world.focus()
        page.keyboard.press("ArrowUp")
        worker.field.focus()
        seen, said = worker.look(), worker.talk()
        page.reload()
        worker.ready()
        expect(worker.field).to_have_value("half a sent")
        worker.until(lambda: worker.talk() == said)
        # The invitation to click is there again.
        worker.world.focus()
        worker.field.focus()
        worker.until(lambda: bool((abs(worker.look() - seen).max(axis=2) > 8).mean() < 0.01))

        # In the middle of a command, and of a question.
        worker.tell("dance forever")
        expect(page.locator("[data-status=acting]")).to_be_visible()
        page.reload()
        worker.ready()
        expect(page.locator("[data-status=acting]")).to_be_visible()
        page.locator("[data-stop]").click()
        worker.pick("done", NO)
        worker.card("understood")
        page.reload()
        worker.ready()
        worker.card("understood")
        page.locator("[data-back]").click()
        worker.pick("done", YES)
        worker.await_field()
        worker.reflect(feedback="kept")
        worker.until(lambda: bool(records.bodies("reflect")))
        page.reload()
        worker.ready()
        page.locator("[data-to-last]").click()
        expect(page.locator("[data-feedback]")).to_have_value("kept")
        worker.finish()
        assert [body["text"] for body in records.bodies("command")] == ["build a small blue cube", "dance forever"]
        assert len(records.bodies("place")) == 1


def test_of_two_pages_the_later_has_the_session(server: Server, context: BrowserContext, page: Page) -> None:
    project = project_of_sessions(server, "live-two")
    link = server.link(project, "twice")
    first = LivePage(page).enter(link).begin()
    first.obeyed("turn left")
    with silent_page(context) as other, records_of(server, project) as records:
        second = LivePage(other)
        other.goto(link)
        second.ready()
        expect(page.locator("[data-closed='4409']")).to_be_visible()
        second.until(lambda: second.talk() == first.talk())
        second.obeyed("turn right")
        # The first does not take it back by itself.
        expect(page.locator("[data-closed='4409']")).to_be_visible()
        page.locator("[data-continue]").click()
        # The button that was pressed is gone.
        expect(first.field).to_be_focused()
        expect(other.locator("[data-closed='4409']")).to_be_visible()
        first.await_field()
        first.until(lambda: first.talk() == second.talk())
        first.obeyed("turn around")
        assert [body["text"] for body in records.bodies("command")] == ["turn left", "turn right", "turn around"]
        records.are_once()


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
