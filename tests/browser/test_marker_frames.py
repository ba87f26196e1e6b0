"""The frame that the page names is the frame that is painted: read from the picture itself."""

import random

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Server
from tests.support.annotator_pages import MarkerPage

pytestmark = [pytest.mark.browser, pytest.mark.long]
KINDS = ["longgop", "bframes", "ntsc", "vfr", "vp9", "start", "mov", "mkv", "with_sound", "rotated", "odd"]


@pytest.fixture(scope="module", params=KINDS)
def clip_link(request: pytest.FixtureRequest, server: Server) -> str:
    kind = str(request.param)
    slug = f"frames-{kind.replace('_', '-')}"
    return server.link(server.project_of_clips(slug, [kind], frames=120), "wanda")


def test_seeks_keys_and_pauses_name_the_painted_frame(clip_link: str, page: Page) -> None:
    marker = MarkerPage(page).enter(clip_link)
    last = int(marker.root("frame-count")) - 1
    assert last == 119
    chance = random.Random(7)
    for frame in [0, last, *chance.sample(range(last), 8)]:
        marker.slide_to(frame)
        assert marker.shown(frame) == frame
        assert marker.painted() == frame
    for key, step in ((".", 1), (",", -1), ("ArrowRight", 1), ("Shift+ArrowLeft", -10), ("End", None), ("Home", None)):
        before = marker.shown()
        marker.press(key)
        expected = {"End": last, "Home": 0}.get(key, before + (step or 0))
        assert marker.shown(expected) == marker.painted() == expected
    for wait_ms in (150, 430):
        marker.press("k")
        page.wait_for_timeout(wait_ms)
        marker.press("k")
        assert marker.shown() == marker.painted()


def test_marking_while_it_plays_marks_what_is_then_seen(clip_link: str, page: Page) -> None:
    marker = MarkerPage(page).enter(clip_link)
    marker.slide_to(40)
    marker.shown(40)
    marker.press("k")
    page.wait_for_timeout(300)
    marker.press("s")
    page.wait_for_selector("[data-marker-frame]")
    placed = marker.marker()
    assert placed is not None
    assert placed == ("success", str(marker.shown()))
    assert marker.painted() == int(placed[1])


def test_dragging_never_names_a_frame_that_is_not_painted(server: Server, page: Page) -> None:
    link = server.link(server.project_of_clips("frames-drag", ["longgop"], frames=600), "wanda")
    marker = MarkerPage(page).enter(link)
    slider = page.locator("[data-scrub-slider]").bounding_box()
    assert slider is not None
    y = slider["y"] + slider["height"] / 2
    page.mouse.move(slider["x"] + 10, y)
    page.mouse.down()
    for step in range(30):
        page.mouse.move(slider["x"] + 10 + step * (slider["width"] - 20) / 30, y)
        claimed = page.evaluate(READ_CLAIM)
        # What is claimed is read together with the canvas's own pixels, in one go, so that nothing can move between.
        assert claimed["shown"] == "" or claimed["bits"] == int(claimed["shown"]), claimed
    page.mouse.up()
    assert marker.shown() == marker.painted()


READ_CLAIM = """() => {
    const canvas = document.querySelector('[data-scrub-surface]')
    const {frameShown} = document.querySelector('[data-scrub-root]').dataset
    const {width, height} = canvas
    const copy = new OffscreenCanvas(width, height)
    const context = copy.getContext('2d', {willReadFrequently: true})
    context.drawImage(canvas, 0, 0)
    let bits = 0
    for (let bit = 0; bit < 16; bit++) {
        const x = Math.floor((bit + 0.5) * width / 16)
        const [white] = context.getImageData(x, Math.floor(height / 36), 1, 1).data
        const [black] = context.getImageData(x, Math.floor(height / 12), 1, 1).data
        bits = bits * 2 + (white > black ? 1 : 0)
    }
    return {shown: frameShown, bits}
}"""
