"""Downloads the models that the server names for a session, and keeps those that were used last."""

import asyncio
import hashlib
import logging
import re
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from builder.models.parsers import Loaded, Parsers

logger = logging.getLogger(__name__)
KEPT = 3
"""How many models are kept in memory: the deployed one, the one in its shadow, and the one before."""
PATIENCE_S = 20.0
"""A session whose models take longer than this uses the rules to its end."""
_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")

Fetch = Callable[[str], bytes]
"""The artefact of the model with this id; called in a thread."""


class NotUsable(Exception):
    """A model cannot be used; the message says why."""


class Named(NamedTuple):
    """A model as the server names it."""

    model: str
    sha256: str


class ModelStore:
    """Loads models for sessions, each once however many sessions ask for it."""

    def __init__(self, fetch: Fetch, *, kept: int = KEPT, patience_s: float = PATIENCE_S) -> None:
        self._fetch = fetch
        self._kept = kept
        self._patience_s = patience_s
        self._loading: OrderedDict[Named, asyncio.Task[Loaded]] = OrderedDict()

    async def parsers_for(self, models: Any) -> Parsers:
        """The parsers of a session, whose `assign` named these models.

        It never fails: a model that cannot be loaded in time is left out, and the log says why.
        """
        told = models.get("nlu") if isinstance(models, Mapping) else None
        if not isinstance(told, Mapping):
            return Parsers()
        deployed, shadow = await asyncio.gather(self._parser(told), self._parser(told.get("shadow")))
        return Parsers(deployed, shadow)

    async def _parser(self, told: Any) -> Loaded | None:
        if told is None or (isinstance(told, Mapping) and told.get("model") is None):
            return None
        try:
            async with asyncio.timeout(self._patience_s):
                # Shielded, because another session may wait for the same model.
                return await asyncio.shield(self._task(_named(told)))
        except Exception as error:
            logger.warning("builder.model_not_loaded", extra={"model": str(told)[:200], "reason": repr(error)[:500]})
            return None

    def _task(self, named: Named) -> asyncio.Task[Loaded]:
        task = self._loading.get(named)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = asyncio.create_task(asyncio.to_thread(_loaded, named, self._fetch))
            # Read once, so that asyncio does not warn of an error that nobody waited for.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._loading[named] = task
        self._loading.move_to_end(named)
        while len(self._loading) > self._kept:
            self._loading.popitem(last=False)
        return task


def fetch_from(url: str, key: str) -> Fetch:
    """Fetches artefacts from the API of a server.

    Args:
        url: http:// or https://.
        key: An API key with the scope `agents`.
    """

    def fetch(model: str) -> bytes:
        # Loaded at the first model: an agent without one needs no HTTP.
        from crosswalk_client import Client, Retry
        from lib.files.model_file import MOST_BYTES

        with (
            tempfile.TemporaryDirectory(prefix="crosswalk-model-") as folder,
            Client(url, key, retry=Retry(1)) as client,
        ):
            return client.models.artefact(model, Path(folder) / "model", most_bytes=MOST_BYTES).read_bytes()

    return fetch


def _named(told: Any) -> Named:
    model, sha256 = (told.get(name) if isinstance(told, Mapping) else None for name in ("model", "sha256"))
    if isinstance(model, int) and not isinstance(model, bool):
        model = str(model)
    if not (isinstance(model, str) and _ID.match(model) and isinstance(sha256, str) and _SHA256.match(sha256)):
        raise NotUsable("the server names it by no id and hash")
    return Named(model, sha256)


def _loaded(named: Named, fetch: Fetch) -> Loaded:
    """Download, check and read a model; this takes a thread for some tenths of a second."""
    from lib.nlu.parser import LearntParser

    artefact = fetch(named.model)
    found = hashlib.sha256(artefact).hexdigest()
    if found != named.sha256:
        raise NotUsable(f"its SHA-256 is {found}, not {named.sha256}")
    return Loaded(named.model, LearntParser.of(artefact).parse)
