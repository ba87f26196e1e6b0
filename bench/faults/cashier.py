"""A staff account that pays: it marks approved pay as sent, and enters corrections, on the pages of staff."""

import random
import re
import threading
from collections import Counter
from http import HTTPStatus
from itertools import count

import httpx

from bench.faults.acknowledged import Acknowledged
from bench.faults.caller import Repeating
from bench.faults.server import ADMIN, Server

AMOUNT, EVERY_S = "0.0100", 0.4
_ENTRY = re.compile(r'name="entry"\s+value="(\d+)"')


class Cashier(Repeating):
    """One browser, signed in as an admin. Each of its acts may be repeated."""

    def __init__(
        self, server: Server, log: Acknowledged, over: threading.Event, answers: Counter[int], *, project: str
    ) -> None:
        client = httpx.Client(base_url=server.url, timeout=httpx.Timeout(15), follow_redirects=True)
        super().__init__(client, random.Random(project), over, answers)
        self._password, self._log, self._project = server.password, log, project

    def sign_in(self) -> None:
        self.get("/staff/sign-in/")
        signed = self._post("/staff/sign-in/", login=ADMIN, password=self._password)
        assert "/sign-in/" not in str(signed.url), "the admin cannot sign in"

    def run(self, is_stopped: threading.Event, workers: int) -> None:
        """Sign in, then correct and pay until stopped."""
        self.sign_in()
        for number in count(1):
            if is_stopped.wait(EVERY_S):
                return
            self._correct(number, f"direct:marker-{number % workers}")
            self._pay()

    def get(self, path: str) -> httpx.Response:
        return self._final("GET", path)

    def _correct(self, number: int, worker: str) -> None:
        key = f"correction-{number}"
        done = self._post(
            "/staff/ledger/correct/", project=self._project, worker=worker, amount=AMOUNT, why="As counted.", key=key
        )
        # A worker who has not claimed yet is not known.
        if done.status_code != HTTPStatus.UNPROCESSABLE_ENTITY:
            assert done.is_success, done.text
            self._log.note("correction", key=key)

    def _pay(self) -> None:
        where = f"project={self._project}&state=approved"
        entries = _ENTRY.findall(self.get(f"/staff/ledger/?{where}").text)
        if entries:
            done = self._post(f"/staff/ledger/mark/?{where}", act="sent", which="ticked", entry=entries)
            assert done.is_success, done.text
            for entry in entries:
                self._log.note("payment", entry=entry)

    def _post(self, path: str, **form: str | list[str]) -> httpx.Response:
        return self._final(
            "POST", path, data={**form, "csrfmiddlewaretoken": self._client.cookies.get("csrftoken") or ""}
        )
