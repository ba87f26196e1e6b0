"""The load: workers who answer tasks, pipelines that post and decide, staff who pay, and live sessions."""

import random
import threading
from collections import Counter, deque
from collections.abc import Callable
from http import HTTPStatus
from itertools import count
from typing import Any

from bench.faults.acknowledged import Acknowledged
from bench.faults.caller import Caller, Over
from bench.faults.cashier import Cashier
from bench.faults.live import Sessions
from bench.faults.server import Server
from tests.support.shared_data import ROOT

MARKS, PAST, PLAY, AGENT, SUITE = "marks", "past", "play", "measured", "rooms"
PAY = "0.30"
WORKERS, PIPELINES = 5, 2
SIDE = 3
SCENE = {"size": [SIDE] * 3, "blocks": [[x, y, z, 9] for x in range(SIDE) for y in range(SIDE) for z in range(SIDE)]}
SCENARIO = {"instruction": "go to the box", "category": "go", "skill": "s", "takeover_s": 0.5, "continuation_s": 9.25}
DECISIONS = ("approved", "approved", "rejected", "softly_rejected")
EPISODE_EVERY = 20


class Load:
    """Threads that use the server until they are stopped.

    Attributes:
        faults: Sentences on answers that no server should give.
        unknown: The number of requests that had no final answer when the load ended.
    """

    def __init__(self, server: Server, log: Acknowledged, seed: int) -> None:
        self._server, self._log, self._chance = server, log, random.Random(seed)
        self._over, self._is_stopped = threading.Event(), threading.Event()
        self._answered: deque[str] = deque()
        self._number = count(1)
        self._callers: list[Caller] = []
        self.answers: Counter[int] = Counter()
        self.faults: list[str] = []
        self.unknown = 0
        self._sessions = Sessions(server, log, self._pipeline(), self._is_stopped, seed)
        self._cashier = Cashier(server, log, self._over, self.answers, project=MARKS)
        acts: list[Callable[[], None]] = [self._worker(number) for number in range(WORKERS)]
        acts += [self._post] * PIPELINES + [self._decide, self._pay, self._sessions.run]
        self._threads = [threading.Thread(target=self._guarded, args=(act,), daemon=True) for act in acts]

    def prepare(self) -> None:
        """Make the projects, the suite and the agent."""
        caller, pay = self._pipeline(), {"base": {"amount": PAY, "currency": "USD"}}
        usual = {"title": "T", "instructions": ["I"], "reference_rate": 0, "status": "live", "pay": pay}
        live = {"agent": "builder", "sessions": 100_000, "tree": "default", "minimum_s": 0}
        done = [
            caller.put(f"agents/{AGENT}/", {"name": "Measured"}),
            caller.put(f"suites/{SUITE}/", {"title": "Rooms"}),
            caller.put(f"suites/{SUITE}/scenarios/box/", SCENARIO),
            caller.put(f"projects/{MARKS}/", {**usual, "tool": "voxels", "redundancy": 2, "approve_after_s": None}),
            caller.put(f"projects/{PLAY}/", {**usual, "tool": "interaction", "settings": live}),
            caller.put(f"projects/{PAST}/", {**usual, "tool": "interaction", "status": "draft"}),
        ]
        for answer in done:
            assert answer.is_success, answer.text

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, patience_s: float = 30.0) -> None:
        """Let everybody finish what they have begun; what is not finished in this time is given up."""
        self._is_stopped.set()
        for thread in self._threads:
            thread.join(timeout=patience_s)
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=60)
            assert not thread.is_alive(), "a thread of the load hangs"
        for caller in self._callers:
            caller.close()
        self._cashier.close()

    def is_running(self) -> bool:
        return all(thread.is_alive() for thread in self._threads)

    # Everybody -----------------------------------------------------------------------------------------------------

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Over:
            self.unknown += 1
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")

    def _caller(self, authorization: str) -> Caller:
        chance = random.Random(self._chance.random())
        caller = Caller(self._server.url, authorization, chance, self._over, self.answers)
        self._callers.append(caller)
        return caller

    def _pipeline(self) -> Caller:
        return self._caller(f"Api-Key {self._server.key}")

    # Workers -------------------------------------------------------------------------------------------------------

    def _worker(self, number: int) -> Callable[[], None]:
        name = f"marker-{number}"

        def work() -> None:
            token = self._pipeline().post(f"projects/{MARKS}/links/", {"worker": name}).json()["token"]
            caller = self._caller(f"Bearer {token}")
            while not self._is_stopped.wait(0.02):
                self._take_one(caller, name)

        return work

    def _take_one(self, caller: Caller, name: str) -> None:
        claimed = caller.post("work/claim/")
        if claimed.status_code != HTTPStatus.OK:
            assert claimed.status_code == HTTPStatus.NO_CONTENT, claimed.text
            self._is_stopped.wait(0.3)
            return
        assignment = claimed.json()["assignment"]
        answer = {"voxels": [[self._chance.randrange(SIDE) for _ in range(3)]]}
        submitted = caller.post(f"work/assignments/{assignment}/submit/", {"answer": answer, "active_s": 1})
        if submitted.status_code == HTTPStatus.CREATED:
            annotation = submitted.json()["annotation"]
            self._log.note("submission", annotation=annotation, worker=name, answer=answer)
            self._answered.append(annotation)
        else:
            # The clock went a day ahead, so the lease is over.
            assert submitted.status_code == HTTPStatus.CONFLICT, submitted.text

    # Pipelines -----------------------------------------------------------------------------------------------------

    def _post(self) -> None:
        caller = self._pipeline()
        for turn in count(1):
            if self._is_stopped.wait(0.05):
                return
            number = next(self._number)
            self._post_tasks(caller, number)
            self._post_commands(caller, number)
            self._post_metric(caller, number)
            if turn % EPISODE_EVERY == 1:
                self._post_episode(caller, number)

    def _post_tasks(self, caller: Caller, number: int) -> None:
        keys = [f"t-{number}-{one}" for one in range(2)]
        tasks = [{"key": key, "payload": {"scene": SCENE, "phrase": "the box"}} for key in keys]
        self._expect(caller.post(f"projects/{MARKS}/tasks/", {"tasks": tasks}, key=f"tasks-{number}"))
        for key in keys:
            self._log.note("task", key=key)

    def _post_commands(self, caller: Caller, number: int) -> None:
        names = [f"c-{number}-{one}" for one in range(2)]
        commands = [{"command": name, "project": PAST, "text": f"dig {name}", "outcome": "ok"} for name in names]
        self._expect(caller.post("commands/", {"commands": commands}, key=f"commands-{number}"))
        for name in names:
            self._log.note("posted command", name=name)

    def _post_metric(self, caller: Caller, number: int) -> None:
        # Only the Idempotency-Key keeps a repeat of this from adding a second row.
        self._expect(caller.post(f"agents/{AGENT}/metrics/", {"metric": "m", "value": number}, key=f"metric-{number}"))
        self._log.note("metric", value=number)

    def _post_episode(self, caller: Caller, number: int) -> None:
        name, video = f"e-{number}", sorted((ROOT / "demo" / "episodes").glob("*.mp4"))[0].read_bytes()
        data = f'{{"external_id": "{name}", "agent": "{AGENT}", "suite": "{SUITE}", "scenario": "box", '
        data += f'"continuation": {number}}}'
        files = {"data": (None, data, "application/json"), "video": ("v.mp4", video)}
        self._expect(caller.post("episodes/", key=f"episode-{number}", files=files))
        self._log.note("episode", name=name)

    def _decide(self) -> None:
        caller = self._pipeline()
        while not self._is_stopped.wait(0.3):
            chosen = [self._answered.popleft() for _ in range(min(4, len(self._answered)))]
            if not chosen:
                continue
            body: dict[str, Any] = {"annotations": chosen, "decision": self._chance.choice(DECISIONS)}
            body["reason"] = "" if body["decision"] == "approved" else "not the box"
            self._expect(caller.post(f"projects/{MARKS}/approvals/", body, key=f"decision-{chosen[0]}"))
            for annotation in chosen:
                self._log.note("decision", annotation=annotation, decision=body["decision"])

    def _pay(self) -> None:
        self._cashier.run(self._is_stopped, WORKERS)

    def _expect(self, answer: Any) -> None:
        assert answer.is_success, f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}"
