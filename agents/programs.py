"""Making and changing agents."""

from datetime import datetime
from typing import Any, TypedDict

from django.db import transaction

from agents.models import Agent
from audit.changes import changes
from audit.log import Subject, record
from common.data.put_row import put_row


class AgentBody(TypedDict):
    """The body of a PUT of an agent, defaults applied."""

    name: str
    description: str
    kind: str
    metadata: dict[str, Any]


def put_agent(*, slug: str, body: AgentBody, by: str, at: datetime) -> tuple[Agent, bool]:
    """Create the agent or change its words; returns whether it is new."""
    with transaction.atomic():
        found = Agent.objects.select_for_update().filter(slug=slug).first()
        before = {name: getattr(found, name) for name in body} if found else {}
        agent, is_new = put_row(Agent, names={"slug": slug}, content=body, when_new={"created_at": at})
        if differing := changes(before, body):
            verb = "agent.created" if is_new else "agent.changed"
            record(verb=verb, actor=by, subject=Subject("agent", slug), at=at, **differing)
    return agent, is_new
