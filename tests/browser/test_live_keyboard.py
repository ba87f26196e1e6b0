"""A whole session without a mouse; after each key the focus must be somewhere."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.live_page import LivePage, project_of_sessions, records_of
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
IS_SOMEWHERE = "() => document.activeElement !== null && document.activeElement !== document.body"
HAS_FOCUS = "what => document.activeElement?.matches(what)"
MOST_TABS = 80


class Keys:
    """Presses keys; after each the focus must be somewhere, and be seen to be there."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            assert self.page.evaluate(IS_SOMEWHERE), f"the focus is lost after {key}"

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        assert self.page.evaluate(IS_SOMEWHERE)

    def await_focus(self, what: str) -> None:
        """Wait until the focus is led to this; it is somewhere all the while."""
        self.page.wait_for_function(HAS_FOCUS, arg=what)

    def go_to(self, what: str, *, key: str = "Tab") -> None:
        """Press Tab until the focus is there."""
        for _ in range(MOST_TABS):
            if self.page.evaluate(HAS_FOCUS, what):
                return
            self.press(key)
        raise AssertionError(f"{what} is not reached with {key}")


def test_a_whole_session_by_keyboard_alone(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-keys")
    worker, keys = LivePage(page), Keys(page)
    page.goto(server.link(project, "keys"))
    keys.await_focus("[data-next-page]")
    keys.press("Enter")
    keys.await_focus("[data-close-instructions]")
    keys.press("Enter")
    keys.await_focus("[data-card=start]")
    worker.ready()
    keys.press("Tab")
    keys.await_focus("[data-start]")
    keys.press("Enter")
    keys.await_focus("[data-command]")

    with records_of(server, project) as records:
        # The world has the keys as long as one is in it.
        keys.go_to("[data-world]", key="Shift+Tab")
        # In short steps: who holds the key down until the server has heard of it may stand in front of the assistant.
        for _ in range(20):
            page.keyboard.press("w", delay=150)
            if any(pose["z"] > 3.5 for pose in records.bodies("pose", sender="worker")):
                break
        records.wait_for("pose", lambda pose: pose["z"] > 3.5)
        keys.press("r", "ArrowDown", "ArrowDown", "e")
        placed = records.wait_for("place")
        keys.press("q")
        assert records.wait_for("destroy") == {"at": placed["at"]}
        keys.press("ArrowUp", "ArrowUp")
        keys.go_to("[data-command]")

        _answer_by_numbers(worker, keys)
        assert records.bodies("outcome")[-1]["outcome"] == "other_error"
        _stop_it(worker, keys)
        _choose_one_of_two(worker, keys)
        _open_and_close(keys)
        _hand_in(keys)
        worker.checks()
        assert records.bodies("closed") == [{"reason": "finished"}]
        answer = server.annotations(project)[0]["answer"]
        assert (answer["usability"], answer["performance"], answer["feedback"]) == (5, 3, "By keys.")


def _answer_by_numbers(worker: LivePage, keys: Keys) -> None:
    """Each question has the focus; its answers are one key; words of one's own are written where the focus is led."""
    keys.type("turn left")
    keys.press("Enter")
    keys.await_focus("[data-node=done]")
    keys.press("2")
    keys.await_focus("[data-node=understood]")
    keys.press("Backspace")
    keys.await_focus("[data-node=done]")
    keys.press("2")
    keys.await_focus("[data-node=understood]")
    keys.press("1")
    keys.await_focus("[data-node=what]")
    keys.press("5")
    keys.await_focus("[data-card-words]")
    keys.type("It turned 2 much?")
    keys.press("Enter")
    keys.await_focus("[data-command]")
    worker.await_field()


def _stop_it(worker: LivePage, keys: Keys) -> None:
    keys.type("dance forever")
    keys.press("Enter")
    expect(worker.page.locator("[data-status=acting]")).to_be_visible()
    keys.go_to("[data-stop]")
    keys.press("Enter")
    keys.await_focus("[data-node=done]")
    expect(worker.page.locator("[data-went=stopped]")).to_be_visible()
    keys.press("1")
    keys.await_focus("[data-command]")
    worker.await_field()


def _choose_one_of_two(worker: LivePage, keys: Keys) -> None:
    keys.type("destroy the cube")
    keys.press("Enter")
    keys.await_focus("[data-card=ask]")
    # By button this time.
    keys.press("Tab")
    keys.await_focus("[data-choice='0']")
    keys.press("Enter")
    keys.await_focus("[data-node=done]")
    keys.press("1")
    keys.await_focus("[data-command]")
    worker.await_field()


def _open_and_close(keys: Keys) -> None:
    """A dialog over the page gives the focus back."""
    keys.go_to("[data-leave]", key="Shift+Tab")
    keys.press("Enter")
    expect(keys.page.locator("dialog[open] [data-leave-now]")).to_be_visible()
    keys.press("Escape")
    keys.await_focus("[data-command]")
    keys.go_to("[data-instructions-again]", key="Shift+Tab")
    keys.press("Enter")
    keys.await_focus("#live-instructions")
    keys.press("Escape")
    keys.await_focus("[data-instructions-again]")
    keys.press("?")
    expect(keys.page.locator("dialog[open]")).to_contain_text("answer a question, by its number")
    keys.press("Escape")
    keys.await_focus("[data-command]")


def _hand_in(keys: Keys) -> None:
    keys.go_to("[data-to-last]", key="Shift+Tab")
    keys.press("Enter")
    keys.await_focus("[data-last] h1")
    keys.go_to("[name=usability]")
    keys.press("Space", *["ArrowRight"] * 4)
    keys.go_to("[name=performance]")
    keys.press("Space", "ArrowRight", "ArrowRight")
    keys.go_to("[data-feedback]")
    keys.type("By keys.")
    keys.go_to("[data-finish]")
    keys.press("Enter")
    keys.await_focus("[data-ended=finished] h1")
    keys.go_to("[data-more]")
