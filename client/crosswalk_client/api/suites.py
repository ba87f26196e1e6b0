"""`client.suites`: scenarios, versions, and what came out for the agents."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from typing_extensions import Unpack

from crosswalk_client.api.named import Json, Named
from crosswalk_client.calls import Mode, call, pages
from crosswalk_client.requests import Pages, Plan, Request, delete, download, get, patch, path_of, post, put, sent
from crosswalk_client.types import (
    BetterMeasureAnswer,
    ComparisonAnswer,
    ConsistencyAnswer,
    CorrelationAnswer,
    CurveAnswer,
    DifficultyAnswer,
    FailureTableAnswer,
    HumanTimeAnswer,
    ImportedAnswer,
    InformationAnswer,
    NoteAnswer,
    PlanAnswer,
    PlanBodyRequest,
    RankingAnswer,
    RepeatAnswer,
    RunAnswer,
    ScenarioAnswer,
    ScenarioBodyRequest,
    SuiteAnswer,
    SuiteBodyRequest,
    VersionAnswer,
)

By = Literal["category", "skill", "tag", "prompt", "scenario"]


class Suites(Named[Mode]):
    folder = "suites"

    @pages
    def list(self) -> Pages[SuiteAnswer]:
        return Pages(Request("GET", "suites/"))

    @call
    def get(self, slug: str) -> Plan[SuiteAnswer]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Unpack[SuiteBodyRequest]) -> Plan[SuiteAnswer]:
        return put(self._path(slug), body)

    @call
    def archive(self, slug: str) -> Plan[None]:
        """Hide it from lists and offer it to nobody; `restore` puts it back."""
        return delete(self._path(slug))

    @call
    def restore(self, slug: str) -> Plan[SuiteAnswer]:
        return post(self._path(slug, "restore"))

    @pages
    def scenarios(self, slug: str) -> Pages[ScenarioAnswer]:
        return Pages(Request("GET", self._path(slug, "scenarios")))

    @call
    def scenario(self, slug: str, key: str) -> Plan[ScenarioAnswer]:
        return get(self._path(slug, "scenarios", key))

    @call
    def put_scenario(self, slug: str, key: str, /, **body: Unpack[ScenarioBodyRequest]) -> Plan[ScenarioAnswer]:
        return put(self._path(slug, "scenarios", key), body)

    @call
    def patch_scenario(self, slug: str, key: str, changes: Mapping[str, Any]) -> Plan[ScenarioAnswer]:
        return patch(self._path(slug, "scenarios", key), changes)

    @call
    def version(self, slug: str, version: str) -> Plan[VersionAnswer]:
        return get(self._path(slug, "versions", version))

    @call
    def put_version(self, slug: str, version: str) -> Plan[VersionAnswer]:
        """Freeze the scenarios as they are now."""
        return put(self._path(slug, "versions", version), {})

    @call
    def ranking(
        self,
        slug: str,
        *,
        by: By | None = None,
        version: str | None = None,
        project: str | None = None,
        tag: str | None = None,
        correct: Literal["none", "rogan_gladen"] | None = None,
        identical: Literal["all", "once"] | None = None,
    ) -> Plan[RankingAnswer]:
        path = self._path(slug, "ranking")
        return get(path, by=by, version=version, project=project, tag=tag, correct=correct, identical=identical)

    @call
    def runs(
        self, slug: str, *, version: str | None = None, project: str | None = None
    ) -> Plan[builtins.list[RunAnswer]]:
        """For each agent what is expected, received, ready, judged and missing."""
        return get(self._path(slug, "runs"), version=version, project=project)

    @call
    def repeats(
        self, slug: str, *, version: str | None = None, project: str | None = None
    ) -> Plan[builtins.list[RepeatAnswer]]:
        """Continuations that are the same as another of their agent, or look the same."""
        return get(self._path(slug, "repeats"), version=version, project=project)

    @call
    def comparison(
        self,
        slug: str,
        a: str,
        b: str,
        *,
        estimand: Literal["population", "suite"] | None = None,
        version: str | None = None,
        project: str | None = None,
    ) -> Plan[ComparisonAnswer]:
        """Agent `a` against agent `b`, paired by scenario: of new scenarios, or of this suite's alone."""
        path = self._path(slug, "comparison")
        return get(path, a=a, b=b, estimand=estimand, version=version, project=project)

    @call
    def time_to_completion(
        self,
        slug: str,
        *,
        kind: Literal["successes", "incidence"] | None = None,
        version: str | None = None,
        project: str | None = None,
    ) -> Plan[builtins.list[CurveAnswer]]:
        return get(self._path(slug, "time_to_completion"), kind=kind, version=version, project=project)

    @call
    def correlations(
        self, slug: str, *, method: Literal["spearman", "pearson"] | None = None
    ) -> Plan[builtins.list[CorrelationAnswer]]:
        return get(self._path(slug, "correlations"), method=method)

    @call
    def difficulty(self, slug: str) -> Plan[builtins.list[DifficultyAnswer]]:
        return get(self._path(slug, "difficulty"))

    @call
    def better_measures(
        self, slug: str, *, method: Literal["spearman", "pearson"] | None = None
    ) -> Plan[builtins.list[BetterMeasureAnswer]]:
        """The metric that goes with success most closely, compared with each other one."""
        return get(self._path(slug, "better_measures"), method=method)

    @call
    def consistency(
        self, slug: str, *, version: str | None = None, project: str | None = None
    ) -> Plan[builtins.list[ConsistencyAnswer]]:
        """How often two continuations of one scenario end alike, for each agent."""
        return get(self._path(slug, "consistency"), version=version, project=project)

    @call
    def scenario_notes(
        self, slug: str, *, version: str | None = None, project: str | None = None
    ) -> Plan[builtins.list[NoteAnswer]]:
        """The scenarios that nobody passes, that no longer tell agents apart, or on which raters disagree."""
        return get(self._path(slug, "scenario_notes"), version=version, project=project)

    @call
    def information(
        self, slug: str, *, continuations: int | None = None, version: str | None = None, project: str | None = None
    ) -> Plan[InformationAnswer]:
        """Where on the scale of ability the suite can tell agents apart."""
        return get(self._path(slug, "information"), continuations=continuations, version=version, project=project)

    @call
    def failures(self, slug: str) -> Plan[builtins.list[FailureTableAnswer]]:
        """How agents and people fail: the tables of samples of failures, as two people coded them."""
        return get(self._path(slug, "failures"))

    @call
    def human_time(self, slug: str, *, version: str | None = None, project: str | None = None) -> Plan[HumanTimeAnswer]:
        """People's hours for each agent: rating its continuations, against live sessions with it."""
        return get(self._path(slug, "human_time"), version=version, project=project)

    @call
    def plan(self, slug: str, /, **body: Unpack[PlanBodyRequest]) -> Plan[PlanAnswer]:
        """Which difference can be seen with these agents, continuations and raters, and for how much."""
        return post(self._path(slug, "plan"), body)

    @call
    def report(self, slug: str, /, **body: Any) -> Plan[Json]:
        """Make a report on frozen inputs."""
        return post(self._path(slug, "reports"), body)

    @call
    def pull_report(self, slug: str, report: str, into: Path) -> Plan[Path]:
        """Write a report, as it was made, to a file."""
        return download(path_of("suites", slug, "reports", report), into)

    @call
    def pull_report_pdf(self, slug: str, report: str, into: Path) -> Plan[Path]:
        """Write a report to a PDF file."""
        return download(path_of("suites", slug, "reports", report, "report.pdf", ends=""), into)

    @call
    def pull_report_files(self, slug: str, report: str, into: Path) -> Plan[Path]:
        """Write the figures and tables of a report to a zip file."""
        return download(path_of("suites", slug, "reports", report, "files.zip", ends=""), into)

    @call
    def pull_archive(self, slug: str, into: Path) -> Plan[Path]:
        """Write the suite with its media and versions to a zip file."""
        return download(path_of("suites", f"{slug}.zip", ends=""), into)

    @call
    def push_archive(self, slug: str, archive: Path) -> Plan[ImportedAnswer]:
        """Make the suite equal to that of such a zip file; a repeat changes nothing."""
        headers = {"Content-Type": "application/zip"}
        path = path_of("suites", f"{slug}.zip", ends="")
        return sent(Request("PUT", path, content=archive, headers=headers))
