"""The voxel page in Chromium: the time until a scene is drawn, and until an edit is drawn.

Frames come as fast as they are drawn, so that the times do not include waiting for a screen.
"""

import os
import re
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Page

from bench.rows import Row
from tests.browser.conftest import FLAGS, Server, launched, serving
from tests.support.voxels_page import COBBLESTONE, DIRT, Cell, VoxelsPage, block_of, landscape, project_of_scenes, steps

PAINTS, EDITS = 9, 40
FIRST_MS, FRAME_MS = 300.0, 1000 / 60
"""The limits that we want to keep with a graphics card; without one, twice as much."""
SOFTWARE = re.compile("swiftshader|llvmpipe|softpipe|software|basic render", re.IGNORECASE)
BENCH_FLAGS = [flag for flag in FLAGS if flag != "--disable-gpu"] + [
    *("--ignore-gpu-blocklist", "--enable-unsafe-swiftshader"),
    *("--disable-frame-rate-limit", "--disable-gpu-vsync"),
]
CLOCKS = """(() => {
    let gl = null
    const open = HTMLCanvasElement.prototype.getContext
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        const made = open.call(this, kind, ...rest)
        if (kind === 'webgl2' && this.isConnected) gl = made
        return made
    }
    // A pixel that is read has been drawn: the commands before it are done.
    const drawn = () => {
        gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))
        return performance.now()
    }
    window.benchEdits = []
    window.benchFirst = null
    window.benchRenderer = () => {
        const names = gl?.getExtension('WEBGL_debug_renderer_info')
        return names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : 'no WebGL'
    }
    // Frames are drawn in the order in which they were asked for: by now the page has asked for its own.
    addEventListener('keydown', ({timeStamp}) =>
        requestAnimationFrame(() => window.benchEdits.push(drawn() - timeStamp)))
    new MutationObserver(() => {
        if (window.benchFirst !== null || !document.querySelector('[data-ready="1"]')) return
        const shown = drawn()
        const [claim] = performance.getEntriesByType('resource').filter(({name}) => name.endsWith('/claim/'))
        window.benchFirst = shown - claim.responseEnd
    }).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-ready']})
})()"""


def run() -> list[Row]:
    folder = Path(os.environ["CROSSWALK_DATA_DIR"]) / "server"
    folder.mkdir()
    with serving(folder) as server, launched(BENCH_FLAGS) as chromium:
        page = chromium.new_context(viewport={"width": 1280, "height": 720}).new_page()
        page.add_init_script(CLOCKS)
        rows = _measured(server, page, "bench-large", landscape(), top=(31, 15, 31))
        return rows + _measured(server, page, "bench-small", _block_alone(), top=(8, 11, 8))


def _block_alone() -> dict[str, Any]:
    """17 x 13 x 17, the size of the paper's scenes: a thousand stones on flat ground."""
    ground = [[*cell, DIRT] for cell in block_of((0, 0, 0), (16, 1, 16))]
    stones = [[*cell, COBBLESTONE] for cell in block_of((4, 2, 4), (13, 11, 13))]
    return {"size": [17, 13, 17], "blocks": sorted(ground + stones), "agent": None, "player": None}


def _measured(server: Server, page: Page, slug: str, scene: dict[str, Any], *, top: Cell) -> list[Row]:
    """The rows of a scene; `top` is one of a thousand blocks of a kind."""
    project = project_of_scenes(server, slug, [{"scene": scene, "phrase": "the stones"}])
    worker = VoxelsPage(page).enter(server.link(project, "bench"))
    paints = [_paint(worker) for _ in range(PAINTS)]
    edits = {"one block": _edits(worker, "1", top, cells=1), "1,000 blocks": _edits(worker, "3", top, cells=1000)}
    renderer = str(page.evaluate("benchRenderer()"))
    software = SOFTWARE.search(renderer)
    slack = 2 if software else 1
    where = f"{' x '.join(map(str, scene['size']))}, {len(scene['blocks']):,} blocks, by {_name(renderer)}"
    rows = [_row(f"a scene until it is drawn: {where}", "from its arrival", paints, FIRST_MS * slack)]
    return rows + [_row(f"a mark until it is drawn: {where}", *one, FRAME_MS * slack) for one in edits.items()]


def _paint(worker: VoxelsPage) -> float:
    worker.page.reload()
    worker.ready()
    worker.page.wait_for_function("() => benchFirst !== null")
    return float(worker.page.evaluate("benchFirst"))


def _edits(worker: VoxelsPage, tool: str, top: Cell, *, cells: int) -> list[float]:
    """Mark with the cursor and undo, again and again. Returns the time of each mark."""
    press = worker.page.keyboard.press
    worker.page.locator("[data-picture]").focus()
    press(tool)
    press("Home")
    for key in steps(worker.cursor, top):
        press(key)
    assert worker.cursor == top
    found = []
    for _ in range(EDITS):
        worker.page.evaluate("benchEdits.length = 0")
        press("Enter")
        worker.page.wait_for_function("() => benchEdits.length === 1")
        found.append(float(worker.page.evaluate("benchEdits[0]")))
        assert worker.marked == cells
        press("z")
        worker.page.wait_for_function("() => benchEdits.length === 2")
    return found


def _row(part: str, case: str, ms: list[float], budget: float) -> Row:
    p95 = quantiles(ms, n=20)[-1] if len(ms) >= EDITS else None
    return Row(part, case, median(ms), p95, "ms", median(ms) / budget, "budget", budget=f"{budget:.1f} ms")


def _name(renderer: str) -> str:
    """The renderer in a few words, from a name like `ANGLE (maker, card and its version, driver)`."""
    if software := SOFTWARE.search(renderer):
        return f"{software[0]} (no graphics card)"
    return renderer.removeprefix("ANGLE (").split(", ")[1 if ", " in renderer else 0][:40]
