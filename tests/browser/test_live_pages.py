"""A session goes on where it was, after a reload and on another page."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Server, silent_page
from tests.support.live_page import LivePage, project_of_sessions, records_of
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
YES, NO = 0, 1
ORANGE = 47


def test_a_reload_loses_and_doubles_nothing(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-reload")
    worker = LivePage(page).enter(server.link(project, "reloader")).begin()
    with records_of(server, project) as records:
        worker.obeyed("build a small blue cube")
        worker.place(ORANGE)
        worker.await_field()
        worker.field.fill("half a sent")
        records.wait_for("place")
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
        expect(other.locator("[data-closed='4409']")).to_be_visible()
        first.await_field()
        first.until(lambda: first.talk() == second.talk())
        first.obeyed("turn around")
        assert [body["text"] for body in records.bodies("command")] == ["turn left", "turn right", "turn around"]
        records.are_once()
