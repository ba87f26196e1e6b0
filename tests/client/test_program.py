"""The program `crosswalk`, as a process, against a real server."""

import argparse
import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from crosswalk_client.cli.completion import words_of
from crosswalk_client.cli.main import parser
from evaluation.models import Episode
from jobs import outbox
from tests.support.clips import barcode_clip
from tests.support.shared_data import ROOT

SUITE = {
    "suite": {"slug": "rooms", "title": "Rooms"},
    "scenarios": {
        key: {"instruction": key, "category": "go", "skill": "walk", "takeover_s": 0.5, "continuation_s": 1.0}
        for key in ("lid", "red-box")
    },
}


GUIDE_COMMANDS = re.findall(
    r"^```sh\n(.*?)^```",
    (ROOT / "docs/pipelines.md").read_text().split("\n## From the command line\n")[1].split("\n## The key\n")[0],
    re.MULTILINE | re.DOTALL,
)


def parsers_of(whole: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield whole
    for action in whole._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                yield from parsers_of(child)


def _hears_ctrl_c() -> None:
    """A shell without job control has what it starts in the background ignore Ctrl-C, and so would the program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Program:
    """Runs the program in a folder of its own, with its settings there too."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CROSSWALK_")},
            "PYTHONPATH": str(ROOT / "client"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "CROSSWALK_URL": url,
        }

    def start(self, *words: str, **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "crosswalk_client", *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hears_ctrl_c,
        )

    def run(self, *words: str, status: int = 0, given: str = "", **environment: str) -> str:
        """The output of the program; its sentences too where it refuses."""
        process = self.start(*words, **environment)
        out, said = process.communicate(given, timeout=60)
        assert process.returncode == status, out + said
        return out if status == 0 else out + said

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json"))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_from_a_key_to_a_ranking(
    live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = live_server.url
    monkeypatch.setattr(outbox, "_send", outbox.run)
    program = Program(tmp_path, live_server.url)
    key = create_key(name="laptop", scopes=ApiKey.Scope.values, at=timezone.now())
    assert "not accept the key" in program.run("doctor", status=1, CROSSWALK_KEY="wrong")
    assert "unauthorized" in program.run("init", "--key-stdin", given="wrong\n", status=1)
    program.run("init", "--key-stdin", given=f"{key}\n")
    profiles = tmp_path / "config/crosswalk/profiles.ini"
    assert stat.S_IMODE(profiles.stat().st_mode) == 0o600
    # This server has no process that sweeps, so it is not ready, and nothing else is wrong.
    found = {one["check"]: one["ok"] for one in json.loads(program.run("doctor", "--json", status=1))}
    assert found == {"program": None, "address": True, "server": True, "ready": False, "key": True}
    _post_a_suite(program)
    _post_episodes(program)
    ranking = program.run("rank", "--suite", "rooms", "--by", "scenario", "--csv").splitlines()
    assert ranking[0] == "rank,agent,rate,low,high,n,successes,pending,unjudged,scenario"
    assert ranking[1:] == [",w1,,,,0,0,3,0,all", ",w1,,,,0,0,,,lid", ",w1,,,,0,0,,,red-box"]
    _name_people(program)
    assert "no campaign" in program.run("campaign", "status", "none", status=1)
    assert "There is no suite 'none'" in program.run("rank", "--suite", "none", status=1)


def _post_a_suite(program: Program) -> None:
    (program.folder / "rooms.json").write_text(json.dumps(SUITE))
    told = program.json("suite", "push", "rooms.json", "--freeze", "v1")
    assert (told["scenarios"], told["version"]["version"]) == (2, "v1")
    program.run("suite", "pull", "rooms", "--to", "there.json")
    there = json.loads((program.folder / "there.json").read_text())
    there["scenarios"]["lid"]["skill"] = "see"
    (program.folder / "there.json").write_text(json.dumps(there))
    assert program.run("suite", "diff", "rooms.json") == "No scenario differs.\n"
    program.run("suite", "pull", "rooms", "--to", "rooms.zip")
    assert program.run("suite", "diff", "rooms.zip") == "No scenario differs.\n"
    copy = program.folder / "copy.zip"
    copy.write_bytes((program.folder / "rooms.zip").read_bytes())
    assert "copy is on the server" in program.run("suite", "push", "copy.zip")
    assert program.run("suite", "diff", "copy.zip") == "No scenario differs.\n"
    assert "differs: lid (skill)" in program.run("suite", "diff", "there.json", status=1)


