"""How endpoints are described in the OpenAPI document."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from common.api import Problem


class Schema(AutoSchema):
    """Adds what every endpoint shares: the problem that any call may answer with, and its tag by first path word."""

    def get_tags(self) -> list[str]:
        words = self.path.removeprefix("/api/v1/").split("/")
        return [words[0].split(".")[0]]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        bodies["default"] = self._get_response_for_code(  # type: ignore[no-untyped-call]
            Problem, "default", ["application/problem+json"], direction
        )
        return bodies
