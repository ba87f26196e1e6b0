"""Reading the JSON bodies of the API, and choosing the content type of its answers."""

from collections.abc import Sequence
from typing import IO, Any

from django.conf import settings
from django.http import Http404, HttpRequest
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from lib.faults import Malformed, TooLarge
from lib.strict_json import parse_json


def read_json(stream: IO[bytes] | HttpRequest, *, most: int, noun: str) -> Any:
    """The value of a body of strict JSON (RFC 8259).

    Raises:
        TooLarge: it has more than `most` bytes; `noun` says what it is.
        Malformed: it is not JSON.
    """
    body = stream.read(most + 1)
    if len(body) > most:
        raise TooLarge(f"{noun} has at most {most} bytes.")
    try:
        return parse_json(body)
    except ValueError as error:
        raise Malformed(f"The body is not JSON: {error}.") from None


class JsonParser(JSONParser):
    """Parses strict JSON (RFC 8259) up to a size limit."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        return read_json(stream, most=settings.DATA_UPLOAD_MAX_MEMORY_SIZE, noun="A JSON body")


class Negotiation(DefaultContentNegotiation):
    """Answers in the one content type that an address has, even if `Accept` or `?format=` names another one."""

    def select_renderer(  # type: ignore[override]
        self, request: Request, renderers: Sequence[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
            return chosen
        except (NotAcceptable, Http404):
            return renderers[0], str(renderers[0].media_type)
