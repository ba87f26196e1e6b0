"""Learnt models in the built-in agent: loaded as the server names them, else its own rules parse."""

import asyncio
import hashlib
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from builder.mind import Mind
from builder.models.parsers import RULES, UNSURE, Loaded, Parsers
from builder.models.store import ModelStore, fetch_from
from builder.runner import Pace, serve_with
from crosswalk_client.conformance.log import Log
from crosswalk_client.errors import BadAnswer, NotFound
from learning.trainers.nlu.linear import LinearParserTrainer
from lib.files import model_file
from lib.logical_form import Form
from tests.support.small_corpus import small_corpus
from tests.support.sockets import gateway_of, serving

FROM_RULES: Form = {"dialogue_type": "NOOP"}
LEARNT: Form = {"dialogue_type": "GET_CAPABILITIES", "action_type": "ANY"}


class Said(NamedTuple):
    form: Form
    score: float


def rules(text: str) -> Form:
    return FROM_RULES


def model(name: str, score: float) -> Loaded:
    return Loaded(name, lambda text: Said(LEARNT, score))


def broken(text: str) -> Said:
    raise ZeroDivisionError


@pytest.fixture(scope="module")
def artefact() -> bytes:
    corpus = small_corpus()
    return LinearParserTrainer().fit(corpus, corpus, seed=0, settings={}, start=None, told=lambda progress: None)


def named(artefact: bytes, name: str = "m-1", **more: Any) -> dict[str, Any]:
    return {
        "model": name,
        "sha256": hashlib.sha256(artefact).hexdigest(),
        "path": f"/api/v1/models/{name}/artefact/",
        **more,
    }


# Which parser decides -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deployed", "version", "form"),
    [
        (None, RULES, FROM_RULES),
        (model("m-1", 1), "m-1", LEARNT),
        (model("m-1", UNSURE), "m-1", LEARNT),
        (model("m-1", UNSURE - 0.01), RULES, FROM_RULES),
        (Loaded("m-1", broken), RULES, FROM_RULES),
    ],
)
def test_a_form_names_the_parser_that_made_it(deployed: Loaded | None, version: str, form: Form) -> None:
    understood = Parsers(deployed).understand("build it", rules)
    assert (understood.form, understood.version, understood.shadow) == (form, version, None)


def test_a_shadow_parses_beside_the_model_that_acts_however_sure_it_is() -> None:
    understood = Parsers(None, model("m-2", 0)).understand("build it", rules)
    assert (understood.form, understood.shadow) == (FROM_RULES, {"model": "m-2", "parse": LEARNT})
    assert Parsers(model("m-1", 1), Loaded("m-2", broken)).understand("build it", rules) == (LEARNT, "m-1", None)


# Loading --------------------------------------------------------------------------------------------------------------


def test_many_sessions_load_a_model_once(artefact: bytes) -> None:
    asked: list[str] = []

    def fetch(name: str) -> bytes:
        asked.append(name)
        return artefact

    async def run() -> list[Parsers]:
        store = ModelStore(fetch)
        told = {"nlu": named(artefact, shadow=named(artefact, "m-2"))}
        return await asyncio.gather(*(store.parsers_for(told) for _ in range(5)))

    found = asyncio.run(run())
    assert sorted(asked) == ["m-1", "m-2"]
    understood = found[4].understand("destroy that red tower", rules)
    assert understood.version == "m-1"
    assert understood.form["event_sequence"][0]["action_type"] == "DESTROY"
    assert understood.shadow == {"model": "m-2", "parse": understood.form}


def test_only_the_last_models_are_kept(artefact: bytes) -> None:
    asked: list[str] = []

    def fetch(name: str) -> bytes:
        asked.append(name)
        return artefact

    async def run() -> None:
        store = ModelStore(fetch, kept=2)
        for name in ("a", "b", "a", "c", "a", "b"):
            await store.parsers_for({"nlu": named(artefact, name)})

    asyncio.run(run())
    assert asked == ["a", "b", "c", "b"]


