"""The obstacles of a hurried worker: room for each button however much is said, and a word for each press."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.live_page import PATIENCE_MS, LivePage, project_of_sessions, records_of
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
YES, NO, OTHER = 0, 1, 4
IS_SCROLLED = "document.documentElement.scrollHeight > innerHeight || scrollY > 0"


def test_however_much_is_said_the_answers_and_the_field_stay_in_view(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "room-talk")
    worker = LivePage(page).enter(server.link(project, "talker")).begin()
    for way in ("left", "right", "left", "right", "left"):
        worker.obeyed(f"turn {way}")
    assert not page.evaluate(IS_SCROLLED)
    long = "sing me " + " and ".join(["a very sad song about the flowers on the meadow"] * 9)
    worker.tell(long)
    worker.pick("done", NO)
    card = worker.card("understood")
    expect(card.locator("[data-parse]")).to_contain_text("a very sad song")
    # What was asked is in view beside what was understood.
    expect(card.locator("[data-asked]")).to_contain_text(long)
    for choice in (YES, NO):
        expect(card.locator(f"[data-choice='{choice}']")).to_be_in_viewport(ratio=1)
    expect(worker.field).to_be_in_viewport(ratio=1)
    assert not page.evaluate(IS_SCROLLED)


def test_words_of_ones_own_outlive_a_step_back_and_a_reload_and_a_double_click_answers_once(
    server: Server, page: Page
) -> None:
    project = project_of_sessions(server, "room-words")
    worker = LivePage(page).enter(server.link(project, "writer")).begin()
    worker.tell("turn left")
    worker.pick("done", NO)
    # The second press of a double click: it lies under the pointer when the next question has come.
    worker.card("understood").locator(f"[data-choice='{NO}']").dispatch_event("click", {"detail": 2})
    worker.pick("understood", YES)
    worker.pick("what", OTHER)
    words = page.locator("[data-card-words]")
    words.fill("It turned too far.")
    page.locator("[data-back]").click()
    worker.pick("what", OTHER)
    expect(words).to_have_value("It turned too far.")
    page.reload()
    worker.ready()
    worker.pick("what", OTHER)
    expect(words).to_have_value("It turned too far.")
    with records_of(server, project) as records:
        page.locator("[data-send-words]").click()
        worker.await_field()
        marks = [(body["node"], body["choice"], body.get("text")) for body in records.bodies("mark")]
        assert marks[:2] == [("done", NO, None), ("understood", YES, None)]
        assert marks[-1] == ("what", OTHER, "It turned too far.")


def test_the_world_says_why_nothing_was_built_and_is_not_covered_while_it_is_asked_about(
    server: Server, page: Page
) -> None:
    project = project_of_sessions(server, "room-world")
    worker = LivePage(page).enter(server.link(project, "builder")).begin()
    invite = page.locator("[data-invite]")
    expect(invite).to_be_visible()
    worker.tell("destroy the cube")
    worker.card("ask")
    expect(invite).to_have_count(0)
    worker.pick("ask", YES)
    worker.pick("done", YES)
    worker.await_field()
    # Straight ahead nothing is near. It is said for a while, and again with each press.
    worker.world.focus()

    def says_so() -> bool:
        page.keyboard.press("e")
        return page.locator("[data-where] [data-missed=far]").count() == 1

    worker.until(says_so)
    expect(page.locator("[data-missed]")).to_have_count(0, timeout=PATIENCE_MS)


def test_who_would_leave_though_they_may_finish_is_told(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "room-leave")
    worker = LivePage(page).enter(server.link(project, "leaving")).begin()
    page.locator("[data-leave]").click()
    expect(page.locator("[data-finish-instead]")).to_have_count(0)
    page.locator("[data-stay]").click()
    worker.obeyed("turn left")
    expect(page.locator("[data-to-last].btn-primary")).to_be_visible(timeout=PATIENCE_MS)
    page.locator("[data-leave]").click()
    expect(page.locator("[data-finish-instead]")).to_contain_text("press Stay, then Finish")
