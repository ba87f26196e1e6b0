"""From `pip install` to the first own episode on the server: seconds, and commands."""

import json
import subprocess
import tempfile
import venv
from pathlib import Path

from bench.pipelines.server import Server, whole_server
from bench.rows import Row, seconds_of
from tests.support.shared_data import ROOT

SUITE = {
    "suite": {"slug": "yard", "title": "Yard"},
    "scenarios": {
        "red-box": {
            "instruction": "go to the red box",
            "category": "go",
            "skill": "walk",
            "takeover_s": 2.0,
            "continuation_s": 9.25,
        }
    },
}


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="crosswalk-bench-") as name, whole_server(Path(name) / "server") as server:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        (folder / "yard.json").write_text(json.dumps(SUITE))
        subprocess.run(["cp", "-r", str(ROOT / "client"), str(folder / "client")], check=True)
        recording = sorted((ROOT / "demo/episodes").glob("*.mp4"))[0]
        commands = [
            ["pip", "install", "--quiet", "--disable-pip-version-check", str(folder / "client")],
            ["crosswalk", "init", "--url", server.url],
            ["crosswalk", "suite", "push", "yard.json", "--freeze", "v1"],
            ["crosswalk", "post", str(recording), "--suite", "yard", "--agent", "yard-1", "--scenario", "red-box"],
        ]
        commands[-1].append("--make-agent")
        took = [seconds_of(lambda command=command: _run(command, folder, server)) for command in commands]  # type: ignore[misc]
    part = "the first own episode"
    return [
        Row(part, "pip install", took[0], None, "s", 1.0, ""),
        Row(part, "the other commands", sum(took[1:]), None, "s", 1.0, ""),
        Row(part, "all", sum(took), None, "s", 1.0, "", None, "60"),
        Row(part, "commands", len(commands), None, "", 1.0, "", None, "4"),
    ]


def _run(command: list[str], folder: Path, server: Server) -> None:
    program = str(folder / "venv/bin" / command[0])
    subprocess.run([program, *command[1:]], cwd=folder, env=server.of_client(folder), check=True, capture_output=True)
