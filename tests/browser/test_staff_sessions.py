"""The staff's pages of sessions and money in a real browser: nothing of their tables is out of sight on a laptop."""

import subprocess
import sys

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, sign_in, silent_page
from tests.support.live_page import LivePage, project_of_sessions, records_of
from tests.support.shared_data import ROOT
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
HIDDEN = "all => Math.max(...all.map(one => one.scrollWidth - one.clientWidth))"
ENTRY = """
from decimal import Decimal; from django.utils import timezone; from workforce.models import LedgerEntry, Worker
scores = [{"command": "c" * 22, "scores": {"corpus_version": 7, "advice": "Try a longer command. " * 4}}] * 2
print(LedgerEntry.objects.create(worker=Worker.objects.first(), account="", reason="a", kind="bonus", currency="USD",
    amount=Decimal("0.30"), at=timezone.now(), inputs={"stoplight": {"creativity_times": 9.4}, "commands": scores}).pk)
"""


def test_what_a_command_came_to_is_in_view_and_leads_to_its_report(
    server: Server, chromium: Browser, page: Page
) -> None:
    project = project_of_sessions(server, "in-view")
    worker = LivePage(page).enter(server.link(project, "5f3a9c1d2b4e6f708192a3b4c5d6e7f8")).begin()
    worker.tell("sing me a song")
    worker.pick("done", 1)
    worker.pick("understood", 0)
    worker.pick("what", 0)
    worker.await_field()
    with records_of(server, project) as records:
        (session,) = records.sessions()
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    with silent_page(context) as staff:
        sign_in(staff, server)
        staff.goto(f"{server.url}/staff/sessions/{session}/")
        outcome = staff.get_by_role("link", name="capability_error")
        # A job makes the report.
        worker.until(lambda: staff.reload() is not None and outcome.is_visible())
        assert staff.locator(".table-wrap").evaluate_all(HIDDEN) <= 0
        outcome.click()
        expect(staff.get_by_role("heading", level=1)).to_contain_text("sing me a song")
    context.close()


def test_what_an_amount_was_worked_out_from_is_in_view(server: Server, page: Page) -> None:
    server.link(server.project_of_clips("in-view-too", ["longgop"]), "somebody")
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "-c", ENTRY]
    made = subprocess.run(command, env=server.environment, check=True, cwd=ROOT, capture_output=True, text=True)
    sign_in(page, server)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{server.url}/staff/ledger/{made.stdout.split()[-1]}/")
        expect(page.get_by_role("cell", name="9.4")).to_be_visible()
        assert page.locator(".table-wrap").evaluate_all(HIDDEN) <= 0


def test_every_column_of_the_trees_is_in_view(server: Server, page: Page) -> None:
    settings = {"agent": "builder", "sessions": 1, "tree": "default", "minimum_s": 1}
    body = {"tool": "interaction", "instructions": ["# Tell it"], "status": "live", "settings": settings}
    for number in range(3):
        server.put(
            f"/projects/many-blocks-{number}/", title=f"Command an assistant in world {number} of blocks", **body
        )
    sign_in(page, server)
    page.goto(f"{server.url}/staff/trees/")
    expect(page.get_by_role("link", name="parse-first")).to_be_visible()
    assert page.locator(".table-wrap").evaluate_all(HIDDEN) <= 0
