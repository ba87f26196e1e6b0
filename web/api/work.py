"""`/work/`: the calls of a worker's browser, authenticated by the token of one worker in one project.

No answer shows whether a task is a reference: both kinds take the same path, and ids are random.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Approval, Assignment, Enrolment
from annotation.offer.experiments import arm_for
from annotation.offer.instructions import pages_for
from annotation.pay.approvals import decisions_for
from annotation.projects.progress import progress_for
from annotation.quality import gates
from annotation.tool_registry import Guesses, tool_named
from annotation.work import claims, corrections, leases, submissions
from common.data.values import money
from common.metrics import CLAIMS, DOUBLE_CLAIMS, SUBMISSIONS
from common.quick_checks import QuickSerializer
from common.serializers import ChoiceField, MoneySerializer, NumberField, StrictSerializer, TextField, read
from lib.faults import CrosswalkError
from web.api.authentication import IsWorker, WorkTokenAuthentication
from web.http.endpoints import Endpoint
from workforce import consent
from workforce.qualifications import valid_grant

MOST_DRAFT_CHARACTERS = 64_000


class AnswerBody(QuickSerializer):
    answer = serializers.DictField()
    active_s = NumberField(min_value=0, max_value=7 * 24 * 3600, required=False, allow_null=True)


class CorrectionBody(QuickSerializer):
    answer = serializers.DictField()


class DraftBody(QuickSerializer):
    draft = serializers.JSONField(allow_null=True)

    def validate_draft(self, value: Any) -> Any:
        if len(str(value)) > MOST_DRAFT_CHARACTERS:
            raise serializers.ValidationError(f"A draft has at most {MOST_DRAFT_CHARACTERS} characters.")
        return value


class ReportBody(StrictSerializer):
    problem = ChoiceField(choices=Assignment.Problem.choices)
    text = TextField(max_length=2000, default="", allow_blank=True)


class Empty(QuickSerializer):
    """An empty object, or no body at all."""


class AssignmentAnswer(StrictSerializer):
    assignment = serializers.CharField()
    lease_expires_at = serializers.DateTimeField()
    tool = serializers.CharField()
    payload = serializers.DictField()
    draft = serializers.JSONField(allow_null=True)


class LeaseAnswer(StrictSerializer):
    lease_expires_at = serializers.DateTimeField()


class AnnotationAnswer(StrictSerializer):
    annotation = serializers.CharField()


class WorkProject(StrictSerializer):
    slug = serializers.CharField()
    title = serializers.CharField()
    tool = serializers.CharField()


class WorkMissing(StrictSerializer):
    consent = serializers.CharField(required=False)
    qualification = serializers.CharField(required=False)


class WorkProgress(StrictSerializer):
    done = serializers.IntegerField()
    open = serializers.IntegerField()


class WorkNotice(StrictSerializer):
    text = serializers.CharField()


class WorkDecision(StrictSerializer):
    annotation = serializers.CharField()
    decision = serializers.ChoiceField(choices=Approval.Decision.choices)
    reason = serializers.CharField()
    at = serializers.DateTimeField()
    paid = serializers.BooleanField()


class WorkAnswer(StrictSerializer):
    project = WorkProject()
    instructions = serializers.ListField(child=serializers.CharField())
    missing = WorkMissing(allow_null=True)
    progress = WorkProgress()
    earned = MoneySerializer()
    notice = WorkNotice(allow_null=True)
    grace_s = serializers.IntegerField()
    decisions = WorkDecision(many=True)


class WorkView(Endpoint):
    """The base of all endpoints for workers."""

    authentication_classes = [WorkTokenAuthentication]
    permission_classes = [IsWorker]

    def enrolment(self) -> Enrolment:
        assert isinstance(self.request.auth, Enrolment)  # noqa: S101 - IsWorker has seen to it
        return self.request.auth

    def assignment(self, public_id: str, *, with_task: bool = True) -> Assignment:
        return leases.assignment_for(self.enrolment(), public_id, with_task=with_task)


def missing_of(enrolment: Enrolment, *, at: datetime) -> dict[str, str] | None:
    """The step that the worker must finish before the first task; None if there is none. At most 2 queries."""
    page, quiz = enrolment.project.consent_page, enrolment.project.qualification
    missing = {}
    if page and not consent.has_agreed(enrolment.worker, page):
        missing["consent"] = page.text
    if quiz and valid_grant(worker=enrolment.worker, qualification=quiz, at=at) is None:
        missing["qualification"] = quiz.slug
    return missing or None


class Work(WorkView):
    """The project, with the worker's own status and numbers."""

    @extend_schema(operation_id="get_work", responses=WorkAnswer)
    def get(self, request: Request) -> Response:
        enrolment, now = self.enrolment(), timezone.now()
        project = enrolment.project
        notice = gates.notice_for(enrolment)
        done, left = progress_for(enrolment)
        return Response(
            {
                "project": {"slug": project.slug, "title": project.title, "tool": project.tool},
                "instructions": pages_for(project, arm_for(enrolment, at=now)),
                "missing": missing_of(enrolment, at=now),
                "progress": {"done": done, "open": left},
                "earned": money(enrolment.earned, project.currency),
                "notice": {"text": notice} if notice else None,
                "grace_s": int(corrections.grace_of(project).total_seconds()),
                "decisions": decisions_for(enrolment),
            }
        )


