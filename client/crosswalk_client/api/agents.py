"""`client.agents`: the programs under test, and what else was measured of them."""

from __future__ import annotations

from typing_extensions import Unpack

from crosswalk_client.api.named import Named
from crosswalk_client.calls import Mode, call, pages
from crosswalk_client.requests import Pages, Plan, Request, get, post, put
from crosswalk_client.types import AgentAnswer, AgentBodyRequest, MetricAnswer, MetricBodyRequest


class Agents(Named[Mode]):
    folder = "agents"

    @pages
    def list(self) -> Pages[AgentAnswer]:
        return Pages(Request("GET", "agents/"))

    @call
    def get(self, slug: str) -> Plan[AgentAnswer]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Unpack[AgentBodyRequest]) -> Plan[AgentAnswer]:
        return put(self._path(slug), body)

    @pages
    def metrics(self, slug: str) -> Pages[MetricAnswer]:
        return Pages(Request("GET", self._path(slug, "metrics")))

    @call
    def post_metric(self, slug: str, /, **body: Unpack[MetricBodyRequest]) -> Plan[MetricAnswer]:
        return post(self._path(slug, "metrics"), body)
