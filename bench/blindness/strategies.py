"""The strategies: what one worker, or several who share what they see, do to tell references from ordinary tasks."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.blindness.client import Client
from bench.blindness.contents import answers_to
from bench.blindness.trial import Serving

JUNK = 12
"""The number of junk answers after each strategy, at most."""
MOST = 120
"""The most claims of all workers of a trial together, about, so that a large project is not the whole measurement."""
MOST_ROUNDS = 360
"""The most claims of a strategy that needs more than one round."""
Play = Callable[[Sequence[Client], random.Random], None]


class Strategy(NamedTuple):
    """`workers` people, each in `projects` projects; `play` gets the clients of all, the projects of a worker side by
    side. With `is_strict` the project warns at the first missed reference. `others` play too, in turn with them, and
    nobody learns what they saw."""

    play: Play
    workers: int = 1
    projects: int = 1
    is_strict: bool = False
    others: int = 0


def _most(clients: Sequence[Client], rounds: float, *, most: int = MOST) -> int:
    """The number of claims of each worker for so many rounds over the open tasks."""
    return min(most // len(clients) + 10, int(rounds * clients[0].open_units()) + 2)


def _take_turns(clients: Sequence[Client], most: int, end: Callable[[Client, Serving], object]) -> None:
    """Let each client claim `most` times in turn, and end each hold; a client that gets nothing drops out."""
    going = list(clients)
    for _ in range(most):
        for client in list(going):
            serving = client.claim()
            if serving is None:
                going.remove(client)
            else:
                end(client, serving)


def answer(clients: Sequence[Client], draw: random.Random) -> None:
    """Answer half of the tasks rightly: the strategy of an honest worker."""
    _take_turns(clients, _most(clients, 0.5), Client.submit)


def answer_all(clients: Sequence[Client], draw: random.Random) -> None:
    """Answer everything, and compare orders."""
    _take_turns(clients, _most(clients, 1.4), Client.submit)


def release(clients: Sequence[Client], draw: random.Random) -> None:
    """Release everything and claim again, for more than two rounds."""
    _take_turns(clients, _most(clients, 2.2, most=MOST_ROUNDS), Client.release)


def until_first_repeat(clients: Sequence[Client], draw: random.Random) -> None:
    """Release until a unit comes again; from then on answer what comes again, and release what is new."""
    (client,) = clients
    most = _most(clients, 2.2, most=MOST_ROUNDS)
    seen: set[str] = set()
    repeated = False
    for _ in range(most):
        serving = client.claim()
        if serving is None:
            return
        repeated = repeated or serving.content in seen
        if repeated and serving.content in seen:
            client.submit(serving)
        else:
            client.release(serving)
        seen.add(serving.content)


def orders(clients: Sequence[Client], draw: random.Random) -> None:
    """Release everything for one round, and compare orders and digests."""
    _take_turns(clients, _most(clients, 1.3), Client.release)


def timing(clients: Sequence[Client], draw: random.Random) -> None:
    """Measure every call about a hold: a draft, a heartbeat, an answer that is refused, an answer, its correction."""

    def end(client: Client, serving: Serving) -> None:
        client.try_extra(serving, "draft", "PATCH", "", {"draft": {"note": 1}})
        client.try_extra(serving, "heartbeat", "POST", "heartbeat/", {})
        client.try_extra(serving, "bad answer", "POST", "submit/", {"answer": {"voxels": 1, "frame": -1}})
        if client.submit(serving, junk=draw.random() < 0.5):
            right = answers_to(client.payloads[serving.assignment]).right
            client.try_extra(serving, "correction", "POST", "correct/", {"answer": right})

    _take_turns(clients, _most(clients, 0.5), end)


def report(clients: Sequence[Client], draw: random.Random) -> None:
    """Report three of four units and release the others."""

    def end(client: Client, serving: Serving) -> None:
        (client.report if draw.random() < 0.75 else client.release)(serving)

    _take_turns(clients, _most(clients, 1.2), end)


def expire(clients: Sequence[Client], draw: random.Random) -> None:
    """Let every hold expire."""
    _take_turns(clients, _most(clients, 1.8), Client.let_expire)


def counters(clients: Sequence[Client], draw: random.Random) -> None:
    """Look at all numbers, the summary's too, before a claim, after it and after its end; reserve ahead; answer or
    release."""
    (client,) = clients
    for _ in range(_most(clients, 1.0, most=MOST // 2)):
        before = client.look()
        serving = client.claim()
        if serving is None:
            return
        serving.looks += [before, client.look()]
        client.try_extra(serving, "ahead", "POST", "ahead/", {})
        (client.submit if draw.random() < 0.6 else client.release)(serving)
        serving.looks.append(client.look())


def notices(clients: Sequence[Client], draw: random.Random) -> None:
    """Answer junk, and look for a notice after each answer."""

    def end(client: Client, serving: Serving) -> None:
        client.submit(serving, junk=True)
        client.read_notice(serving)

    _take_turns(clients, _most(clients, 1.0, most=MOST // 2), end)


def mixed(clients: Sequence[Client], draw: random.Random) -> None:
    """End each hold in a way drawn by chance."""
    ends = (Client.submit, Client.release, Client.release, Client.report, Client.let_expire)

    def end(client: Client, serving: Serving) -> None:
        draw.choice(ends)(client, serving)

    _take_turns(clients, _most(clients, 1.5), end)


def answer_junk(client: Client) -> list[Serving]:
    """Answer junk `JUNK` times; the answered servings."""
    done = []
    for _ in range(JUNK):
        serving = client.claim()
        if serving is None or not client.submit(serving, junk=True):
            break
        done.append(serving)
    return done


STRATEGIES: dict[str, Strategy] = {
    "release all": Strategy(release),
    "orders of two": Strategy(orders, workers=2),
    "notices": Strategy(notices, is_strict=True),
    "until first repeat": Strategy(until_first_repeat),
    "answer half": Strategy(answer),
    "orders of five": Strategy(orders, workers=5),
    "timing": Strategy(timing),
    "report": Strategy(report),
    "answers of two": Strategy(answer_all, workers=2),
    "let expire": Strategy(expire),
    "two projects": Strategy(orders, projects=2),
    "counters": Strategy(counters),
    "answers of five": Strategy(answer_all, workers=5),
    "answers of five of fifteen": Strategy(answer_all, workers=5, others=10),
    "mixed": Strategy(mixed),
    "notices, usual gate": Strategy(notices),
}
