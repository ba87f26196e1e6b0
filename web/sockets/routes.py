"""The addresses of the sockets, and the check of the page that opens one."""

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.urls import path, re_path

from web.sockets.agent import AgentConnection
from web.sockets.connection import NOT_YOURS
from web.sockets.worker import WorkerConnection


class UnknownAddress(AsyncWebsocketConsumer):
    """Answers at every other address: it accepts the socket and closes it with a code."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=NOT_YOURS)


class SameOrigin(OriginValidator):
    """Refuses sockets that pages of other sites open. Programs send no origin; they show a key or a token instead."""

    def __init__(self, application: Any) -> None:
        super().__init__(application, settings.ALLOWED_HOSTS)

    def valid_origin(self, parsed_origin: Any) -> bool:
        return parsed_origin is None or bool(super().valid_origin(parsed_origin))


# Django's types allow only views that take requests.
socket_patterns: list[Any] = [
    path("ws/work/<opaque:assignment>/", WorkerConnection.as_asgi()),  # type: ignore[arg-type]
    path("ws/agents/<name:agent>/", AgentConnection.as_asgi()),  # type: ignore[arg-type]
    re_path(r"", UnknownAddress.as_asgi()),  # type: ignore[arg-type]
]
