"""`/sessions/`: the commands of live sessions as episodes."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import BIGGEST, ExternalIdField, IntegerField, NumberField, SlugField, StrictSerializer, read
from evaluation.suites import scenario_faults
from interaction.models import Posting, Session
from interaction.recordings.requests import CONTEXT_S, MOST_CONTEXT_S, EpisodeRequest, request_episode
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of_many
from web.http.endpoints import Endpoint
from web.http.openapi import listed


class SessionEpisodeBody(StrictSerializer):
    """The number of a command in the session, and the scenario that its episode belongs to."""

    command = IntegerField(min_value=1, max_value=BIGGEST)
    suite = SlugField()
    scenario = ExternalIdField()
    continuation = IntegerField(min_value=0, max_value=BIGGEST, required=False, allow_null=True)
    context_s = NumberField(min_value=0, max_value=MOST_CONTEXT_S, default=CONTEXT_S)


class SessionEpisodeAnswer(StrictSerializer):
    episode = serializers.CharField()
    status = serializers.ChoiceField(choices=Posting.Status.choices)
    problem = serializers.CharField(allow_null=True)
    command = serializers.IntegerField()
    suite = SlugField()
    scenario = serializers.CharField()
    continuation = serializers.IntegerField(allow_null=True)
    context_s = serializers.FloatField()
    asked_at = serializers.DateTimeField()
    posted_at = serializers.DateTimeField(allow_null=True)


def show_posting(posting: Posting) -> dict[str, Any]:
    return {
        "episode": posting.episode,
        "status": posting.status,
        "problem": posting.problem or None,
        "command": posting.number,
        "suite": posting.suite,
        "scenario": posting.scenario,
        "continuation": posting.continuation,
        "context_s": posting.context_s,
        "asked_at": posting.asked_at,
        "posted_at": posting.posted_at,
    }


def session_named(public_id: str) -> Session:
    """The session; 404 if there is none. 1 query."""
    found = Session.objects.filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


class SessionEpisodes(Endpoint):
    """List the commands of a session that were posted as episodes, or post more of them."""

    @listed("list_session_episodes", SessionEpisodeAnswer)
    def get(self, request: Request, session: str) -> Response:
        rows = Posting.objects.filter(live__session=session_named(session))
        return page_of_many(request, rows, lambda found: [show_posting(one) for one in found])

    @extend_schema(
        operation_id="post_session_episode", request=SessionEpisodeBody, responses={202: SessionEpisodeAnswer}
    )
    def post(self, request: Request, session: str) -> Response:
        found = session_named(session)
        wanted = EpisodeRequest(**read(SessionEpisodeBody, request.data))
        faults = scenario_faults(wanted.suite, wanted.scenario)
        posting = request_episode(found, wanted, by=actor_of(request), at=timezone.now(), scenario_faults=faults)
        return Response(show_posting(posting), status=status.HTTP_202_ACCEPTED)
