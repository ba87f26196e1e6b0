"""The alarm about agents that live projects wait for."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from annotation.models import Project
from events.alarms import Found, Kind
from interaction.models import AgentProcess
from interaction.project.settings import Chosen

TOOL = "interaction"


def agents_silent(seconds: float, at: datetime) -> Iterator[Found]:
    """Agents that a live project names, and of which no process was heard of for so long. 2 queries."""
    live = Project.objects.filter(status=Project.Status.LIVE, tool=TOOL).defer("instructions")
    wanted = {agent: project for project in live if (agent := Chosen(project).agent)}
    here = AgentProcess.objects.filter(
        agent__slug__in=wanted, is_connected=True, seen_at__gte=at - timedelta(seconds=seconds)
    )
    heard = set(here.values_list("agent__slug", flat=True))
    for agent, project in wanted.items():
        if agent not in heard:
            yield Found(agent, f"The agent {agent} is silent, and {project.title} waits for it.", project.slug)


KINDS = (Kind("agent", "An agent is silent", "seconds without a sign of life", 120, 30, 24 * 3600, agents_silent),)
