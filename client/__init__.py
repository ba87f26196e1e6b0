"""The agent's side of the gateway, in Python: needs `websockets` and nothing of the project. See `docs/agents.md`."""

from client.frames import Event
from client.gateway import AgentClient, Refused, Replaced
from client.session import Session, SessionEnded

__all__ = ["AgentClient", "Event", "Refused", "Replaced", "Session", "SessionEnded"]
