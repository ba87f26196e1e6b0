"""Many episodes of five seconds: posted by the program and prepared by the server, beside copies on the same disk."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.pipelines.first_episode import SUITE
from bench.pipelines.server import Server, whole_server
from bench.rows import Row, seconds_of
from crosswalk_client import Client
from crosswalk_client.types import ScenarioBodyRequest
from tests.support.clips import barcode_clip
from tests.support.shared_data import ROOT

FRAMES, SIDES = 150, (320, 240)
"""Five seconds at 30 pictures a second."""
PARALLEL = 8


def run(count: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="crosswalk-bench-") as name, whole_server(Path(name) / "server") as server:
        folder = Path(name) / "recordings"
        folder.mkdir()
        clip = barcode_clip(Path(name) / "clip", kind="faststart", frames=FRAMES, width=SIDES[0], height=SIDES[1]).path
        for number in range(count):
            # Other bytes for each, behind the end of what a player reads.
            (folder / f"red-box-{number}.mp4").write_bytes(clip.read_bytes() + _free_box(number))
        copied = seconds_of(lambda: _copy(folder, Path(name) / "copy"))
        _make_suite(server)
        posted = seconds_of(lambda: _post(server, folder))
        began = time.monotonic()
        _wait(server, count)
        prepared = posted + time.monotonic() - began
    part = f"{count:,} episodes of 5 s"
    return [
        _row(part, "copied on the same disk, fsynced", count / copied, copied, copied),
        _row(part, "posted", count / posted, posted, copied),
        _row(part, "posted and prepared", count / prepared, prepared, copied),
    ]


def _row(part: str, case: str, rate: float, seconds: float, base: float) -> Row:
    return Row(part, case, rate, None, "files/s", seconds / base, "the copies")


def _free_box(number: int) -> bytes:
    return (16).to_bytes(4, "big") + b"free" + number.to_bytes(8, "big")


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for path in source.iterdir():
        copy = Path(shutil.copyfile(path, target / path.name))
        with copy.open("rb") as file:
            os.fsync(file.fileno())


def _make_suite(server: Server) -> None:
    with Client(server.url, server.environment["CROSSWALK_API_KEY"]) as client:
        client.suites.put("yard", title="Yard")
        scenario: ScenarioBodyRequest = {**SUITE["scenarios"]["red-box"], "takeover_s": 1.0, "continuation_s": 4.0}  # type: ignore[index,typeddict-item]
        client.suites.put_scenario("yard", "red-box", **scenario)


def _post(server: Server, folder: Path) -> None:
    command = [sys.executable, "-m", "crosswalk_client", "post", "--suite", "yard", "--agent", "yard-1", "--make-agent"]
    files = [str(path) for path in sorted(folder.iterdir())]
    environment = {**server.of_client(folder.parent), "PYTHONPATH": str(ROOT / "client")}
    how = [*command, "--parallel", str(PARALLEL), *files]
    subprocess.run(how, env=environment, check=True, stdout=subprocess.DEVNULL)


def _wait(server: Server, count: int) -> None:
    """Wait until every episode is prepared."""
    with Client(server.url, server.environment["CROSSWALK_API_KEY"]) as client:
        while True:
            states = [one["status"] for one in client.episodes.list()]
            assert "failed" not in states
            if states.count("ready") == count:
                return
            time.sleep(2)
