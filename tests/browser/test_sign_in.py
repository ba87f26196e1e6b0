"""Signing in with a second factor in a real browser, from setting it up to turning it off."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Server
from tests.support.sign_in import app_code

pytestmark = pytest.mark.browser


def sign_in(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/staff/account/")
    page.get_by_label("User").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_a_second_factor_is_set_up_used_and_turned_off(server: Server, page: Page) -> None:
    sign_in(page, server)
    page.get_by_role("link", name="Turn it on").click()
    picture = page.get_by_alt_text("QR code")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Code").fill(app_code(secret))
    page.get_by_role("button", name="Turn it on").click()
    shown = re.findall(r"\d{8}", page.locator("#recovery-codes").inner_text())
    assert len(shown) == 10
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert Path(download.value.path()).read_text().split() == shown

    page.get_by_role("button", name="Sign out").click()
    sign_in(page, server)
    page.get_by_label("Code").fill(shown[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("9 recovery codes left")).to_be_visible()

    page.get_by_role("link", name="Turn it off").click()
    page.get_by_role("button", name="Turn it off").click()
    expect(page.get_by_role("status")).to_contain_text("Two-factor sign-in is off")
