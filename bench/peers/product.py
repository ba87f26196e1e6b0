"""The interface that a measured product offers, and the product's processes."""

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import ClassVar

from bench.peers.calls import Line
from bench.processes import free_port

START_S = 300.0


class Annotator(ABC):
    """One person at work; each method is one request and returns its status and seconds."""

    @abstractmethod
    def next(self) -> tuple[int, float, object]:
        """Take the next task; the third value is its id."""

    @abstractmethod
    def draft(self, task: object) -> tuple[int, float]: ...

    @abstractmethod
    def submit(self, task: object) -> tuple[int, float]: ...


class Product(ABC):
    """One annotation server on this machine, with its own data in `folder`."""

    name: ClassVar[str]
    health: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self._processes: list[subprocess.Popen[bytes]] = []

    @staticmethod
    @abstractmethod
    def missing() -> str:
        """Why the product cannot be measured here, and what would help; empty where it can."""

    @abstractmethod
    def command(self) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command that serves on `port`, and its environment."""

    @abstractmethod
    def project(self, title: str) -> str:
        """A new project that is open for work."""

    @abstractmethod
    def post(self, project: str, first: int, number: int) -> float:
        """Post this many tasks, numbered from `first`, in one request; its seconds."""

    @abstractmethod
    def annotator(self, project: str, name: str) -> Annotator: ...

    @abstractmethod
    def export(self, project: str) -> tuple[float, float, int]:
        """Take all annotations: seconds to the first byte, to the last, and the number of bytes."""

    @abstractmethod
    def prepare(self) -> None:
        """Make tables and accounts, before the start is timed."""

    def start(self) -> float:
        """Start the server; the seconds until it answers."""
        command, environment = self.command()
        return self._run(command, environment, self.base)

    def _run(self, command: Sequence[str], environment: Mapping[str, str], base: str) -> float:
        """Start a process of the server; the seconds until it answers at `base`."""
        began = perf_counter()
        with (self.folder / "server.log").open("ab") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self._processes.append(process)
        line = Line(base)
        until = monotonic() + START_S
        while monotonic() < until and process.poll() is None:
            try:
                if line.call("GET", self.health).status == 200:
                    return perf_counter() - began
            except OSError:
                pass
            sleep(0.05)
        raise RuntimeError(f"{self.name} did not start; see {self.folder / 'server.log'}")

    def stop(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._processes.clear()

    def memory_mb(self) -> float:
        """The memory of all processes of the server (PSS: shared pages are divided among those that share them)."""
        return sum(_pss_kb(pid) for process in self._processes for pid in _tree(process.pid)) / 1024

    def processor_s(self) -> float:
        """The processor time that all processes of the server have spent. Unlike the time that a request takes, it
        hardly depends on what else the machine does."""
        return sum(_processor_s(pid) for process in self._processes for pid in _tree(process.pid))


def _tree(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            found += [int(child) for child in children.read_text().split()]
    return found


def _processor_s(pid: int) -> float:
    # As `clock_getcpuclockid` of the C library makes the clock of another process.
    return time.clock_gettime((~pid << 3) | 2)


def _pss_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0
