"""Many events through a receiver that fails for 30 % of the requests: whether each came, in which order, and what
other requests to the server took meanwhile."""

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx

from bench.pipelines.server import KEY, Server, whole_server
from bench.rows import Row, seconds_of
from tests.support.receiver import Received, receiver
from tests.support.shared_data import ROOT

_ITSELF = [sys.executable, "-m", "bench.pipelines.many_events"]
SUBJECTS = 500
FAILS = 0.3
PROBES = 200
LONGEST_PAUSE_S = 5
"""Longer pauses after failures are cut to this while it is measured: an event that fails six times would take hours."""


def run(count: int, *, minutes: float) -> list[Row]:
    chance, lock = random.Random(1), threading.Lock()

    def answer(number: int) -> int:
        with lock:
            return 500 if chance.random() < FAILS else 204

    with (
        tempfile.TemporaryDirectory(prefix="crosswalk-bench-") as name,
        whole_server(Path(name), CROSSWALK_ALLOW_PRIVATE_URLS="1") as server,
        receiver(answer) as sink,
        httpx.Client(base_url=f"{server.url}/api/v1", headers={"Authorization": f"Api-Key {KEY}"}, timeout=60) as api,
    ):
        quiet = _probe(api)
        api.post("/webhooks/", json={"url": sink.url, "events": ["task.*"]}).raise_for_status()
        began = time.monotonic()
        with _short_pauses(server):
            _happen(server, count)
            busy = _probe(api)
            took_s = _wait(sink.received, count, until=began + 60 * minutes) - began
        came = [one.event["data"]["number"] for one in sink.accepted]
        wrong = _out_of_order(sink.accepted)
        requests = len(sink.received)
    part = f"{count:,} events, {SUBJECTS} subjects"
    return [
        Row(part, "delivered at least once", len(set(came)), None, "events", len(set(came)) / count, "all", None, "1"),
        Row(part, "delivered again", len(came) - len(set(came)), None, "events", 1.0, ""),
        Row(part, "out of order in their subject", wrong, None, "events", 1.0, "", None, "0"),
        Row(part, f"requests in {took_s:.0f} s", requests / took_s, None, "per s", 1.0, ""),
        Row("a write and a read by a pipeline", "no events", 1000 * median(quiet), None, "ms", 1.0, "no events"),
        Row(
            "a write and a read by a pipeline",
            "while events are delivered",
            1000 * median(busy),
            None,
            "ms",
            median(busy) / median(quiet),
            "no events",
            None,
            "1",
        ),
    ]


def _probe(api: httpx.Client) -> list[float]:
    def once() -> None:
        api.put("/agents/probe/", json={"name": "Probe"}).raise_for_status()
        api.get("/agents/probe/").raise_for_status()

    return [seconds_of(once) for _ in range(PROBES)]


def _happen(server: Server, count: int) -> None:
    """Write the events, as what makes them true does, in a process of its own."""
    subprocess.run([*_ITSELF, str(count)], env=server.environment, cwd=ROOT, check=True)


@contextmanager
def _short_pauses(server: Server) -> Iterator[None]:
    """Within the block, no delivery waits longer than `LONGEST_PAUSE_S` for its next attempt."""
    process = subprocess.Popen([*_ITSELF, "short-pauses"], env=server.environment, cwd=ROOT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(received: list[Received], count: int, *, until: float) -> float:
    """When every event had come, or `until`."""
    came: set[str] = set()
    seen = 0
    while time.monotonic() < until:
        fresh = received[seen:]
        # The status of the newest ones may still be made.
        settled = [one for one in fresh if one.status]
        if len(settled) == len(fresh):
            seen += len(fresh)
            came |= {str(json.loads(one.body)["event"]) for one in fresh if one.status < 300}
        if len(came) >= count:
            break
        time.sleep(0.5)
    return time.monotonic()


def _out_of_order(accepted: list[Received]) -> int:
    last: dict[str, int] = defaultdict(lambda: -1)
    wrong = 0
    for one in accepted:
        event = json.loads(one.body)
        number = event["data"]["number"]
        # A repeat of what came before is none of a wrong order.
        wrong += number < last[event["subject"]]
        last[event["subject"]] = max(last[event["subject"]], number)
    return wrong


def _write(count: int) -> None:
    from django.utils import timezone

    from events.log import Happened, note

    for number in range(count):
        note(Happened("task.settled", f"t-{number % SUBJECTS}", {"number": number}, "", ""), at=timezone.now())


def _shorten_pauses() -> None:
    """Bring forward, each second, what is due later, and ask for the job that sends it."""
    from datetime import timedelta

    from django.utils import timezone

    from events.log import DELIVER
    from events.models import Delivery
    from jobs.outbox import enqueue

    while True:
        soon = timezone.now() + timedelta(seconds=LONGEST_PAUSE_S)
        if Delivery.objects.waiting().filter(next_at__gt=soon).update(next_at=soon):
            enqueue(DELIVER, "", unique_key=DELIVER, after=timedelta(seconds=LONGEST_PAUSE_S))
        time.sleep(1)


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    if sys.argv[1] == "short-pauses":
        _shorten_pauses()
    _write(int(sys.argv[1]))