def _post_episodes(program: Program) -> None:
    clip = barcode_clip(program.folder / "clip", kind="faststart", frames=60, width=160, height=96).path.read_bytes()
    (program.folder / "bad-0.mp4").write_bytes(b"no video")
    for name in ("red-box-0.mp4", "red-box-1.mp4", "lid-0.mp4"):
        (program.folder / name).write_bytes(clip)
    words = ("post", "red-box-0.mp4", "--suite", "rooms", "--agent", "w1")
    refused = program.run(*words, status=1)
    assert "#/agent" in refused
    program.run(*words, "--make-agent")
    manifest = [{"file": "lid-0.mp4", "agent": "w1", "suite": "rooms", "scenario": "lid", "continuation": 0}]
    (program.folder / "m.jsonl").write_text("\n".join(map(json.dumps, manifest)))
    more = program.json("post", "red-box-0.mp4", "red-box-1.mp4", *words[2:], "--manifest", "m.jsonl", "--wait")
    assert more["posted"] == ["rooms:w1:lid:0", "rooms:w1:red-box:1"]
    assert more["posted_before"] == ["rooms:w1:red-box:0"]
    assert set(Episode.objects.values_list("status", flat=True)) == {"ready"}
    bad = program.run("post", "bad-0.mp4", *words[2:], "--scenario", "lid", "--wait", status=1)
    assert "are both" not in bad
    assert "lid:0" in bad


