"""The addresses of the sockets, and from which pages they may be opened."""

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.urls import path, re_path

from interaction.consumers.agents import AgentLine
from interaction.consumers.line import NOT_YOURS
from interaction.consumers.worker import WorkerLine


class Nowhere(AsyncWebsocketConsumer):
    """Whatever address there is not."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=NOT_YOURS)


class SameOrigin(OriginValidator):
    """Pages of other sites open no socket here. Programs, which send no origin, show a key or a token instead."""

    def __init__(self, application: Any) -> None:
        super().__init__(application, settings.ALLOWED_HOSTS)

    def valid_origin(self, parsed_origin: Any) -> bool:
        return parsed_origin is None or bool(super().valid_origin(parsed_origin))


# Django's types know no views but those of requests.
socket_patterns: list[Any] = [
    path("ws/work/<opaque:assignment>/", WorkerLine.as_asgi()),  # type: ignore[arg-type]
    path("ws/agents/<name:agent>/", AgentLine.as_asgi()),  # type: ignore[arg-type]
    re_path(r"", Nowhere.as_asgi()),  # type: ignore[arg-type]
]
