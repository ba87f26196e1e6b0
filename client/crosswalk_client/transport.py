"""Sends requests with httpx: `Blocking` waits for each answer, `Awaiting` awaits it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx

from crosswalk_client.errors import BadAnswer, CrosswalkError, NoAddress, Unreachable
from crosswalk_client.requests import (
    PASSING,
    Lines,
    Outcome,
    Pages,
    Pause,
    Plan,
    Request,
    Retry,
    Step,
    failure,
    sent,
    steps,
)
from crosswalk_client.settings import Settings

R = TypeVar("R")
PIECE = 1024 * 1024
"""How many bytes of a file are read and sent at once."""
TIMEOUT = httpx.Timeout(60, connect=10, write=120)


class _Transport:
    """The base of both transports: the settings, and how a request is made."""

    def __init__(self, settings: Settings, retry: Retry) -> None:
        self._settings = settings
        self._retry = retry

    def _parts(self, request: Request) -> dict[str, Any]:
        if not request.is_signed and not self._settings.key:
            raise NoAddress("No key is known: give `key`, set CROSSWALK_KEY, or run `crosswalk init`.")
        address = request.path if request.is_signed else f"{self._settings.url}/api/v1/{request.path}"
        credential = {} if request.is_signed else {"Authorization": f"Api-Key {self._settings.key}"}
        body: dict[str, Any] = {"json": request.json, "data": request.data, "files": request.files}
        if isinstance(request.content, bytes):
            body["content"] = request.content
        elif request.content is not None:
            body["content"] = self._pieces(request.content)
            credential["Content-Length"] = str(request.content.stat().st_size)
        return {
            "method": request.method,
            "url": address,
            "params": dict(request.query) or None,
            "headers": {**credential, **request.headers},
            **{name: value for name, value in body.items() if value is not None},
        }

    @staticmethod
    def _pieces(path: Path) -> Iterator[bytes] | AsyncIterator[bytes]:
        """The bytes of a file that is a request's body."""
        raise NotImplementedError

    def _pause_s(self, error: httpx.TransportError | CrosswalkError, tries: int, *, can_go_on: bool) -> float:
        """How long to wait before a stream is asked for again; raises where it cannot go on."""
        refusal = error if isinstance(error, CrosswalkError) else Unreachable(f"The stream broke: {error!r}.")
        if tries >= self._retry.times or not can_go_on or (refusal.status and refusal.status not in PASSING):
            raise refusal from error
        return max(refusal.retry_after_s or 0.0, self._retry.pause_s(tries))


