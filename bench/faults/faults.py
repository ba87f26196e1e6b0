"""The faults, by name: each breaks something of a server, waits, and mends what does not mend itself."""

import random
import time
from collections.abc import Callable

from bench.faults.server import Server

DAY_S = 86_400.0
Fault = Callable[[Server, random.Random], None]


def _kill(name: str) -> Fault:
    return lambda server, chance: server.kill(name)


def _kill_service(name: str) -> Fault:
    return lambda server, chance: server.services[name].kill()


def _cut_front(server: Server, chance: random.Random) -> None:
    server.front.cut()
    time.sleep(chance.uniform(0.2, 3))
    server.front.mend()


def _delay(server: Server, chance: random.Random) -> None:
    """Hold each piece of data back, before the server and behind it."""
    for proxy in (server.front, *server.back.values()):
        proxy.delay_s = chance.uniform(0.02, 0.2)
    time.sleep(chance.uniform(2, 4))
    for proxy in (server.front, *server.back.values()):
        proxy.mend()


def _cut_back(name: str) -> Fault:
    def act(server: Server, chance: random.Random) -> None:
        server.back[name].cut()
        time.sleep(chance.uniform(0.2, 4))
        server.back[name].mend()

    return act


def _fill_disk(server: Server, chance: random.Random) -> None:
    server.disk.fill()
    time.sleep(chance.uniform(1, 4))
    server.disk.empty()


def _shift_clock(direction: int) -> Fault:
    def act(server: Server, chance: random.Random) -> None:
        server.shift_clock(direction * DAY_S)
        time.sleep(chance.uniform(2, 5))
        server.shift_clock(0)

    return act


def faults_of(server: Server) -> dict[str, Fault]:
    """All faults that this server can have. A disk that is not small cannot be filled."""
    found: dict[str, Fault] = {f"kill -9 of {name}": _kill(name) for name in ("web", "worker", "builder", "keeper")}
    found |= {f"kill -9 of {name}": _kill_service(name) for name in server.services}
    found |= {"network cut before the server": _cut_front, "network slow": _delay}
    found |= {f"network cut to {name}": _cut_back(name) for name in server.back}
    if server.disk.is_mounted:
        found["disk full"] = _fill_disk
    found |= {"clock a day ahead": _shift_clock(1), "clock a day back": _shift_clock(-1)}
    return found
