"""Reading the JSON bodies of the API, and choosing the content type of its answers."""

from collections.abc import Sequence
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from lib.faults import Malformed, TooLarge
from lib.strict_json import parse_json


class JsonParser(JSONParser):
    """Parses strict JSON (RFC 8259) up to a size limit."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(most + 1)
        if len(body) > most:
            raise TooLarge(f"A JSON body has at most {most} bytes.")
        try:
            return parse_json(body)
        except ValueError as error:
            raise Malformed(f"The body is not JSON: {error}.") from None


class Negotiation(DefaultContentNegotiation):
    """Answers in the one content type that an address has, even if `Accept` names another one."""

    def select_renderer(  # type: ignore[override]
        self, request: Request, renderers: Sequence[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
            return chosen
        except NotAcceptable:
            return renderers[0], str(renderers[0].media_type)
