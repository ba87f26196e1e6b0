"""A scene marked without a mouse, from the link to the answer; the focus and the spoken line are followed all along."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.voxels_page import (
    CUBE,
    ROW,
    SHAFT,
    SOFTWARE_WEBGL,
    TOP,
    Cell,
    VoxelsPage,
    answers,
    marks,
    project_of_scenes,
    scene,
    steps,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
FOCUS = """() => {
    const at = document.activeElement
    return !at || at === document.body ? '' : at.dataset.picture !== undefined ? 'picture' : at.outerHTML.slice(0, 80)
}"""


class Keys:
    """Presses keys; after each the focus must be somewhere."""

    def __init__(self, worker: VoxelsPage) -> None:
        self.worker = worker
        self.page = worker.page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            assert self.focus() != "", f"the focus is lost after {key}"

    def focus(self) -> str:
        return str(self.page.evaluate(FOCUS))

    def await_picture(self) -> None:
        """Wait until the focus is led to the picture."""
        self.page.wait_for_function(f"() => ({FOCUS})() === 'picture'")

    def walk(self, to: Cell) -> None:
        self.press(*steps(self.worker.cursor, to))
        assert self.worker.cursor == to


def test_a_scene_is_marked_by_keyboard_alone(server: Server, page: Page) -> None:
    payloads = [{"scene": scene(), "phrase": phrase} for phrase in ("the cube and the shaft", "the moon")]
    project = project_of_scenes(server, "voxels-keys", payloads)
    page.goto(server.link(project, "keys"))
    page.keyboard.press("Escape")
    worker = VoxelsPage(page).ready()
    keys = Keys(worker)
    keys.await_picture()
    aloud = page.locator("[data-aloud]")
    expect(aloud).to_have_attribute("aria-live", "polite")

    # The first press shows the cursor; from then on each step is said.
    keys.press("ArrowUp")
    assert worker.cursor == (4, 3, 4)
    expect(aloud).to_contain_text("air · x 4, y 3, z 4 · not marked")
    keys.walk(SHAFT[0])
    expect(aloud).to_contain_text("yellow wool · x 7, y 2, z 7 · not marked")
    keys.press("3", "Enter")
    expect(aloud).to_contain_text("· marked. 3 blocks marked")
    keys.press("z")
    expect(aloud).to_contain_text("· not marked. Nothing marked yet")
    keys.press("Shift+Z")
    assert worker.marked == len(SHAFT)

    # A box between two corners, dropped once.
    keys.walk(CUBE[0])
    keys.press("2", "Enter")
    expect(page.locator("[data-remark]")).to_contain_text("First corner set")
    keys.press("Escape")
    assert keys.focus() == "picture"
    keys.press("Enter")
    keys.walk(CUBE[-1])
    keys.press("Space")
    assert worker.marked == len(SHAFT) + len(CUBE)
    keys.walk(ROW[0])
    keys.press("1", "Enter")
    keys.press("u", "Enter", "u")
    assert worker.marked == len(SHAFT) + len(CUBE)

    # The picture turned, cut open and shown whole again: the marks stay.
    keys.press("q", "r", "+", "Shift+ArrowLeft", "0")
    keys.press("v", "ArrowRight", "ArrowRight")
    assert "data-plane" in keys.focus()
    expect(page.locator("[data-cut] .badge")).to_be_visible()
    keys.press("Escape")
    assert keys.focus() == "picture"
    keys.press("?")
    expect(page.locator("dialog[open]")).to_be_visible()
    keys.press("Escape")
    keys.await_picture()
    assert worker.submit(by_key=True) == marks([*SHAFT, *CUBE])

    # The next scene has the focus at once, and what is not there is one key.
    keys.await_picture()
    expect(worker.root).to_have_attribute("data-marked", "0")
    keys.press("n")
    assert worker.submit(by_key=True) == {"absent": True}
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    # The page leads the focus once the end is drawn.
    page.wait_for_function(f"() => ({FOCUS})() !== ''")
    assert answers(server, project) == [marks([*SHAFT, *CUBE]), {"absent": True}]


def test_every_control_is_reached_with_tab_and_does_its_work(server: Server, page: Page) -> None:
    project = project_of_scenes(server, "voxels-tab", [{"scene": scene(), "phrase": "the top"}])
    page.goto(server.link(project, "tab"))
    page.keyboard.press("Escape")
    worker = VoxelsPage(page).ready()
    keys = Keys(worker)
    keys.await_picture()
    seen: list[str] = []
    for _ in range(60):
        keys.press("Tab")
        seen.append(keys.focus())
        if "data-done" in seen[-1]:
            break
    for name in ("data-undo", "data-redo", "data-clear", "data-absent", "data-done"):
        assert any(name in one for one in seen), f"{name} is not reached after the picture"
    for _ in range(80):
        keys.press("Shift+Tab")
        if 'data-tool="box"' in keys.focus():
            break
    assert 'data-tool="box"' in keys.focus()
    keys.press("Space")
    expect(page.locator("[data-tool=box]")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-picture]").focus()
    keys.press("Home")
    keys.walk(TOP)
    keys.press("Enter", "Enter")
    assert worker.submit(by_key=True) == marks([TOP])
