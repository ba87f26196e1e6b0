"""`Client` and `AsyncClient`: every call of an API key, by resource."""

from __future__ import annotations

from types import TracebackType
from typing import Generic

import httpx

from crosswalk_client.api.agents import Agents
from crosswalk_client.api.commands import Commands, Routes, Scenes, Sessions, Trees
from crosswalk_client.api.episodes import Episodes
from crosswalk_client.api.events import Events, Webhooks
from crosswalk_client.api.learning import Campaigns, Models, Trainings, Tranches
from crosswalk_client.api.people import Audit, Qualifications, Workers
from crosswalk_client.api.projects import Projects
from crosswalk_client.api.suites import Suites
from crosswalk_client.api.uploads import Uploads
from crosswalk_client.calls import Later, Mode, Now
from crosswalk_client.requests import Retry
from crosswalk_client.settings import Settings, settings
from crosswalk_client.transport import Awaiting, Blocking


class _Resources(Generic[Mode]):
    """The resources, which work alike in both clients."""

    def __init__(self, known: Settings, transport: Blocking | Awaiting) -> None:
        self.url = known.url
        self.agents: Agents[Mode] = Agents(transport)
        self.audit: Audit[Mode] = Audit(transport)
        self.campaigns: Campaigns[Mode] = Campaigns(transport)
        self.commands: Commands[Mode] = Commands(transport)
        self.episodes: Episodes[Mode] = Episodes(transport)
        self.events: Events[Mode] = Events(transport)
        self.models: Models[Mode] = Models(transport)
        self.projects: Projects[Mode] = Projects(transport)
        self.qualifications: Qualifications[Mode] = Qualifications(transport)
        self.routes: Routes[Mode] = Routes(transport)
        self.scenes: Scenes[Mode] = Scenes(transport)
        self.sessions: Sessions[Mode] = Sessions(transport)
        self.suites: Suites[Mode] = Suites(transport)
        self.trainings: Trainings[Mode] = Trainings(transport)
        self.tranches: Tranches[Mode] = Tranches(transport)
        self.trees: Trees[Mode] = Trees(transport)
        self.uploads: Uploads[Mode] = Uploads(transport)
        self.webhooks: Webhooks[Mode] = Webhooks(transport)
        self.workers: Workers[Mode] = Workers(transport)


class Client(_Resources[Now]):
    """A client that waits for each answer. Several threads may use one at once.

    Args:
        url, key: The server's address and the API key; where they are left out, those of `CROSSWALK_URL` and
            `CROSSWALK_KEY`, else those of the profile.
        profile: The name of a profile that `crosswalk init` made.
        retry: How often and when a harmless request is repeated.
        http: A client of httpx to use, for proxies, certificates and tests.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        profile: str | None = None,
        retry: Retry | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        known = settings(url, key, profile=profile)
        self._transport = Blocking(known, retry or Retry(), http)
        super().__init__(known, self._transport)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class AsyncClient(_Resources[Later]):
    """The same calls to be awaited, on asyncio; the arguments are those of `Client`."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        profile: str | None = None,
        retry: Retry | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        known = settings(url, key, profile=profile)
        self._transport = Awaiting(known, retry or Retry(), http)
        super().__init__(known, self._transport)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()
