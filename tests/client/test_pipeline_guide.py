"""Every block of shell commands in the guide for pipelines runs, in the order of the page, against one server."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from evaluation.models import Episode
from jobs import outbox
from routing.tree_versions import make_first
from tests.support.builders import make_agent
from tests.support.shared_data import ROOT

GUIDE = (ROOT / "docs/pipelines.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
ELSEWHERE = {
    "crosswalk play": "a person must press keys: tests/client/test_keyboard.py",
    "crosswalk post s3://": "a bucket is needed: tests/web/api/test_bucket_uploads.py",
}
"""The commands that run in another test, each with where."""
OF_A_SESSION = "$SESSION"
"""A block with this needs a live session that has ended: tests/config/test_recording_job.py."""
PROGRAMS = {
    "crosswalk": 'exec "{python}" -m crosswalk_client "$@"',
    "python": 'exec "{python}" "$@"',
    # A refusal ends the block, as it would not on a terminal.
    "curl": 'case "$1" in -sf*) exec {curl} "$@";; *) exec {curl} --fail-with-body "$@";; esac',
    "pip": "exit 0",
}
JUDGING = """
import httpx
from crosswalk_client import Client
with Client() as client:
    client.suites.put("yard", title="Yard", continuations=1)
    how = {"tool": "marker", "title": "Mark it", "instructions": ["# Mark it"], "suite": "yard", "version": "v1"}
    client.projects.put("yard-marks", **how, status="live")
    token = client.projects.link("yard-marks", "ana")["token"]
    work = httpx.Client(base_url=f"{client.url}/api/v1/work", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    while (held := work.post("/claim/")).status_code == 200:
        answer = {"answer": {"outcome": "success", "frame": 60}}
        work.post(f"/assignments/{held.json()['assignment']}/submit/", json=answer).raise_for_status()
"""
"""Lets somebody judge the episodes of the guide's first suite."""
MODULES = {
    "judging.py": JUDGING,
    "my_agents.py": (
        "class Walker:\n    def __init__(self, *, seed, instruction): ...\n    def act(self, observation): return 2\n"
    ),
    "my_simulators.py": (
        "import gymnasium\nfrom crosswalk_client.runner.environments import Gymnasium\n"
        "from tests.support import reaching_world\n"
        "gymnasium.register('kitchen-v2', entry_point=reaching_world.Reaching)\n"
        "class Kitchen(Gymnasium): ...\n"
    ),
}


def runnable(block: str) -> str:
    """The block without the commands that run in another test, with what people do between its lines."""
    if OF_A_SESSION in block:
        return ""
    lines = re.sub(r"\\\n", " ", block).splitlines()
    found = []
    for line in lines:
        if line == "crosswalk doctor":
            # No process of a worker sweeps beside this server, and the doctor says so with its status.
            line += " || true"
        elif line.startswith("crosswalk compare"):
            line += " || [ $? -eq 2 ]  # one episode decides nothing"
        elif line.startswith("crosswalk watch"):
            found.append("python judging.py")
        elif line.startswith(tuple(ELSEWHERE)):
            continue
        found.append(line)
    return "\n".join(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the guide's reader has it: the programs, the demo's recordings, and an agent of theirs."""
    (tmp_path / "programs").mkdir()
    curl = subprocess.run(["which", "curl"], capture_output=True, text=True, check=True).stdout.strip()
    for name, command in PROGRAMS.items():
        program = tmp_path / "programs" / name
        program.write_text("#!/bin/sh\n" + command.format(python=sys.executable, curl=curl) + "\n")
        program.chmod(0o755)
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    recording = sorted((ROOT / "demo/episodes").glob("*.mp4"))[0]
    for number in (0, 1):
        (tmp_path / f"red-box-{number}.mp4").symlink_to(recording)
    line = {"file": "red-box-0.mp4", "agent": "yard-2", "suite": "yard", "scenario": "red-box", "continuation": 0}
    (tmp_path / "episodes.jsonl").write_text(json.dumps(line) + "\n")
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_every_block_of_shell_commands_runs(
    live_server: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = live_server.url
    monkeypatch.setattr(outbox, "_send", outbox.run)
    key = create_key(name="guide", scopes=ApiKey.Scope.values, at=timezone.now())
    make_agent("wanderer-2")  # the examples in Python make it
    make_agent("builder")  # comes with the server, as the trees do
    make_first(at=timezone.now())
    script = ["set -eo pipefail"]
    for number, block in enumerate(BLOCKS):
        script += [f'echo "block {number}" >&2', runnable(block)]
    text = "\n".join(script).replace("http://127.0.0.1:8000", live_server.url).replace("a-key-of-my-own-machine", key)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CROSSWALK_")}
    environment |= {
        "PATH": f"{folder / 'programs'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'client'}:{ROOT}",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    with (folder / "said.txt").open("w") as said:
        done = subprocess.run(
            ["timeout", "240", "bash", "-c", text], cwd=folder, env=environment, stdout=said, stderr=said, check=False
        )
    assert done.returncode == 0, (folder / "said.txt").read_text()[-3000:]
    assert Episode.objects.filter(external_id="rooms-w1-red-box-1", status="ready").exists()


NOTEBOOK = ROOT / "docs/notebooks/better-than-last-week.ipynb"


def cells() -> list[str]:
    """The code of the notebook's cells."""
    found = json.loads(NOTEBOOK.read_text())["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def test_the_notebook_has_no_output_and_ids_for_its_cells() -> None:
    found = json.loads(NOTEBOOK.read_text())
    assert (found["nbformat"], len({cell["id"] for cell in found["cells"]})) == (4, len(found["cells"]))
    assert all(cell.get("outputs", []) == [] for cell in found["cells"])
    assert "# From “I have an agent”" in found["cells"][0]["source"][0]


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_every_cell_of_the_notebook_runs(
    live_server: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.PUBLIC_URL = live_server.url
    monkeypatch.setattr(outbox, "_send", outbox.run)
    monkeypatch.setenv("CROSSWALK_URL", live_server.url)
    monkeypatch.setenv("CROSSWALK_KEY", create_key(name="n", scopes=ApiKey.Scope.values, at=timezone.now()))
    monkeypatch.setenv("PATH", f"{folder / 'programs'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "client"))
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for cell in cells():
        if cell.startswith("!"):
            done = subprocess.run(["bash", "-c", cell[1:]], capture_output=True, text=True, timeout=200, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        else:
            exec(compile(cell, NOTEBOOK.name, "exec"), names)
    names["client"].close()
    names["work"].close()
    rates = {agent["agent"]: (agent["n"], agent["rate"]) for agent in names["ranking"]["agents"]}
    assert {agent: n for agent, (n, _) in rates.items()} == {"last-week": 6, "this-week": 6}
    assert rates["this-week"][1] > rates["last-week"][1]
    assert "to" in capsys.readouterr().out
