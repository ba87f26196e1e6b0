"""`/work/summary/`: a worker's work in a project, its comparison with others, its use, the pay, and the messages."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.data.values import money
from common.serializers import MoneySerializer, StrictSerializer
from web.api.work import WorkView
from web.work.ending import said_at_the_end, summary_of


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


class SaidAnswer(StrictSerializer):
    title = serializers.CharField()
    sentences = serializers.ListField(child=serializers.CharField())


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
    said = SaidAnswer(many=True)


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
                "said": [part._asdict() for part in said_at_the_end(found)],
            }
        )
