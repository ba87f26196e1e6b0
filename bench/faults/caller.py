"""Clients that repeat each request until it has a final answer."""

import random
import threading
import time
from collections import Counter
from http import HTTPStatus
from typing import Any

import httpx

WAIT_S = 0.2
STILL_RUNS = "still running"
"""In the refusal of a repeat that came before the first request was answered."""


class Over(Exception):
    """The load ended before the request had a final answer; nobody knows whether it was carried out."""


class Repeating:
    """A client that repeats each request until it has a final answer.

    Attributes:
        answers: The number of answers by status; shared by all clients.
    """

    def __init__(
        self, client: httpx.Client, chance: random.Random, over: threading.Event, answers: Counter[int]
    ) -> None:
        self._client, self._chance, self._over = client, chance, over
        self.answers = answers

    def close(self) -> None:
        self._client.close()

    def _final(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """The first answer that says whether it was done.

        Raises:
            Over: the load ended before.
        """
        while True:
            try:
                answer = self._client.request(method, path, **sent)
            except httpx.HTTPError:
                self.answers[0] += 1
            else:
                self.answers[answer.status_code] += 1
                if not _may_be_repeated(answer):
                    return answer
            if self._over.is_set():
                raise Over(path)
            time.sleep(WAIT_S * self._chance.uniform(0.5, 2))


class Caller(Repeating):
    """One client of the API with a credential."""

    def __init__(
        self, url: str, authorization: str, chance: random.Random, over: threading.Event, answers: Counter[int]
    ) -> None:
        client = httpx.Client(
            base_url=f"{url}/api/v1/", headers={"Authorization": authorization}, timeout=httpx.Timeout(15)
        )
        super().__init__(client, chance, over, answers)

    def get(self, path: str, **params: str) -> httpx.Response:
        return self._final("GET", path, params=params or None)

    def put(self, path: str, body: Any) -> httpx.Response:
        return self._final("PUT", path, json=body)

    def post(self, path: str, body: Any = None, *, key: str = "", **how: Any) -> httpx.Response:
        """The final answer to this request.

        With a key it is now and then sent once more, as by a network that duplicates it; the answer must be the same.

        Raises:
            Over: the load ended before.
        """
        sent: dict[str, Any] = {**how, **({"json": body} if body is not None else {})}
        if key:
            sent["headers"] = {"Idempotency-Key": key}
        first = self._final("POST", path, **sent)
        if key and first.is_success and self._chance.random() < 0.1:
            second = self._final("POST", path, **sent)
            assert (second.status_code, second.content) == (first.status_code, first.content), (
                f"{path} answered a repeat otherwise: {first.text} and {second.text}"
            )
        return first


def _may_be_repeated(answer: httpx.Response) -> bool:
    if answer.status_code == HTTPStatus.CONFLICT:
        return STILL_RUNS in answer.text
    return answer.is_server_error or answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
