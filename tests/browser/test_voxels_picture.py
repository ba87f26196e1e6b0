"""The drawing of scenes: without WebGL, at the largest size, and how much of it the browser has to load."""

import gzip

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import Server
from tests.support.shared_data import ROOT
from tests.support.voxels_page import (
    CUBE,
    HOLE,
    SHAFT,
    SOFTWARE_WEBGL,
    TOP,
    WATCHED,
    VoxelsPage,
    answers,
    landscape,
    marks,
    project_of_scenes,
    scene,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
MOST_BYTES = 250_000
NO_WEBGL = """(() => {
    const open = HTMLCanvasElement.prototype.getContext
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith('webgl') ? null : open.call(this, kind, ...rest)
    }
})()"""


def test_without_webgl_scenes_are_drawn_and_marked_all_the_same(server: Server, page: Page) -> None:
    project = project_of_scenes(server, "voxels-flat", [{"scene": scene(), "phrase": "the shaft"}])
    page.add_init_script(NO_WEBGL)
    worker = VoxelsPage(page).enter(server.link(project, "old"))
    bare = worker.look()
    assert bare.newly_marked(bare) == set()
    worker.tool("same")
    worker.press(SHAFT[1])
    worker.tool("whole")
    worker.press(CUBE[3])
    assert worker.look().newly_marked(bare) == {*SHAFT, *CUBE} & set(WATCHED)
    worker.toggle("undo")
    worker.toggle("air")
    worker.press(HOLE[0])
    assert worker.look().newly_marked(bare) == {*SHAFT, *HOLE} & set(WATCHED)
    worker.toggle("undo")
    assert worker.look().newly_marked(bare) == set(SHAFT)
    worker.toggle("undo")
    assert worker.look().is_same(bare)
    worker.toggle("air")
    worker.tool("one")
    worker.press(TOP)
    assert worker.submit() == marks([TOP])
    assert answers(server, project) == [marks([TOP])]


def test_a_large_scene_is_drawn_and_marked_and_the_scripts_are_small(server: Server, page: Page) -> None:
    large = landscape()
    assert large["size"] == [64, 64, 64]
    assert len(large["blocks"]) == 20_000
    project = project_of_scenes(server, "voxels-large", [{"scene": large, "phrase": "the cabin"}])
    scripts: list[Response] = []
    page.on("response", lambda one: scripts.append(one) if one.request.resource_type == "script" else None)
    worker = VoxelsPage(page).enter(server.link(project, "large"))
    names = [one.url.partition("/static/")[2] for one in scripts]
    sizes = {name: len(gzip.compress((ROOT / "frontend" / "dist" / name).read_bytes())) for name in names}
    assert len(sizes) >= 3
    assert sum(sizes.values()) <= MOST_BYTES, sizes

    bare = worker.look()
    # Many colours: not an empty pane, and not one wall.
    assert len({tuple(pixel) for pixel in bare.pixels[::7, ::7].reshape(-1, 3).tolist()}) > 50
    page.locator("[data-picture]").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.locator("[data-remark]")).to_contain_text("There is no block here")
    worker.tool("same")
    box = page.locator("[data-pane]").last.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    count = worker.marked
    assert count > 0
    sent = worker.submit()
    assert len(sent["voxels"]) == count
    assert answers(server, project) == [sent]


def test_a_picture_that_the_browser_took_away_comes_back_with_the_marks(server: Server, page: Page) -> None:
    project = project_of_scenes(server, "voxels-lost", [{"scene": scene(), "phrase": "the shaft"}])
    worker = VoxelsPage(page).enter(server.link(project, "lost"))
    bare = worker.look()
    worker.tool("same")
    worker.press(SHAFT[0])
    marked = worker.look()
    assert marked.newly_marked(bare) == set(SHAFT)
    page.locator("[data-picture] canvas").evaluate(
        """async canvas => {
            const card = canvas.getContext('webgl2').getExtension('WEBGL_lose_context')
            const restored = new Promise(done => canvas.addEventListener('webglcontextrestored', done))
            card.loseContext()
            await new Promise(done => setTimeout(done))
            card.restoreContext()
            await restored
        }"""
    )
    assert worker.look().is_same(marked)
    assert page.locator("[role=alert]").count() == 0

    # This time for good.
    page.locator("[data-picture] canvas").evaluate(
        "canvas => canvas.getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()"
    )
    expect(page.get_by_role("alert")).to_contain_text("Your marks are kept", timeout=15_000)
    page.get_by_role("button", name="Draw it again").click()
    worker.ready()
    assert worker.look().newly_marked(bare) == set(SHAFT)
    assert worker.submit() == marks(SHAFT)
