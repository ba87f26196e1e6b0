"""`/events/`: what happened, in the order of commit, for programs that cannot receive webhooks."""

from urllib.parse import urlencode

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from common.serializers import IntegerField, OpaqueIdField, PatternField, StrictSerializer
from events import log
from events.kinds import NO_SUCH, PATTERN
from web.http.cursor_pages import MOST_ROWS
from web.http.endpoints import Endpoint
from web.http.query_parameters import QuerySerializer, asks

PATTERNS = f"({PATTERN})(,({PATTERN})){{0,30}}"
"""Types and prefixes between commas."""


class EventsQuery(QuerySerializer):
    after = OpaqueIdField(required=False, help_text="Go on after this event.")
    types = PatternField(
        PATTERNS,
        required=False,
        help_text="Types, or prefixes as `episode.*`, between commas.",
        error_messages={"invalid": NO_SUCH},
    )
    page_size = IntegerField(min_value=1, max_value=MOST_ROWS, required=False, help_text="100 by default.")


class EventAnswer(StrictSerializer):
    event = serializers.CharField()
    type = serializers.CharField()
    at = serializers.DateTimeField()
    subject = serializers.CharField()
    data = serializers.DictField()  # type: ignore[assignment]


class EventPage(StrictSerializer):
    results = EventAnswer(many=True)
    next = serializers.URLField(allow_null=True)


class Events(Endpoint):
    """The events of the last 30 days, in the order of commit. Ask again with the last one as `after`."""

    @extend_schema(operation_id="list_events", responses=EventPage)
    @asks(EventsQuery)
    def get(self, request: Request) -> Response:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        types = self.query["types"].split(",") if "types" in self.query else []
        size = self.query.get("page_size", 100)
        found = log.events_after(request.auth, after=self.query.get("after", ""), types=types, limit=size + 1)
        page = found[:size]
        following = {**request.query_params.dict(), "after": page[-1].public_id} if len(found) > size else None
        return Response(
            {
                "results": [log.as_json(event) for event in page],
                "next": request.build_absolute_uri(f"?{urlencode(following)}") if following else None,
            }
        )
