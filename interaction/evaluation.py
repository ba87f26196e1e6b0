"""Interactive evaluation (paper 000, 2): short episodes in which a person says of each instruction whether it was done.

Its results become the agent's metric `interactive_evaluation`: the share of rated commands that ended `ok`.
"""

import random
from datetime import datetime

from django.db.models import Count, Q

from agents.models import Agent, Metric
from annotation.models import Project
from interaction import deadlines
from interaction.funnel import DROPPED
from interaction.log import Desk
from interaction.models import Command, Session
from routing.trees.tree import OK

METRIC, VERSION = "interactive_evaluation", "live"
_random = random.SystemRandom()


def is_episode_over(session: Session, *, at: datetime) -> bool:
    """Whether an evaluated session takes no more commands: its episode has its length."""
    end = deadlines.minimum_from(session)
    return session.is_evaluation and end is not None and at >= end


def draw_prompt(desk: Desk) -> None:
    """Give the worker what the next command is to be improvised on, where the project has prompts."""
    session = desk.session
    if not session.prompts or is_episode_over(session, at=desk.at):
        return
    session.prompt = _random.choice(session.prompts)
    desk.say("prompt", {"text": session.prompt})


def renew_metric(*, agent: Agent, project: Project, at: datetime) -> None:
    """Make the agent's metric of this project what its finished evaluations say, without those that were rejected.

    There is none where they say nothing. Call in a transaction.
    """
    # One at a time, or two sessions that end together would each make the metric.
    Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
    rated = Command.objects.exclude(outcome="").filter(
        session__agent=agent, session__project=project, session__is_evaluation=True, session__reason="finished"
    )
    counts = rated.filter(~DROPPED).aggregate(n=Count("pk"), done=Count("pk", filter=Q(outcome=OK)))
    # Pipelines may have posted numbers of the same name: those stay as they are.
    ours = Metric.objects.filter(agent=agent, metric=METRIC, suite=project.slug, version=VERSION)
    n = counts["n"]
    if not n:
        ours.delete()
        return
    rate = counts["done"] / n
    figures = {"value": rate, "n": n, "standard_error": (rate * (1 - rate) / n) ** 0.5, "created_at": at}
    if not ours.update(**figures):
        Metric.objects.create(agent=agent, metric=METRIC, suite=project.slug, version=VERSION, **figures)
