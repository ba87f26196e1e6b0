"""A worker marks scenes with the mouse and by touch: what is painted is what is handed in. Drafts and lost leases."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on
from tests.support.voxels_page import (
    CUBE,
    GROUND,
    HOLE,
    OPEN_AIR,
    ROW,
    SHAFT,
    SOFTWARE_WEBGL,
    TOP,
    WATCHED,
    Cell,
    Seen,
    VoxelsPage,
    answers,
    marks,
    phone,
    project_of_scenes,
    scene,
)

pytestmark = pytest.mark.browser
CHROMIUM_FLAGS = SOFTWARE_WEBGL
BELOW_AIR: Cell = (5, 1, 4)


class Check:
    """That just these cells are marked: as the page counts them, and as the picture shows them."""

    def __init__(self, worker: VoxelsPage) -> None:
        self.worker = worker
        self.bare: Seen = worker.look()

    def __call__(self, *cells: Cell) -> None:
        assert self.worker.marked == len(set(cells))
        seen = self.worker.look()
        assert seen.newly_marked(self.bare) == set(cells) & set(WATCHED)
        if not cells:
            assert seen.is_same(self.bare)


def test_what_each_tool_marks_is_painted_and_handed_in(server: Server, page: Page) -> None:
    project = project_of_scenes(server, "voxels-tools", [{"scene": scene(), "phrase": "all of it"}])
    worker = VoxelsPage(page).enter(server.link(project, "tools"))
    original = worker.look(pane=0)
    check = Check(worker)

    worker.tool("same")
    worker.press(SHAFT[0])
    check(*SHAFT)
    worker.tool("whole")
    worker.press(TOP)
    check(*SHAFT, TOP)
    worker.tool("box")
    worker.draw(CUBE[0], CUBE[-1])
    check(*SHAFT, TOP, *CUBE)
    worker.tool("brush")
    worker.draw(ROW[0], ROW[1], ROW[2])
    check(*SHAFT, TOP, *CUBE, *ROW)
    worker.tool("one")
    worker.press(GROUND)
    check(*SHAFT, TOP, *CUBE, *ROW, GROUND)
    assert barriers_on(page) == []
    # All of it goes again, and comes back.
    worker.toggle("clear")
    check()
    worker.toggle("undo")
    check(*SHAFT, TOP, *CUBE, *ROW, GROUND)
    worker.toggle("act")
    worker.press(GROUND)
    worker.tool("same")
    worker.press(SHAFT[1])
    check(TOP, *CUBE, *ROW)
    # The original is only looked at.
    assert worker.look(pane=0).is_same(original)

    sent = worker.submit()
    assert sent == marks([TOP, *CUBE, *ROW])
    assert answers(server, project) == [sent]


@pytest.mark.long
def test_what_was_undone_is_neither_painted_nor_handed_in(server: Server, page: Page) -> None:
    project = project_of_scenes(server, "voxels-undo", [{"scene": scene(), "phrase": "the row"}])
    worker = VoxelsPage(page).enter(server.link(project, "undo"))
    check = Check(worker)
    worker.press(ROW[0])
    worker.press(ROW[1])
    worker.tool("whole")
    worker.press(TOP)
    check(ROW[0], ROW[1], *SHAFT, TOP)
    worker.toggle("undo")
    check(ROW[0], ROW[1])
    worker.toggle("undo")
    check(ROW[0])
    worker.toggle("undo")
    check()
    page.keyboard.press("z")
    expect(page.locator("[data-remark]")).to_have_text("Nothing to undo.")
    worker.toggle("redo")
    worker.toggle("redo")
    check(ROW[0], ROW[1])
    # Something else instead of what was undone: that never comes back.
    worker.tool("one")
    worker.press(TOP)
    page.keyboard.press("y")
    expect(page.locator("[data-remark]")).to_have_text("Nothing to redo.")
    check(ROW[0], ROW[1], TOP)
    worker.toggle("undo")
    check(ROW[0], ROW[1])
    assert worker.submit() == marks(ROW[:2])
    assert answers(server, project) == [marks(ROW[:2])]


@pytest.mark.long
def test_air_is_marked_and_what_is_not_there_is_said(server: Server, page: Page) -> None:
    """The hole as one thing, air over the ground; then a second scene in which it is not there."""
    payloads = [{"scene": scene(), "phrase": phrase} for phrase in ("the hole", "the green ball")]
    project = project_of_scenes(server, "voxels-air", payloads)
    worker = VoxelsPage(page).enter(server.link(project, "air"))
    check = Check(worker)
    worker.toggle("air")
    worker.tool("whole")
    worker.press(HOLE[0])
    check(*HOLE)
    worker.press(BELOW_AIR)
    expect(page.locator("[data-remark]")).to_contain_text("open air")
    worker.tool("one")
    worker.press(BELOW_AIR)
    check(*HOLE, OPEN_AIR)
    worker.toggle("absent")
    check()
    worker.toggle("absent")
    check(*HOLE, OPEN_AIR)
    assert worker.submit() == marks([*HOLE, OPEN_AIR])

    # The next scene begins bare, and an empty answer is none.
    expect(worker.root).to_have_attribute("data-marked", "0")
    check()
    page.locator("[data-done]").click()
    expect(page.locator("[data-remark]")).to_contain_text("Mark it first")
    worker.toggle("absent")
    expect(page.locator("[data-count]")).to_contain_text("it is not there")
    assert worker.submit() == {"absent": True}
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    assert answers(server, project) == [marks([*HOLE, OPEN_AIR]), {"absent": True}]


@pytest.mark.long
def test_a_tap_marks_and_two_fingers_only_turn(server: Server, chromium: Browser) -> None:
    project = project_of_scenes(server, "voxels-touch", [{"scene": scene(), "phrase": "the shaft"}])
    with phone(chromium) as page:
        worker = VoxelsPage(page).enter(server.link(project, "touch"))
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.locator("[data-tool=same]").tap()
        page.touchscreen.tap(*worker.spot(SHAFT[1]))
        assert worker.marked == len(SHAFT)
        page.locator("[data-tool=brush]").tap()
        before = worker.spot(SHAFT[1]), worker.spot(ROW[0])
        _pinch(page, around=worker.spot(ROW[1]))
        assert (worker.spot(SHAFT[1]), worker.spot(ROW[0])) != before
        assert worker.marked == len(SHAFT)
        page.get_by_label("Whole scene in view").tap()
        page.locator("[data-tool=one]").tap()
        page.touchscreen.tap(*worker.spot(TOP))
        assert worker.marked == len(SHAFT) + 1
        page.locator("button[data-undo]").tap()
        assert worker.marked == len(SHAFT)
        with page.expect_response(lambda answer: "/submit/" in answer.url) as sent:
            page.locator("[data-done]").tap()
        assert sent.value.status == 201
    assert answers(server, project) == [marks(SHAFT)]


def _pinch(page: Page, *, around: tuple[float, float]) -> None:
    """Two fingers that go apart and to the side, over the blocks."""
    hand = page.context.new_cdp_session(page)
    x, y = around
    for step in range(9):
        kind = "touchMove" if step else "touchStart"
        gap = 24 + 3 * step
        points = [{"x": x - gap + step, "y": y, "id": 0}, {"x": x + gap + step, "y": y + step, "id": 1}]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.long
def test_marks_outlive_a_page_loaded_anew_and_a_lost_line(server: Server, context: BrowserContext, page: Page) -> None:
    project = project_of_scenes(server, "voxels-draft", [{"scene": scene(), "phrase": "the cube and the hole"}])
    worker = VoxelsPage(page).enter(server.link(project, "leaver"))
    check = Check(worker)
    worker.tool("whole")
    worker.press(CUBE[3])
    worker.toggle("air")
    with page.expect_response(lambda answer: answer.request.method == "PATCH") as saved:
        worker.press(HOLE[0])
    assert saved.value.status == 204
    page.reload()
    worker.ready()
    check(*CUBE, *HOLE)
    expect(page.locator("[data-tool=whole]")).to_have_attribute("aria-pressed", "true")

    context.set_offline(True)
    page.locator("[data-done]").click()
    expect(page.locator("[data-remark]")).to_contain_text("Your answer is kept here")
    with page.expect_response(lambda answer: "/submit/" in answer.url) as sent:
        context.set_offline(False)
    assert sent.value.status == 201
    assert answers(server, project) == [marks([*CUBE, *HOLE])]


@pytest.mark.long
def test_a_lost_lease_leaves_the_marks_to_be_copied(server: Server, page: Page) -> None:
    project = project_of_scenes(server, "voxels-lease", [{"scene": scene(), "phrase": "the row"}], lease_s=4)
    worker = VoxelsPage(page).enter(server.link(project, "slow"))
    worker.tool("whole")
    worker.press(ROW[1])
    server.sleep_until_another_claims(project, page)
    page.locator("[data-done]").click()
    expect(page.get_by_text("Your time for this scene ended")).to_be_visible()
    assert page.locator(".screen-voxels").inner_text() == "4,2,1 5,2,1 6,2,1"
