"""`client.workers`, `client.qualifications` and what is kept about people."""

from __future__ import annotations

from typing_extensions import Unpack

from crosswalk_client.api.named import Named
from crosswalk_client.calls import Mode, Resource, call, lines, pages
from crosswalk_client.requests import Lines, Pages, Plan, Request, get, given, path_of, post, put
from crosswalk_client.types import (
    AuditLine,
    BlockBodyRequest,
    ErasureAnswer,
    QualificationAnswer,
    QualificationBodyRequest,
    StandingAnswer,
    WorkerAnswer,
    WorkerData,
)


class Workers(Resource[Mode]):
    @call
    def get(self, platform: str, external_id: str) -> Plan[WorkerAnswer]:
        return get(path_of("workers", platform, external_id))

    @call
    def block(self, platform: str, external_id: str, /, **body: Unpack[BlockBodyRequest]) -> Plan[StandingAnswer]:
        return post(path_of("workers", platform, external_id, "block"), body)

    @call
    def unblock(self, platform: str, external_id: str) -> Plan[StandingAnswer]:
        return post(path_of("workers", platform, external_id, "unblock"))

    @call
    def data(self, platform: str, external_id: str) -> Plan[WorkerData]:
        """All that is stored about the worker and may be told them."""
        return get(path_of("workers", platform, external_id, "data"))

    @call
    def erase(self, platform: str, external_id: str) -> Plan[ErasureAnswer]:
        """Erase the person; ask `erasure` when nothing of them is left."""
        return post(path_of("workers", platform, external_id, "erase"))

    @call
    def erasure(self, report: str) -> Plan[ErasureAnswer]:
        return get(path_of("erasures", report))


class Qualifications(Named[Mode]):
    folder = "qualifications"

    @pages
    def list(self) -> Pages[QualificationAnswer]:
        return Pages(Request("GET", "qualifications/"))

    @call
    def get(self, slug: str) -> Plan[QualificationAnswer]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Unpack[QualificationBodyRequest]) -> Plan[QualificationAnswer]:
        return put(self._path(slug), body)


class Audit(Resource[Mode]):
    @lines
    def log(
        self,
        *,
        verb: str | None = None,
        actor: str | None = None,
        subject: str | None = None,
        project: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Lines[AuditLine]:
        """The acts of people and programs, newest first."""
        query = given(verb=verb, actor=actor, subject=subject, project=project, since=since, until=until)
        return Lines(Request("GET", "audit.jsonl", query))
