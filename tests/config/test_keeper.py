"""`manage.py serve`: a process that dies is started again, none outlives its keeper, a data folder has one server."""

import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command

from config import keeper, serving
from config.keeper import (
    FIRST_WAIT_S,
    LONGEST_WAIT_S,
    STEADY_S,
    Keeper,
    Kept,
    Refused,
    answers,
    check_port,
    data_folder_held,
)
from tests.support.servers import Site, own_site
from tests.support.shared_data import ROOT


class _Ended:
    """A process that has ended."""

    def poll(self) -> int:
        return -signal.SIGKILL


def _wait_after(kept: Kept, *, ran_s: float) -> float:
    kept.process, kept.started_at, kept.start_at = _Ended(), 1000.0, None  # type: ignore[assignment]
    assert kept.note_end(1000.0 + ran_s) == -signal.SIGKILL
    assert kept.start_at is not None
    return kept.start_at - 1000.0 - ran_s


def test_a_process_that_ends_again_and_again_waits_ever_longer_until_it_ran_steadily() -> None:
    kept = Kept("web", [])
    waits = [_wait_after(kept, ran_s=0.5) for _ in range(7)]
    assert waits == [FIRST_WAIT_S * factor for factor in (1, 2, 4, 8, 16)] + [LONGEST_WAIT_S] * 2
    assert _wait_after(kept, ran_s=STEADY_S) == FIRST_WAIT_S


def test_a_data_folder_has_one_server_at_a_time(tmp_path: Path) -> None:
    taken = pytest.raises(Refused, match=rf"process {os.getpid()}\) serves the data folder {tmp_path}")
    with data_folder_held(tmp_path), taken, data_folder_held(tmp_path):
        pass
    with data_folder_held(tmp_path):
        pass


def test_a_port_that_another_program_has_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "PORT_WAIT_S", 0.0)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(Refused, match=f"Port {port} of 127.0.0.1 cannot be had"):
            check_port("127.0.0.1", port)
    check_port("127.0.0.1", port)


def test_a_web_process_that_ends_before_it_ever_answered_ends_the_server() -> None:
    kept = Keeper({"web": ["no_such_module"]}, host="127.0.0.1", port=9, on_ready=pytest.fail)
    assert kept.run() == 1


def test_a_command_that_ends_in_serve_hands_its_text_on_where_other_accounts_cannot_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: started.append(words))
    call_command("serve", port=8123, announce="password abc")
    ((_, script, name, *words),) = started
    assert (Path(script), name) == (ROOT / "manage.py", "serve")
    assert "abc" not in str(words)
    parser = ArgumentParser()
    serving.add_arguments(parser)
    options = parser.parse_args(words)
    assert (options.host, options.port) == ("127.0.0.1", 8123)
    with os.fdopen(options.announce_from) as pipe:
        assert pipe.read() == "password abc"


# Real processes, really killed ----------------------------------------------------------------------------------

MODULES = {"web": "uvicorn", "worker": "config.worker", "builder": "builder"}


@contextmanager
def served(site: Site) -> Iterator["subprocess.Popen[bytes]"]:
    """`manage.py serve` on the site's data; its processes are gone afterwards."""
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(site.port)]
    with (site.folder / "serve.log").open("ab") as said:
        server = subprocess.Popen(command, env=site.environment, cwd=ROOT, stdout=said, stderr=said)
    try:
        yield server
    finally:
        server.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=30)
        for pid in processes_of(server.pid).values():
            os.kill(pid, signal.SIGKILL)
        server.kill()


def processes_of(keeper_pid: int) -> dict[str, int]:
    """The process ids of what this keeper started, by name, whether it lives or not."""
    lines = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,args="], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    found = {}
    for line in lines.splitlines():
        pid, _, words = line.strip().partition(" ")
        for name, module in MODULES.items():
            if f"config.kept_process {keeper_pid} {module}" in words:
                found[name] = int(pid)
    return found


def eventually(look: Callable[[], bool], what: str, *, within_s: float = 90) -> None:
    until = time.monotonic() + within_s
    while not look():
        assert time.monotonic() < until, what
        time.sleep(0.2)


def runs_anew(keeper_pid: int, name: str, before: int) -> bool:
    return processes_of(keeper_pid).get(name, before) != before


@pytest.mark.long
def test_whatever_is_killed_comes_back_and_nothing_outlives_the_keeper(tmp_path: Path) -> None:
    with own_site(tmp_path) as site, served(site) as server:
        eventually(lambda: answers("127.0.0.1", site.port), "the server answers")
        eventually(lambda: set(processes_of(server.pid)) == set(MODULES), "everything runs")
        for name in MODULES:
            before = processes_of(server.pid)[name]
            os.kill(before, signal.SIGKILL)
            eventually(partial(runs_anew, server.pid, name, before), f"{name} runs anew")
        eventually(lambda: answers("127.0.0.1", site.port), "the server answers again")

        second = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(site.port + 1)],
            env=site.environment,
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert second.returncode == 1
        assert f"Another server (process {server.pid}) serves the data folder {tmp_path}" in second.stderr
        assert answers("127.0.0.1", site.port)

        server.kill()
        server.wait()
        eventually(lambda: processes_of(server.pid) == {}, "nothing is left", within_s=30)
        check_port("127.0.0.1", site.port)