class Blocking(_Transport):
    """Sends each request in the calling thread; may be used by several threads at once."""

    def __init__(self, settings: Settings, retry: Retry, http: httpx.Client | None = None) -> None:
        super().__init__(settings, retry)
        self._http = http or httpx.Client(timeout=TIMEOUT)

    def close(self) -> None:
        self._http.close()

    def run(self, plan: Plan[R]) -> R:
        running = steps(plan, self._retry)
        outcome: Outcome = None
        while True:
            try:
                step = running.send(outcome)
            except StopIteration as done:
                result: R = done.value
                return result
            outcome = self._done(step)

    @staticmethod
    def _pieces(path: Path) -> Iterator[bytes]:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def _done(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            if step.into is not None:
                return self._download(step, step.into)
            return self._http.request(**self._parts(step))
        except httpx.TransportError as error:
            return error

    def _download(self, request: Request, into: Path) -> httpx.Response:
        with self._http.stream(**self._parts(request)) as answer:
            if not answer.is_success:
                answer.read()
                return answer
            with Unfinished(into, request.most_bytes) as file:
                for piece in answer.iter_bytes():
                    file.write(piece)
        return answer

    def pages(self, pages: Pages[R]) -> Iterator[R]:
        following: Pages[R] | None = pages
        while following is not None:
            page = self.run(sent(following.request))
            yield from page["results"]
            following = following.after(page)

    def lines(self, lines: Lines[R]) -> Iterator[R]:
        tries, came = 0, False
        while True:
            try:
                with self._http.stream(**self._parts(lines.request)) as answer:
                    if not answer.is_success:
                        answer.read()
                        raise failure(answer)
                    for line in _json_lines(answer.iter_bytes()):
                        yield line
                        lines, tries, came = lines.after(line), 0, True
                return
            except (httpx.TransportError, CrosswalkError) as error:
                pause_s = self._pause_s(error, tries, can_go_on=bool(lines.since) or not came)
            time.sleep(pause_s)
            tries += 1


class Awaiting(_Transport):
    """Sends each request from the running event loop of asyncio."""

    def __init__(self, settings: Settings, retry: Retry, http: httpx.AsyncClient | None = None) -> None:
        super().__init__(settings, retry)
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT)

    async def close(self) -> None:
        await self._http.aclose()

    async def run(self, plan: Plan[R]) -> R:
        running = steps(plan, self._retry)
        outcome: Outcome = None
        while True:
            try:
                step = running.send(outcome)
            except StopIteration as done:
                result: R = done.value
                return result
            outcome = await self._done(step)

    @staticmethod
    async def _pieces(path: Path) -> AsyncIterator[bytes]:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece

    async def _done(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            if step.into is not None:
                return await self._download(step, step.into)
            return await self._http.request(**self._parts(step))
        except httpx.TransportError as error:
            return error

    async def _download(self, request: Request, into: Path) -> httpx.Response:
        async with self._http.stream(**self._parts(request)) as answer:
            if not answer.is_success:
                await answer.aread()
                return answer
            with Unfinished(into, request.most_bytes) as file:
                async for piece in answer.aiter_bytes():
                    file.write(piece)
        return answer

    async def pages(self, pages: Pages[R]) -> AsyncIterator[R]:
        following: Pages[R] | None = pages
        while following is not None:
            page = await self.run(sent(following.request))
            for row in page["results"]:
                yield row
            following = following.after(page)

    async def lines(self, lines: Lines[R]) -> AsyncIterator[R]:
        tries, came = 0, False
        while True:
            try:
                async with self._http.stream(**self._parts(lines.request)) as answer:
                    if not answer.is_success:
                        await answer.aread()
                        raise failure(answer)
                    splitter = Splitter()
                    async for piece in answer.aiter_bytes():
                        for line in splitter.feed(piece):
                            row = json.loads(line)
                            yield row
                            lines, tries, came = lines.after(row), 0, True
                return
            except (httpx.TransportError, CrosswalkError) as error:
                pause_s = self._pause_s(error, tries, can_go_on=bool(lines.since) or not came)
            await asyncio.sleep(pause_s)
            tries += 1


class Splitter:
    """Cuts bytes at line feeds alone: text in JSON may contain what else counts as the end of a line."""

    def __init__(self) -> None:
        self._left = b""

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes.

        >>> splitter = Splitter()
        >>> splitter.feed(b'{"a"'), splitter.feed(b': 1}' + bytes([10]) + b'{')
        ([], [b'{"a": 1}'])
        """
        *whole, self._left = (self._left + piece).split(b"\n")
        return [line for line in whole if line.strip()]


def _json_lines(pieces: Iterator[bytes]) -> Iterator[Any]:
    splitter = Splitter()
    for piece in pieces:
        for line in splitter.feed(piece):
            yield json.loads(line)


class Unfinished:
    """A file that gets its name when all is written; nothing of it is left after an error."""

    def __init__(self, path: Path, most_bytes: int | None = None) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._unfinished = path.with_name(f"{path.name}.unfinished")

    def __enter__(self) -> Unfinished:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._unfinished.open("wb")
        return self

    def write(self, piece: bytes) -> None:
        """Add a piece.

        Raises:
            BadAnswer: the file would have more bytes than allowed.
        """
        if self._most_bytes is not None and self._file.tell() + len(piece) > self._most_bytes:
            raise BadAnswer(f"The answer has more than {self._most_bytes} bytes.")
        self._file.write(piece)

    def __exit__(self, kind: Any, *_: object) -> None:
        self._file.close()
        if kind is None:
            self._unfinished.replace(self._path)
        else:
            with suppress(OSError):
                self._unfinished.unlink()