@pytest.mark.parametrize(
    "models",
    [
        None,
        [],
        {},
        {"vision": {}},
        {"nlu": None},
        {"nlu": "m-1"},
        {"nlu": {"model": None, "sha256": None, "shadow": None}},
        {"nlu": {"model": "../../secrets", "sha256": "0" * 64}},
        {"nlu": {"model": "m-1", "sha256": "short"}},
        {"nlu": {"model": "m-1"}},
        {"nlu": {"model": True, "sha256": "0" * 64}},
    ],
)
def test_without_a_model_that_is_named_well_the_rules_parse_and_nothing_is_fetched(models: Any) -> None:
    def fetch(name: str) -> bytes:
        raise AssertionError(name)

    assert asyncio.run(ModelStore(fetch).parsers_for(models)) == Parsers()


def test_an_artefact_altered_by_one_byte_is_refused(artefact: bytes, caplog: pytest.LogCaptureFixture) -> None:
    altered = bytearray(artefact)
    altered[len(altered) // 2] ^= 1
    with caplog.at_level(logging.WARNING):
        found = asyncio.run(ModelStore(lambda name: bytes(altered)).parsers_for({"nlu": named(artefact)}))
    assert found == Parsers()
    assert "SHA-256" in str([record.__dict__.get("reason") for record in caplog.records])


def test_what_is_no_parser_is_refused_though_its_hash_is_right() -> None:
    assert asyncio.run(ModelStore(lambda name: b"PK").parsers_for({"nlu": named(b"PK")})) == Parsers()


def test_a_download_that_fails_is_tried_again_for_the_next_session(artefact: bytes) -> None:
    tries: list[str] = []

    def fetch(name: str) -> bytes:
        tries.append(name)
        if len(tries) == 1:
            raise OSError("no line")
        return artefact

    async def run() -> tuple[Parsers, Parsers]:
        store = ModelStore(fetch)
        told = {"nlu": named(artefact)}
        return await store.parsers_for(told), await store.parsers_for(told)

    first, second = asyncio.run(run())
    assert (first, second.deployed is not None) == (Parsers(), True)


def test_a_session_does_not_wait_for_ever(artefact: bytes) -> None:
    held = threading.Event()

    def fetch(name: str) -> bytes:
        held.wait(10)
        return artefact

    async def run() -> Parsers:
        try:
            return await ModelStore(fetch, patience_s=0.05).parsers_for({"nlu": named(artefact)})
        finally:
            held.set()

    assert asyncio.run(run()) == Parsers()


# In a session ---------------------------------------------------------------------------------------------------------


def test_a_session_parses_with_the_models_that_it_was_assigned_with(artefact: bytes) -> None:
    async def run() -> list[dict[str, Any]]:
        gateway, log = gateway_of(), Log()
        log.models = {"nlu": named(artefact, shadow=named(artefact, "m-2"))}
        async with serving(gateway, serve_with(Mind, Pace(0, 0), ModelStore(lambda name: artefact))):
            gateway.assign(log)
            await log.append("worker", "command", {"id": "c-1", "text": "destroy that blue bridge"})
            assert await log.until(lambda: {"done", "failed"} & set(log.states_of("c-1")), 20)
            assert log.body_faults == []
            return [event.body for event in log.sent("parse")]

    (parse,) = asyncio.run(run())
    assert parse["version"] == "m-1"
    assert parse["form"]["event_sequence"][0]["action_type"] == "DESTROY"
    assert parse["shadow"] == {"model": "m-2", "parse": parse["form"]}


# Over HTTP ------------------------------------------------------------------------------------------------------------


@contextmanager
def api(content: bytes, asked: list[tuple[str, str | None]]) -> Iterator[str]:
    """An API that has one model, `m-1`, with this artefact."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            is_there = self.path == "/api/v1/models/m-1/artefact/"
            self.send_response(200 if is_there else 404)
            self.send_header("Content-Length", str(len(content) if is_there else 0))
            self.end_headers()
            if is_there:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_artefact_comes_over_http_with_the_agents_key(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []
    with api(b"content", asked) as url:
        fetch = fetch_from(url, "a-key")
        assert fetch("m-1") == b"content"
        with pytest.raises(NotFound):
            fetch("m-2")
        monkeypatch.setattr(model_file, "MOST_BYTES", 6)
        with pytest.raises(BadAnswer, match="6 bytes"):
            fetch("m-1")
    assert asked[0] == ("/api/v1/models/m-1/artefact/", "Api-Key a-key")
