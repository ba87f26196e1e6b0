"""The Python client of the agent gateway. It needs `websockets` and nothing else of Crosswalk; see `docs/agents.md`."""

from crosswalk_client.frames import Event
from crosswalk_client.gateway import AgentClient, Refused, Replaced
from crosswalk_client.session import Session, SessionEnded

__all__ = ["AgentClient", "Event", "Refused", "Replaced", "Session", "SessionEnded"]
