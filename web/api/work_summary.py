"""`/work/summary/`: a worker's work in a project, its comparison with others, its use, the pay, and the messages."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Consensus, Enrolment
from annotation.projects.progress import progress_for
from annotation.work import messages, summaries
from common.data.values import money
from common.serializers import MoneySerializer, StrictSerializer
from learning.taught import Taught, taught_by
from web.api.work import WorkView

LEAST_TASKS, MOST_TASKS = 50, 20_000
"""In a project of so many tasks a worker is told how much of it is judged; more are not counted for one worker."""


@dataclass(frozen=True)
class WorkerSummary:
    """The figures of a worker's last page.

    Attributes:
        judged_in_ten: Of ten tasks of the project, how many had all their answers before the present day; None where
            it has few tasks, or very many.
    """

    done: int
    left: int
    worked_s: float
    earned: Decimal
    currency: str
    owed: summaries.Owed
    compared: summaries.Comparison
    judged_in_ten: int | None
    taught: Taught | None
    messages: list[messages.Message]


def summary_of(enrolment: Enrolment, *, at: datetime) -> WorkerSummary:
    """The summary of a worker's work in one project. At most 24 queries, however much was done."""
    done, left = progress_for(enrolment)
    return WorkerSummary(
        done=done,
        left=left,
        worked_s=summaries.worked_s(enrolment),
        earned=enrolment.earned,
        currency=enrolment.project.currency,
        owed=summaries.owed_to(enrolment),
        compared=summaries.comparison_for(enrolment, at=at),
        judged_in_ten=_judged_in_ten(enrolment, at=at),
        taught=taught_by(enrolment.project),
        messages=messages.messages_for(enrolment),
    )


def _judged_in_ten(enrolment: Enrolment, *, at: datetime) -> int | None:
    """Rounded down, and only once a day: a count that moved with each answer would tell tasks from references.

    2 queries.
    """
    tasks = enrolment.project.tasks.posted().ordinary()[: MOST_TASKS + 1].count()
    if not LEAST_TASKS <= tasks <= MOST_TASKS:
        return None
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    judged = Consensus.objects.filter(
        project=enrolment.project_id, settled_at__lt=day, task__part_of=None, task__is_reference=False
    )
    return min(10, 10 * judged.count() // tasks)


class OwedAnswer(StrictSerializer):
    waits = MoneySerializer()
    approved = MoneySerializer()
    sent = MoneySerializer()
    arrived = MoneySerializer()
    bonus = MoneySerializer()
    decided_by = serializers.DateTimeField(allow_null=True)


class ComparedAnswer(StrictSerializer):
    my_s = serializers.FloatField(allow_null=True)
    their_s = serializers.FloatField(allow_null=True)
    same_in_ten = serializers.IntegerField(allow_null=True)


class TaughtAnswer(StrictSerializer):
    examples = serializers.IntegerField()
    in_use = serializers.BooleanField()
    right = serializers.FloatField(allow_null=True)
    before = serializers.FloatField(allow_null=True)


class MessageAnswer(StrictSerializer):
    kind = serializers.ChoiceField(choices=["notice", "pause", "not_paid", "not_used", "correction", "failed"])
    at = serializers.DateTimeField()
    text = serializers.CharField()
    answer = serializers.CharField()


class SummaryAnswer(StrictSerializer):
    done = serializers.IntegerField()
    left = serializers.IntegerField()
    worked_s = serializers.FloatField()
    earned = MoneySerializer()
    owed = OwedAnswer()
    compared = ComparedAnswer()
    judged_in_ten = serializers.IntegerField(allow_null=True)
    taught = TaughtAnswer(allow_null=True)
    messages = MessageAnswer(many=True)


class WorkSummary(WorkView):
    """The worker's work in the project: how much, how it compares, the agent's gain from it, and the pay."""

    @extend_schema(operation_id="get_work_summary", responses=SummaryAnswer)
    def get(self, request: Request) -> Response:
        found = summary_of(self.enrolment(), at=timezone.now())
        owed, taught = found.owed, found.taught
        sums = {name: getattr(owed, name) for name in ("waits", "approved", "sent", "arrived", "bonus")}
        return Response(
            {
                "done": found.done,
                "left": found.left,
                "worked_s": found.worked_s,
                "earned": money(found.earned, found.currency),
                "owed": {
                    **{name: money(amount, found.currency) for name, amount in sums.items()},
                    "decided_by": owed.decided_by,
                },
                "compared": found.compared._asdict(),
                "judged_in_ten": found.judged_in_ten,
                "taught": taught
                and {
                    "examples": taught.examples,
                    "in_use": taught.is_in_use,
                    "right": taught.right,
                    "before": taught.before,
                },
                "messages": [message._asdict() for message in found.messages],
            }
        )