def _name_people(program: Program) -> None:
    body = {"tool": "marker", "title": "Mark", "instructions": ["# Mark it"], "suite": "rooms", "status": "live"}
    code = f"from crosswalk_client import Client; Client().projects.put('marks', **{body!r})"
    process = subprocess.run([sys.executable, "-c", code], env=program.environment, check=False)
    assert process.returncode == 0
    made = program.json("links", "marks", "ana", "ben")
    assert [one["worker"] for one in made] == ["ana", "ben"]
    assert program.json("erase", "direct:ana", "--yes")["removed"] is not None
    assert "--yes" in program.run("erase", "direct:ben", status=1)
    told = program.json("export", "annotations", "marks", "--to", "a.jsonl")
    assert (told["rows"], (program.folder / "a.jsonl").read_bytes()) == (0, b"")
    if find_spec("pyarrow"):
        files = program.json("dataset", "marks", "--to", "folder")["files"]
        assert list(files) == ["README.md", "data/annotations.parquet", "data/consensus.parquet"]
        summed = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=program.folder / "folder", check=False)
        assert summed.returncode == 0


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_commands_of_the_guide_run(
    live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = live_server.url
    monkeypatch.setattr(outbox, "_send", outbox.run)
    key = create_key(name="guide", scopes=ApiKey.Scope.values, at=timezone.now())
    first = GUIDE_COMMANDS[0].replace("pip install ./client\n", "").replace("a-key-of-my-own-machine", key)
    (tmp_path / "crosswalk").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m crosswalk_client "$@"\n')
    (tmp_path / "crosswalk").chmod(0o755)
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    program = Program(tmp_path, live_server.url)
    path = {**program.environment, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    block = first.replace("http://127.0.0.1:8000", live_server.url)
    done = subprocess.run(["bash", "-c", block], cwd=tmp_path, env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 posted, 0 posted before." in done.stdout
    assert Episode.objects.get().status == "ready"


def test_every_example_of_the_guide_and_of_the_help_is_a_command() -> None:
    helps = [found.epilog or "" for found in parsers_of(parser())]
    shown = "\n".join([*GUIDE_COMMANDS, *helps]).replace("'episode.*'", "episode.x").replace("\n    ", "\n")
    shown = re.sub(r"\\\s*\n\s*", " ", shown)
    commands = re.findall(r"^ *(?:\w+=\S+ )?crosswalk ([^#<>\n]+)", shown, re.MULTILINE)
    assert len(commands) > 30
    for command in commands:
        parser().parse_args(shlex.split(command))


def test_every_help_is_shown_with_a_word_on_each_argument_and_an_example_for_each_command() -> None:
    for found in parsers_of(parser()):
        shown = found.format_help()
        is_group = any(isinstance(one, argparse._SubParsersAction) for one in found._actions)
        if not is_group:
            assert [one.dest for one in found._actions if not one.help] == [], found.prog
            assert "crosswalk " in shown.partition("xamples:")[2], found.prog


# Against answers as the contract has them ---------------------------------------------------------------------------


class Answers(BaseHTTPRequestHandler):
    """Answers each path with what `of` has for it; POST takes `wait_s`."""

    of: dict[str, list[Any]]
    wait_s = 0.0
    posted: list[str]

    def do_GET(self) -> None:
        found = self.of.get(self.path.split("?")[0].removeprefix("/api/v1"), [])
        self._answer(404 if not found else 200, found.pop(0) if len(found) > 1 else found[0] if found else {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.wait_s)
        self.posted.append(body.split(b'"external_id": "')[1].split(b'"')[0].decode())
        self._answer(201, {})

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body if status < 400 else {"code": "not_found", "detail": "No.", "errors": []}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def answers(tmp_path: Path) -> Iterator[tuple[type[Answers], Program]]:
    kind = type("OfThisTest", (Answers,), {"of": {}, "posted": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield kind, Program(tmp_path, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        thread.join()


def test_compare_tells_a_loss_from_doubt_by_its_status(answers: tuple[type[Answers], Program]) -> None:
    kind, program = answers
    words = ("compare", "new", "old", "--suite", "rooms", "--fail-if-worse", "0.03")
    facts = {"difference": 0.02, "low": -0.02, "high": 0.06, "scenarios": [], "estimand": "se_suite"}
    path = "/suites/rooms/comparison/"
    cases: list[tuple[dict[str, Any], tuple[str, ...], int]] = [
        ({}, (), 0),
        ({}, ("--confidence", "0.9999"), 2),
        ({"difference": -0.2, "low": -0.3, "high": -0.1}, (), 1),
        ({"difference": None, "low": None, "high": None}, (), 2),
    ]
    for changed, more, status in cases:
        kind.of = {path: [{**facts, **changed}]}
        assert program.run(*words, *more, status=status, CROSSWALK_KEY="k")
    kind.of = {"/suites/rooms/": [{"slug": "rooms"}]}
    assert "has no comparison" in program.run(*words, status=3, CROSSWALK_KEY="k")
    assert "not a number from 0 to 1" in program.run(*words[:-1], "3", status=3, CROSSWALK_KEY="k")


def test_watch_ends_when_every_run_is_complete(answers: tuple[type[Answers], Program]) -> None:
    kind, program = answers
    run = {"agent": "w1", "version": "v1", "expected": 2, "received": 2, "ready": 1, "judged": 0, "unjudged": 0}
    runs = [{**run, "missing": [], "missing_left": 0, "complete": False}]
    kind.of = {"/suites/rooms/runs/": [runs, runs, [{**runs[0], "ready": 2, "judged": 2, "complete": True}]]}
    said = program.run("watch", "--suite", "rooms", "--every", "0.1", "--json", CROSSWALK_KEY="k").splitlines()
    assert [json.loads(line)[0]["judged"] for line in said] == [0, 2]
    kind.of = {"/suites/rooms/runs/": [runs]}
    assert "Not every run" in program.run("watch", "--suite", "rooms", "--once", status=1, CROSSWALK_KEY="k")


@pytest.mark.long
def test_a_post_that_is_interrupted_goes_on_and_posts_each_file_once(answers: tuple[type[Answers], Program]) -> None:
    kind, program = answers
    kind.wait_s = 0.5
    names = [f"red-box-{number}.mp4" for number in range(12)]
    for name in names:
        (program.folder / name).write_bytes(name.encode())
    words = ("post", *names, "--suite", "rooms", "--agent", "w1", "--parallel", "2")
    process = program.start(*words, CROSSWALK_KEY="k")
    while len(kind.posted) < 4:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "goes on from there" in said
    known = int(said.split("Stopped: ")[1].split(" ")[0])
    # Two were on their way, and the person heard nothing of their answers.
    assert 4 - 2 <= known < 12
    program.run(*words, CROSSWALK_KEY="k")
    assert set(kind.posted) == {f"rooms:w1:red-box:{number}" for number in range(12)}
    # Only what was on its way at the interruption came twice, which the server answers as before.
    assert len(kind.posted) <= 12 + 2


def test_the_key_is_no_argument_and_every_command_has_its_help(tmp_path: Path) -> None:
    program = Program(tmp_path, "http://127.0.0.1:9")
    commands = {" ".join(path): words for path, words in words_of(parser())}
    assert not [words for words in commands.values() if "--key" in words]
    for name in ("init", "doctor", "post", "watch", "rank", "compare", "export", "links", "erase", "suite pull"):
        assert {"--json", "--url", "--profile"} <= set(commands[name]), name
    assert "crosswalk rank --suite rooms" in program.run("rank", "--help")
    script = program.run("completion", "bash")
    asked = f"{script}\nCOMP_WORDS=(crosswalk suite pu) COMP_CWORD=2; _crosswalk; echo ${{COMPREPLY[@]}}"
    assert subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout == "pull push\n"