class CloseNotice(WorkView):
    """Record that the worker has read the notice that `GET /work/` returned."""

    @extend_schema(operation_id="close_notice", request=Empty, responses={204: None})
    def post(self, request: Request) -> Response:
        read(Empty, request.data)
        gates.close_notice(enrolment=self.enrolment(), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ConsentAnswer(StrictSerializer):
    text = serializers.CharField()
    notes = serializers.CharField()
    agreed_at = serializers.DateTimeField(allow_null=True)


class WorkConsent(WorkView):
    """The worker's agreement to the information page.

    The project's text, and the text that the server adds below it.
    """

    @extend_schema(operation_id="get_consent", responses={200: ConsentAnswer, 204: None})
    def get(self, request: Request) -> Response:
        enrolment = self.enrolment()
        page = enrolment.project.consent_page
        if page is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        given = consent.current_consent(enrolment.worker, page)
        return Response({"text": page.text, "notes": page.notes, "agreed_at": given.given_at if given else None})

    @extend_schema(operation_id="give_consent", request=Empty, responses={204: None})
    def post(self, request: Request) -> Response:
        enrolment = self.enrolment()
        read(Empty, request.data)
        if enrolment.project.consent_page:
            consent.agree(worker=enrolment.worker, page=enrolment.project.consent_page, at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(operation_id="withdraw_consent", responses={204: None})
    def delete(self, request: Request) -> Response:
        enrolment = self.enrolment()
        if enrolment.project.consent_page:
            consent.withdraw(worker=enrolment.worker, page=enrolment.project.consent_page, at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def show_assignment(assignment: Assignment, enrolment: Enrolment) -> dict[str, Any]:
    """An assignment as JSON for its worker."""
    tool = tool_named(enrolment.project.tool)
    payload = tool.present(assignment.task, hold=assignment.public_id)
    if isinstance(tool, Guesses):
        payload |= tool.present_guess(assignment.task, shows_guess=assignment.shows_guess)
    return {
        "assignment": assignment.public_id,
        "lease_expires_at": assignment.lease_expires_at,
        "tool": tool.name,
        "payload": payload,
        "draft": assignment.draft,
    }


@method_decorator(gzip_page, name="dispatch")
class Claim(WorkView):
    """The task to work on now: the worker's present assignment, or a new one. 204 if no task is open."""

    @extend_schema(operation_id="claim", request=Empty, responses={200: AssignmentAnswer, 204: None})
    def post(self, request: Request) -> Response:
        read(Empty, request.data)
        return _claimed(claims.claim_next, self.enrolment())


@method_decorator(gzip_page, name="dispatch")
class ClaimAhead(WorkView):
    """Reserve the task after the present one, so that the page can load its video early."""

    @extend_schema(operation_id="claim_ahead", request=Empty, responses={200: AssignmentAnswer, 204: None})
    def post(self, request: Request) -> Response:
        read(Empty, request.data)
        return _claimed(claims.claim_ahead, self.enrolment())


def _claimed(claim: Callable[..., Assignment | None], enrolment: Enrolment) -> Response:
    """Claim, and count what came of it."""
    now = timezone.now()
    try:
        found = claim(enrolment=enrolment, at=now)
    except claims.Refused:
        CLAIMS.labels("refused").inc()
        raise
    except IntegrityError:
        DOUBLE_CLAIMS.inc()
        raise
    CLAIMS.labels("none" if found is None else "new" if found.claimed_at == now else "again").inc()
    if found is None:
        return Response(status=status.HTTP_204_NO_CONTENT)
    return Response(show_assignment(found, enrolment))


class OneAssignment(WorkView):
    """Save the draft of an answer."""

    @extend_schema(operation_id="save_draft", request=DraftBody, responses={204: None})
    def patch(self, request: Request, assignment: str) -> Response:
        held = self.assignment(assignment, with_task=False)
        body = read(DraftBody, request.data)
        leases.save_draft(assignment=held, project=self.enrolment().project, draft=body["draft"], at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class Heartbeat(WorkView):
    """Renew the lease, because the worker is still active."""

    @extend_schema(operation_id="heartbeat", request=Empty, responses=LeaseAnswer)
    def post(self, request: Request, assignment: str) -> Response:
        held = self.assignment(assignment, with_task=False)
        read(Empty, request.data)
        until = leases.renew(assignment=held, project=self.enrolment().project, at=timezone.now())
        return Response({"lease_expires_at": until})


class Submit(WorkView):
    """Submit the answer. Submitting the same answer again returns the same reply."""

    @extend_schema(operation_id="submit", request=AnswerBody, responses={201: AnnotationAnswer})
    def post(self, request: Request, assignment: str) -> Response:
        held = self.assignment(assignment)
        body = read(AnswerBody, request.data)
        try:
            annotation = submissions.submit(
                enrolment=self.enrolment(),
                assignment=held,
                answer=body["answer"],
                active_s=body.get("active_s"),
                at=timezone.now(),
            )
        except CrosswalkError:
            SUBMISSIONS.labels("refused").inc()
            raise
        SUBMISSIONS.labels("taken").inc()
        return Response({"annotation": annotation.public_id}, status=status.HTTP_201_CREATED)


class Correct(WorkView):
    """Correct the submitted answer within the project's grace period. The same answer again returns the same reply."""

    @extend_schema(operation_id="correct", request=CorrectionBody, responses={201: AnnotationAnswer})
    def post(self, request: Request, assignment: str) -> Response:
        held = self.assignment(assignment)
        body = read(CorrectionBody, request.data)
        annotation = corrections.correct(
            enrolment=self.enrolment(), assignment=held, answer=body["answer"], at=timezone.now()
        )
        return Response({"annotation": annotation.public_id}, status=status.HTTP_201_CREATED)


class Release(WorkView):
    """Return the task unanswered."""

    @extend_schema(operation_id="release", request=Empty, responses={204: None})
    def post(self, request: Request, assignment: str) -> Response:
        held = self.assignment(assignment)
        read(Empty, request.data)
        leases.release(assignment=held, at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class Report(WorkView):
    """Report that the task cannot be judged."""

    @extend_schema(operation_id="report", request=ReportBody, responses={204: None})
    def post(self, request: Request, assignment: str) -> Response:
        held = self.assignment(assignment)
        body = read(ReportBody, request.data)
        leases.report(assignment=held, problem=body["problem"], text=body["text"], at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
