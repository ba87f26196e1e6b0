"""A server on a file system of a few megabytes that really fills up, and has room again."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.servers import Site, own_site

pytestmark = pytest.mark.long
KEY = "cw_the-key-of-a-server-on-a-small-disk"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB, in memory."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "crosswalk-test", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.PIPE).returncode != 0:
        pytest.skip("only the superuser of a real machine may mount a file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Write a file until there is no room for another byte."""
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"0" * 4096)
    return filler


def ask(site: Site, method: str, path: str, **content: Any) -> httpx.Response:
    headers = {"Authorization": f"Api-Key {KEY}"}
    return httpx.request(method, f"http://127.0.0.1:{site.port}{path}", headers=headers, timeout=60, **content)


def put_agent(site: Site, slug: str) -> httpx.Response:
    return ask(site, "PUT", f"/api/v1/agents/{slug}/", json={"name": slug})


def post_episode(site: Site, name: str) -> httpx.Response:
    data = {"external_id": name, "agent": "first", "suite": "s", "scenario": "k", "continuation": int(name)}
    return ask(site, "POST", "/api/v1/episodes/", data={"data": json.dumps(data)}, files={"video": b"0" * 3_000_000})


def is_full(answer: httpx.Response) -> bool:
    return answer.status_code == 507 and answer.json()["code"] == "disk_full"


def agents(site: Site) -> set[str]:
    return {agent["slug"] for agent in ask(site, "GET", "/api/v1/agents/").json()["results"]}


@pytest.mark.parametrize("reserve_mb", [0, 4])
def test_a_disk_that_fills_up_costs_no_acknowledged_write_and_leaves_no_other(
    reserve_mb: int, small_disk: Path
) -> None:
    temporary = small_disk / "tmp"
    temporary.mkdir()
    environment = {
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "CROSSWALK_API_KEY": KEY,
        "CROSSWALK_DISK_RESERVE_MB": str(reserve_mb),
        "TMPDIR": str(temporary),
    }
    with own_site(small_disk, **environment) as site:
        site.start()
        assert put_agent(site, "first").status_code == 201
        scenario = {"instruction": "lift", "category": "c", "skill": "s", "takeover_s": 0, "continuation_s": 5}
        for path, body in (("suites/s/", {"title": "S"}), ("suites/s/scenarios/k/", scenario)):
            assert ask(site, "PUT", f"/api/v1/{path}", json=body).status_code == 201
        files_before = stored_files(small_disk)
        kept = agents(site)

        filler = fill(small_disk)
        answers = {}
        for number in range(30):
            answers[f"agent-{number}"] = put_agent(site, f"agent-{number}")
        # SQLite may reuse room in its log for a while.
        assert all(answer.status_code == 201 or is_full(answer) for answer in answers.values())
        assert any(is_full(answer) for answer in answers.values()) or not reserve_mb
        assert is_full(post_episode(site, "1"))
        assert stored_files(small_disk) == files_before
        kept |= {slug for slug, answer in answers.items() if answer.status_code == 201}
        assert agents(site) == kept
        ready = ask(site, "GET", "/readyz")
        assert (ready.status_code, "files" in ready.json()["missing"]) == (503, True)
        assert ask(site, "GET", "/healthz").status_code == 200

        filler.unlink()
        assert post_episode(site, "1").status_code == 201
        assert put_agent(site, "last").status_code == 201
        assert agents(site) == {*kept, "last"}
        site.stop()
        with closing(sqlite3.connect(small_disk / "crosswalk.sqlite3")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def stored_files(disk: Path) -> set[str]:
    return {str(path) for folder in ("files", "tmp") for path in (disk / folder).rglob("*") if path.is_file()}
