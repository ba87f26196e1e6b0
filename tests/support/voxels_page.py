"""The page of the voxel annotator, driven by mouse, touch or keyboard, and the contents of its pictures."""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, silent_page

SOFTWARE_WEBGL = (
    *("--use-gl=angle", "--use-angle=swiftshader"),
    *("--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"),
)
"""Flags for a Chromium that draws WebGL with the processor, wherever the tests run."""
Cell = tuple[int, int, int]
Point = tuple[float, float, float]
Picture = NDArray[np.int16]
"""Rows of pixels, each red, green and blue."""

DIRT, GRASS, COBBLESTONE, WHITE, ORANGE, YELLOW, BLUE = 9, 8, 12, 46, 47, 50, 57
SIZE = (9, 7, 9)
GROUND_TOP = 1
"""The highest layer of the ground."""
CABIN = np.s_[27:37, 6:16, 27:37]
"""A block of 1,000 stones in the middle of `landscape`."""


def block_of(low: Cell, high: Cell) -> list[Cell]:
    """Every cell from one corner to the other, both included."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    return [(x, y, z) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1) for z in range(z0, z1 + 1)]


SHAFT = block_of((7, 2, 7), (7, 4, 7))
TOP: Cell = (7, 5, 7)
"""A yellow shaft with a blue top."""
ROW = block_of((4, 2, 1), (6, 2, 1))
CUBE = block_of((2, 2, 6), (3, 3, 7))
HOLE = block_of((1, 1, 3), (2, 1, 3))
GROUND: Cell = (7, 1, 4)
OPEN_AIR: Cell = (5, 2, 4)
WATCHED = [*SHAFT, TOP, *ROW, *CUBE[2:4], *CUBE[6:], *HOLE, GROUND, OPEN_AIR]
"""Cells that can be seen from where the picture begins: blocks of each object, the hole, ground, air."""


def scene() -> dict[str, Any]:
    """A shaft with a top, a white row, an orange cube, and a hole in flat ground; two figures at the side."""
    ground = {cell: GRASS if cell[1] == GROUND_TOP else DIRT for cell in block_of((0, 0, 0), (8, GROUND_TOP, 8))}
    things = {WHITE: ROW, ORANGE: CUBE, YELLOW: SHAFT, BLUE: [TOP]}
    blocks = ground | {cell: material for material, cells in things.items() for cell in cells}
    return {
        "size": list(SIZE),
        "blocks": sorted([*cell, material] for cell, material in blocks.items() if cell not in HOLE),
        "agent": {"x": 0, "y": 2, "z": 8, "pitch": 0, "yaw": 90},
        "player": {"x": 8, "y": 2, "z": 0, "pitch": 0, "yaw": -90},
    }


def landscape() -> dict[str, Any]:
    """64 x 64 x 64 with 20,000 blocks: hills of grass, a cabin of 1,000 stones, and noise, all by rule."""
    rng = np.random.default_rng(64)
    grid = np.zeros((64, 64, 64), np.uint8)
    x, z = np.mgrid[0:64, 0:64]
    heights = np.rint(2.2 + 1.5 * np.sin(x / 9) + 1.5 * np.cos(z / 7)).astype(int).clip(0, 5)
    for height in range(6):
        grid[:, height][heights >= height] = DIRT
        grid[:, height][heights == height] = GRASS
    grid[CABIN] = COBBLESTONE
    # Loose blocks of many colours fill the count up.
    free = np.flatnonzero(grid.reshape(-1) == 0)
    loose = rng.choice(free, 20_000 - int(np.count_nonzero(grid)), replace=False)
    grid.reshape(-1)[loose] = rng.integers(WHITE, 62, loose.size)
    cells = np.argwhere(grid)
    blocks = np.column_stack([cells, grid[tuple(cells.T)]]).tolist()
    pose = {"x": 30, "y": 6, "z": 4, "pitch": 0, "yaw": 0}
    return {"size": [64, 64, 64], "blocks": blocks, "agent": pose, "player": {**pose, "x": 40}}


BLOCKS = {(x, y, z) for x, y, z, _ in scene()["blocks"]}


def face_of(cell: Cell) -> Point:
    """The middle of the face of a cell that is seen: the top, else the one in front."""
    x, y, z = cell
    return (x + 0.5, y + 1, z + 0.5) if (x, y + 1, z) not in BLOCKS else (x + 0.5, y + 0.5, z)


def steps(at: Cell, to: Cell) -> list[str]:
    """The keys that lead the cursor from one cell to another, as the picture begins: away is +z, to the right is -x."""
    x, y, z = (there - here for here, there in zip(at, to, strict=True))
    ways = [("PageUp", "PageDown", y), ("ArrowUp", "ArrowDown", z), ("ArrowLeft", "ArrowRight", x)]
    return [forth if count > 0 else back for forth, back, count in ways for _ in range(abs(count))]


def project_of_scenes(server: Server, slug: str, payloads: Iterable[dict[str, Any]], **changes: Any) -> str:
    """A live project with a task for each payload, named s0, s1, …"""
    server.put(
        f"/projects/{slug}/",
        **{
            "tool": "voxels",
            "title": "Mark what the words mean",
            "instructions": ["# What you do\n\nYou mark the blocks of one object."],
            "status": "live",
            "reference_rate": 0,
            "pay": {"base": {"amount": "0.08", "currency": "USD"}},
            **changes,
        },
    )
    tasks = [{"key": f"s{number}", "payload": payload} for number, payload in enumerate(payloads)]
    server.post(f"/projects/{slug}/tasks/", tasks=tasks)
    return slug


def answers(server: Server, slug: str) -> list[dict[str, Any]]:
    """The answers of a project so far, the latest last."""
    return [row["answer"] for row in server.annotations(slug)]


def marks(cells: Iterable[Cell]) -> dict[str, Any]:
    """The answer that says these cells."""
    return {"voxels": [list(cell) for cell in sorted(cells)]}


class VoxelsPage:
    """A worker's acts on the page, and the texts and pictures that it shows.

    Points are in blocks of the scene, places in pixels of the window.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator("[data-voxels]")

    def enter(self, link: str) -> Self:
        """Open the link and close the instructions of the first visit."""
        self.page.goto(link)
        self.page.locator("[data-close-instructions]").click()
        self.ready()
        # The tests press single blocks; a worker begins with the whole thing.
        if self.page.locator("[data-tool=one]").count():
            self.tool("one")
        return self

    def ready(self) -> Self:
        """Wait for the first picture of a scene."""
        self.page.wait_for_selector("[data-voxels][data-ready='1']")
        return self

    # Texts of the page

    @property
    def marked(self) -> int:
        """The number of cells that are shown as marked."""
        return int(self.root.get_attribute("data-marked") or "")

    @property
    def cursor(self) -> Cell:
        x, y, z = map(int, (self.root.get_attribute("data-cursor") or "").split(","))
        return x, y, z

    def places(self, points: Sequence[Point], *, pane: int = -1) -> list[tuple[float, float]]:
        """The places of points of the scene in the window; the working copy is the last pane."""
        found: list[str] = self.root.evaluate(
            """(root, [cells, last]) => cells.map(cell => {
                const panes = root.querySelectorAll('[data-pane]').length
                const detail = {cell, pane: (last + panes) % panes}
                root.dispatchEvent(new CustomEvent('crosswalk:project', {detail}))
                return root.dataset.projected
            })""",
            [[[one - 0.5 for one in point] for point in points], pane],
        )
        return [(float(x), float(y)) for x, _, y in (place.partition(",") for place in found)]

    def spot(self, cell: Cell) -> tuple[float, float]:
        """The middle, in the window, of the visible face of a cell of `scene`."""
        return self.places([face_of(cell)])[0]

    # Pictures

    def look(self, *, pane: int = -1) -> "Seen":
        """The picture of a pane, with the pointer away from it."""
        self.page.mouse.move(3, 3)
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        element = self.page.locator("[data-pane]").nth(pane)
        box = element.bounding_box()
        assert box is not None
        pixels = np.asarray(Image.open(io.BytesIO(self.page.screenshot(clip=box))).convert("RGB")).astype(np.int16)
        ratio = pixels.shape[1] / box["width"]
        places = self.places([face_of(cell) for cell in WATCHED], pane=pane)
        within = [((x - box["x"]) * ratio, (y - box["y"]) * ratio) for x, y in places]
        return Seen(pixels, dict(zip(WATCHED, within, strict=True)))

    # Acts of the worker

    def press(self, cell: Cell) -> None:
        self.page.mouse.click(*self.spot(cell))

    def draw(self, *cells: Cell) -> None:
        """A stroke with the left button held down, from cell to cell."""
        places = [self.spot(cell) for cell in cells]
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*place, steps=6)
        self.page.mouse.up()

    def tool(self, name: str) -> None:
        button = self.page.locator(f"[data-tool={name}]")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")

    def toggle(self, name: str) -> None:
        """Press a button by name: unmark (`act`), air (`air`), undo, redo, clear."""
        self.page.locator(f"button[data-{name}]").click()

    def submit(self, *, by_key: bool = False) -> Any:
        """Hand in, and wait until the server has it; what was sent."""
        with self.page.expect_response(lambda answer: "/submit/" in answer.url) as sent:
            if by_key:
                self.page.keyboard.press("Control+Enter")
            else:
                self.page.locator("[data-done]").click()
        assert sent.value.status == 201, sent.value.text()
        return json.loads(sent.value.request.post_data or "")["answer"]


