"""How much right work a minute gives, by arm of a project's experiment.

What is right is known of references alone, so both the right answers and the minutes are those on references. It
compares designs of the work, such as instructions; workers are drawn anew for the intervals, each with all their
answers.
"""

from typing import NamedTuple

import numpy as np
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from annotation.models import Annotation, Enrolment, Project
from annotation.offer.experiments import arm_names
from lib.statistics.bootstrap import Estimate, rate, ratio, resample

PLAIN = ""
"""The arm of workers who are in none."""
_RIGHT, _MINUTES = 0, 1


class ArmEffort(NamedTuple):
    """The work in one arm.

    Attributes:
        arm: Of experiment and arm, as `reading/short`; "" for workers in none.
        workers: Those who answered something.
        answers, minutes: All of their answers, and the minutes at work on them.
        references: Their answers to references, with a score and a time.
        right_a_minute: The sum of the scores on these by their minutes.
        to_first: The same by that of the first arm.
    """

    arm: str
    workers: int
    answers: int
    minutes: float
    references: int
    right_a_minute: Estimate
    to_first: Estimate

    @property
    def estimates(self) -> tuple[Estimate, Estimate]:
        return self.right_a_minute, self.to_first


def effort_by_arm(project: Project) -> list[ArmEffort]:
    """Each arm of the project's present experiment in its order, then the workers in none. 2 queries."""
    arm_of = dict(Enrolment.objects.filter(project=project).values_list("worker", "arm"))
    arms = [*arm_names(project), PLAIN]
    place = {arm: number for number, arm in enumerate(arms)}
    judged = Q(score__isnull=False, active_s__gt=0)
    totals = list(
        Annotation.objects.current()
        .filter(project=project)
        .order_by("worker")
        .values("worker")
        .annotate(
            answers=Count("pk"),
            seconds=Coalesce(Sum("active_s"), 0.0),
            references=Count("pk", filter=judged),
            right=Coalesce(Sum("score", filter=judged), 0.0),
            judged_s=Coalesce(Sum("active_s", filter=judged), 0.0),
        )
    )
    # An arm of an earlier experiment is not drawn any more: its workers count among those in none.
    where = [place.get(arm_of.get(one["worker"], PLAIN), len(arms) - 1) for one in totals]
    parts = np.zeros((max(len(totals), 1), len(arms), 2))
    for row, one in enumerate(totals):
        parts[row, where[row]] = [one["right"], one["judged_s"] / 60]
    drawn = resample(parts)
    found = []
    for number, arm in enumerate(arms):
        theirs = [one for one, at in zip(totals, where, strict=True) if at == number]
        if arm == PLAIN and not theirs and len(arms) > 1:
            continue
        found.append(
            ArmEffort(
                arm=arm,
                workers=len(theirs),
                answers=sum(one["answers"] for one in theirs),
                minutes=round(sum(one["seconds"] for one in theirs) / 60, 2),
                references=sum(one["references"] for one in theirs),
                right_a_minute=rate(drawn, number, of=_RIGHT, by=_MINUTES),
                to_first=ratio(drawn, number, 0, of=_RIGHT, by=_MINUTES),
            )
        )
    return found
