"""The Python library of Crosswalk: `Client` for pipelines, `AgentClient` for agents in live sessions.

`docs/pipelines.md` of Crosswalk shows the first, `docs/agents.md` the second. The package needs nothing else of
Crosswalk.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crosswalk_client.errors import (
    BadAnswer,
    Conflict,
    CrosswalkError,
    Fault,
    Forbidden,
    Invalid,
    Malformed,
    NoAddress,
    NotFound,
    NotInstalled,
    PreconditionFailed,
    ServerError,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    UnknownField,
    Unreachable,
)
from crosswalk_client.frames import Event
from crosswalk_client.gateway import AgentClient, Refused, Replaced
from crosswalk_client.session import Session, SessionEnded

if TYPE_CHECKING:
    from crosswalk_client.client import AsyncClient, Client
    from crosswalk_client.requests import Retry

_LATER = {"AsyncClient": "client", "Client": "client", "Retry": "requests"}
"""Names that need httpx, by their modules. They are loaded at their first use: an agent in a session needs none."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "AgentClient",
    "AsyncClient",
    "BadAnswer",
    "Client",
    "Conflict",
    "CrosswalkError",
    "Event",
    "Fault",
    "Forbidden",
    "Invalid",
    "Malformed",
    "NoAddress",
    "NotFound",
    "NotInstalled",
    "PreconditionFailed",
    "Refused",
    "Replaced",
    "Retry",
    "ServerError",
    "Session",
    "SessionEnded",
    "TooLarge",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "UnknownField",
    "Unreachable",
]
