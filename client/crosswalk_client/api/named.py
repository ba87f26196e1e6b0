"""The base of all resources that are put under a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from crosswalk_client.calls import Mode, Resource, call
from crosswalk_client.requests import Plan, Request, patch, path_of

Json = dict[str, Any]


class Named(Resource[Mode]):
    """A resource whose things have slugs."""

    folder: ClassVar[str]

    def _path(self, *parts: str) -> str:
        return path_of(self.folder, *parts)

    @call
    def patch(self, slug: str, changes: Mapping[str, Any], *, if_match: str | None = None) -> Plan[Json]:
        """Change the named fields alone (JSON merge patch: null removes).

        Args:
            if_match: An ETag of `etag`; the change is refused if the thing has another one by now.
        """
        return patch(self._path(slug), changes, if_match=if_match)

    @call
    def etag(self, slug: str) -> Plan[str]:
        """The ETag of the thing as it is; "" where the server gives none."""
        answer = yield Request("GET", self._path(slug))
        return str(answer.headers.get("etag", ""))