class Seen:
    """A picture of a scene, and where each watched cell lies in it."""

    MARK = 14
    """The least increase of the marks' pink in a marked cell, of 255; air has the least."""
    HALF = 4

    def __init__(self, pixels: Picture, places: dict[Cell, tuple[float, float]]) -> None:
        self.pixels = pixels
        self.places = places

    def patch(self, cell: Cell) -> Picture:
        x, y = (round(one) for one in self.places[cell])
        return self.pixels[y - self.HALF : y + self.HALF + 1, x - self.HALF : x + self.HALF + 1]

    def pink(self, cell: Cell) -> float:
        """The amount of red and blue over green."""
        red, green, blue = (self.patch(cell)[..., one].mean() for one in range(3))
        return float(min(red, blue) - green)

    def newly_marked(self, before: "Seen") -> set[Cell]:
        """The watched cells that have got the colour of marks; asserts that the others look as before."""
        found = {cell for cell in WATCHED if self.pink(cell) - before.pink(cell) > self.MARK}
        changed = [cell for cell in WATCHED if cell not in found and not self.is_alike(before, cell)]
        assert changed == []
        return found

    def is_alike(self, before: "Seen", cell: Cell) -> bool:
        return bool(np.abs(self.patch(cell) - before.patch(cell)).mean() < 2)

    def is_same(self, before: "Seen") -> bool:
        """True if the whole pictures are the same, but for a few pixels."""
        assert self.pixels.shape == before.pixels.shape, "the pane has another size than before"
        return bool((np.abs(self.pixels - before.pixels).max(axis=2) > 8).mean() < 0.0005)


@contextmanager
def phone(chromium: Browser) -> Iterator[Page]:
    """A silent page on a phone."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    try:
        with silent_page(context) as page:
            yield page
    finally:
        context.close()
