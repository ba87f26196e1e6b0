"""Interactive evaluation (paper 000, 2): short episodes in which a person judges whether each instruction was done.

Its results become the agent's metric `interactive_evaluation`: the share of rated commands that ended `ok`.
"""

import random
from datetime import datetime

from django.db.models import Count, Q

from agents.models import Agent, Metric
from annotation.models import Project
from interaction.models import LiveCommand, Session
from interaction.session import deadlines
from interaction.session.event_log import SessionWrite
from lib.trees.tree import OK

METRIC, VERSION = "interactive_evaluation", "live"
_random = random.SystemRandom()


def is_episode_over(session: Session, *, at: datetime) -> bool:
    """True if an evaluated session takes no more commands, since its minimum time is over."""
    end = deadlines.minimum_from(session)
    return session.is_evaluation and end is not None and at >= end


def draw_prompt(write: SessionWrite) -> None:
    """Draw the prompt on which the worker improvises the next command, where the project has prompts."""
    session = write.session
    if not session.prompts or is_episode_over(session, at=write.at):
        return
    session.prompt = _random.choice(session.prompts)
    write.add_from_server("prompt", {"text": session.prompt})


def renew_metric(*, agent: Agent, project: Project, at: datetime) -> None:
    """Recompute the agent's metric of this project from its finished evaluations that were not rejected.

    The metric is deleted where no command is rated. Call in a transaction.
    """
    # One at a time, or two sessions that end together would each create the metric.
    Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
    counted = Session.objects.filter(agent=agent, project=project, is_evaluation=True, reason=Session.Reason.FINISHED)
    counted = counted.exclude(assignment__annotation__is_dropped=True)
    rated = LiveCommand.objects.filter(session__in=counted, judged_at__isnull=False)
    counts = rated.aggregate(n=Count("pk"), done=Count("pk", filter=Q(command__outcome=OK)))
    # A pipeline may have posted a metric of the same name for another suite: that one stays.
    ours = Metric.objects.filter(agent=agent, metric=METRIC, suite=project.slug, version=VERSION)
    n = counts["n"]
    if not n:
        ours.delete()
        return
    rate = counts["done"] / n
    figures = {"value": rate, "n": n, "standard_error": (rate * (1 - rate) / n) ** 0.5, "created_at": at}
    if not ours.update(**figures):
        Metric.objects.create(agent=agent, metric=METRIC, suite=project.slug, version=VERSION, **figures)
