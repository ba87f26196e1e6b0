"""`client.tranches`, `client.trainings`, `client.models` and `client.campaigns`: what the data teaches the agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from crosswalk_client.api.named import Json, Named
from crosswalk_client.api.uploads import upload
from crosswalk_client.calls import Mode, Resource, call, lines, pages
from crosswalk_client.requests import Lines, Pages, Plan, Request, delete, download, get, path_of, post, put

Split = Literal["train", "valid", "test"]


class Tranches(Resource[Mode]):
    @call
    def list(self) -> Plan[Any]:
        return get("tranches/")

    @call
    def get(self, module: str, n: int) -> Plan[Json]:
        return get(path_of("tranches", module, n))

    @call
    def put(self, module: str, n: int, /, **body: Any) -> Plan[Json]:
        return put(path_of("tranches", module, n), body)

    @call
    def close(self, module: str, n: int) -> Plan[Json]:
        return post(path_of("tranches", module, n, "close"))

    @call
    def fill(self, module: str, items: Sequence[Mapping[str, Any]]) -> Plan[Json]:
        """Put items into tranche 0."""
        return post(path_of("tranches", module, 0, "items"), {"items": items})

    @lines
    def items(self, module: str, n: int, split: Split) -> Lines[Json]:
        return Lines(Request("GET", path_of("tranches", module, n, f"{split}.jsonl", ends="")))

    @call
    def parquet(self, module: str, n: int, split: Split, into: Path) -> Plan[Path]:
        return download(path_of("tranches", module, n, f"{split}.parquet", ends=""), into)


class Trainings(Resource[Mode]):
    @pages
    def list(self) -> Pages[Json]:
        return Pages(Request("GET", "trainings/"))

    @call
    def post(self, /, **body: Any) -> Plan[Json]:
        return post("trainings/", body)

    @call
    def get(self, training: str) -> Plan[Json]:
        return get(path_of("trainings", training))

    @call
    def cancel(self, training: str) -> Plan[Json | None]:
        return delete(path_of("trainings", training))

    @call
    def claim(self, /, **body: Any) -> Plan[Json | None]:
        """Take the next training that waits for a trainer outside of the server."""
        return post("trainings/claim/", body)

    @call
    def artefact(self, training: str, file: Path, /, **body: Any) -> Plan[Json]:
        """Hand in what the training made."""
        return _artefact(training, file, body)


class Models(Resource[Mode]):
    @pages
    def list(self) -> Pages[Json]:
        return Pages(Request("GET", "models/"))

    @call
    def get(self, model: str) -> Plan[Json]:
        return get(path_of("models", model))

    @call
    def artefact(self, model: str, into: Path, *, most_bytes: int | None = None) -> Plan[Path]:
        return download(path_of("models", model, "artefact"), into, most_bytes=most_bytes)

    @lines
    def predictions(self, model: str, n: int) -> Lines[Json]:
        return Lines(Request("GET", path_of("models", model, "predictions", n, "test.jsonl", ends="")))

    @call
    def gate(self, model: str, /, **body: Any) -> Plan[Json]:
        return post(path_of("models", model, "gate"), body)

    @call
    def deploy(self, model: str, /, **body: Any) -> Plan[Json]:
        return post(path_of("models", model, "deploy"), body)

    @call
    def rollback(self, model: str) -> Plan[Json]:
        return post(path_of("models", model, "rollback"))


class Campaigns(Named[Mode]):
    folder = "campaigns"

    @pages
    def list(self) -> Pages[Json]:
        return Pages(Request("GET", "campaigns/"))

    @call
    def get(self, slug: str) -> Plan[Json]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Any) -> Plan[Json]:
        return put(self._path(slug), body)

    @call
    def start(self, slug: str) -> Plan[Json]:
        return post(self._path(slug, "start"))

    @call
    def stop(self, slug: str) -> Plan[Json]:
        return post(self._path(slug, "stop"))

    @call
    def decide(self, slug: str, *, decision: str, reason: str) -> Plan[Json]:
        return post(self._path(slug, "decide"), {"decision": decision, "reason": reason})

    @call
    def replays(self, slug: str) -> Plan[Json]:
        return get(self._path(slug, "replays"))

    @call
    def replay(self, slug: str, /, **body: Any) -> Plan[Json]:
        return post(self._path(slug, "replays"), body)


def _artefact(training: str, file: Path, body: Mapping[str, Any]) -> Plan[Json]:
    name = yield from upload(file)
    answer: Json = yield from post(path_of("trainings", training, "artefact"), {**body, "upload": name})
    return answer
