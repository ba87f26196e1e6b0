"""Sessions that began a while ago by the clock on the wall, which staff pages look at."""

from datetime import datetime, timedelta

from django.utils import timezone

from agents.models import Agent
from annotation.models import Project
from tests.interaction.live import Agents, Worker, come_in, make_live_project, process_of


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def begun(slug: str = "living", *, at: datetime) -> tuple[Worker, Agents]:
    """A worker in the project of this name, whose clock runs since then."""
    project = Project.objects.filter(slug=slug).first() or make_live_project(slug)
    agent = process_of(Agent.objects.get(slug=f"agent-of-{slug}"), at=at)
    worker = come_in(project, at=at)
    worker.send("start")
    return worker, agent
