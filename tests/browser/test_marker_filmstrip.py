"""The filmstrip of the marker, and the band of activity under it: what is drawn is what the server made."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.annotator_pages import MarkerPage

pytestmark = [pytest.mark.browser, pytest.mark.long]
FRAMES = 130
"""A full sheet of 100 thumbnails, and one with 3 rows of 10."""
ALIKE = 14.0
"""The most mean difference of a cell from its thumbnail, of 255: the browser scales it by itself."""


def _picture(page: Page, address: str) -> Image.Image:
    return Image.open(io.BytesIO(page.request.get(address).body())).convert("RGB")


def _off(cell: Image.Image, thumb: Image.Image) -> float:
    wanted = np.asarray(thumb.resize(cell.size), np.int16)
    return float(np.abs(np.asarray(cell, np.int16) - wanted).mean())


def test_each_cell_of_the_strip_is_the_thumbnail_of_its_frame(server: Server, page: Page) -> None:
    claims: list[dict[str, Any]] = []
    page.on(
        "response",
        lambda one: claims.append(one.json()["payload"]) if one.url.endswith("/claim/") and one.status == 200 else None,
    )
    link = server.link(server.project_of_clips("filmstrip", ["longgop"], frames=FRAMES), "wanda")
    MarkerPage(page).enter(link)
    page.wait_for_load_state("networkidle")
    strip = claims[0]["video"]["filmstrip"]
    assert (len(strip["urls"]), strip["rows"]) == (2, 10)
    sheets = [_picture(page, f"{server.url}{url}") for url in strip["urls"]]
    assert sheets[1].height == 3 * strip["height"], "the last sheet has only the rows that it needs"
    cells = page.locator(".strip-cell")
    count = cells.count()
    for number in range(count):
        box = cells.nth(number).bounding_box()
        assert box is not None
        cell = Image.open(io.BytesIO(page.screenshot(clip=box))).convert("RGB")
        frame = min(FRAMES - 1, int((number + 0.5) * FRAMES / count))
        sheet, place = divmod(frame // strip["every"], strip["columns"] * strip["rows"])
        row, column = divmod(place, strip["columns"])
        left, top = column * strip["width"], row * strip["height"]
        thumb = sheets[sheet].crop((left, top, left + strip["width"], top + strip["height"]))
        assert _off(cell, thumb) < ALIKE, f"cell {number} does not show frame {frame}"


def test_two_keys_go_from_change_to_change_and_the_wheel_looks_nearer(server: Server, page: Page) -> None:
    claims: list[dict[str, Any]] = []
    page.on(
        "response",
        lambda one: claims.append(one.json()["payload"]) if one.url.endswith("/claim/") and one.status == 200 else None,
    )
    link = server.link(server.project_of_clips("activity", ["longgop"], frames=90), "wanda")
    marker = MarkerPage(page).enter(link)
    moments = claims[0]["video"]["activity"]["moments"]
    assert moments, "a clip whose pictures all differ changes somewhere"
    marker.press("Home")
    marker.shown(0)
    for moment in [one for one in moments if one > 0][:3]:
        marker.press("e")
        assert marker.shown(moment) == marker.painted() == moment
    marker.press("End")
    marker.shown(89)
    marker.press("q")
    assert marker.shown(moments[-1]) == moments[-1]
    expect(page.locator(".band-tick")).to_have_count(len(moments))
    surface = page.locator("[data-scrub-surface]")
    expect(surface).to_have_css("transform", "none")
    surface.hover()
    page.mouse.wheel(0, -100)
    expect(surface).not_to_have_css("transform", "none")
    assert marker.shown(moments[-1]) == moments[-1], "a nearer look is at the same frame"
    marker.press("0")
    expect(surface).to_have_css("transform", "none")
