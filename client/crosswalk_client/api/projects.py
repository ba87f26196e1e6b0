"""`client.projects`: what is asked of workers, and what they answered."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from typing_extensions import Unpack

from crosswalk_client.api.named import Named
from crosswalk_client.calls import Mode, call, lines, pages
from crosswalk_client.requests import Lines, Pages, Plan, Request, delete, download, get, given, path_of, post, put
from crosswalk_client.types import (
    AnnotationLine,
    ApprovalsAnswer,
    ApprovalsBodyRequest,
    ArmEffortAnswer,
    ConsensusLine,
    FindingLine,
    FormLine,
    FormsAnswer,
    FormsBodyRequest,
    GeneratedBodyRequest,
    LinkAnswer,
    MaskLine,
    MasksAnswer,
    PostedTask,
    ProjectAnswer,
    ProjectBodyRequest,
    QuestionEffortAnswer,
    TaskBodyRequest,
    TasksAnswer,
)

Dataset = Literal["annotations", "consensus", "commands", "forms", "masks"]
MOST_TASKS = 1000
"""Most tasks of one request."""


class Projects(Named[Mode]):
    folder = "projects"

    def _file(self, slug: str, name: str) -> str:
        return path_of("projects", slug, name, ends="")

    @pages
    def list(self) -> Pages[ProjectAnswer]:
        return Pages(Request("GET", "projects/"))

    @call
    def get(self, slug: str) -> Plan[ProjectAnswer]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Unpack[ProjectBodyRequest]) -> Plan[ProjectAnswer]:
        return put(self._path(slug), body)

    @call
    def archive(self, slug: str) -> Plan[None]:
        """Hide it from lists and offer it to nobody; `restore` puts it back."""
        return delete(self._path(slug))

    @call
    def restore(self, slug: str) -> Plan[ProjectAnswer]:
        return post(self._path(slug, "restore"))

    @call
    def post_tasks(self, slug: str, tasks: Sequence[TaskBodyRequest]) -> Plan[TasksAnswer]:
        """Post tasks, 1000 a request; the sums of all answers."""
        return _post_tasks(self._path(slug, "tasks"), tasks)

    @pages
    def tasks(
        self, slug: str, *, status: Literal["open", "done", "unjudgeable", "withdrawn"] | None = None
    ) -> Pages[PostedTask]:
        return Pages(Request("GET", self._path(slug, "tasks"), given(status=status)))

    @call
    def task(self, slug: str, key: str) -> Plan[PostedTask]:
        return get(self._path(slug, "tasks", key))

    @call
    def withdraw_task(self, slug: str, key: str) -> Plan[None]:
        """Withdraw a task that nobody has answered."""
        return delete(self._path(slug, "tasks", key))

    @call
    def restore_task(self, slug: str, key: str) -> Plan[PostedTask]:
        """Offer a withdrawn task to workers again."""
        return post(self._path(slug, "tasks", key, "restore"))

    @call
    def link(self, slug: str, worker: str) -> Plan[LinkAnswer]:
        """A link that lets this worker of the platform `direct` work."""
        return post(self._path(slug, "links"), {"worker": worker})

    @call
    def approve(self, slug: str, /, **body: Unpack[ApprovalsBodyRequest]) -> Plan[ApprovalsAnswer]:
        return post(self._path(slug, "approvals"), body)

    @call
    def effort(self, slug: str) -> Plan[builtins.list[ArmEffortAnswer]]:
        """Right work a minute, by arm of the project's experiment."""
        return get(self._path(slug, "effort"))

    @call
    def question_effort(self, slug: str) -> Plan[builtins.list[QuestionEffortAnswer]]:
        """The time, the undone answers and the wrong ones, by question of the project's tool."""
        return get(self._path(slug, "effort", "questions"))

    @lines
    def annotations(self, slug: str, *, since: str | None = None) -> Lines[AnnotationLine]:
        """Every annotation, oldest first, after the annotation `since`; goes on by itself if the line breaks."""
        return Lines(Request("GET", self._file(slug, "annotations.jsonl"), given(since=since)), since="annotation")

    @lines
    def consensus(self, slug: str) -> Lines[ConsensusLine]:
        return Lines(Request("GET", self._file(slug, "consensus.jsonl")))

    @lines
    def findings(self, slug: str) -> Lines[FindingLine]:
        return Lines(Request("GET", self._file(slug, "findings.jsonl")))

    @lines
    def forms(self, slug: str, *, since: str | None = None) -> Lines[FormLine]:
        return Lines(Request("GET", self._file(slug, "forms.jsonl"), given(since=since)))

    @call
    def import_forms(self, slug: str, /, **body: Unpack[FormsBodyRequest]) -> Plan[FormsAnswer]:
        return post(self._path(slug, "forms"), body)

    @lines
    def masks(self, slug: str, *, since: str | None = None, shares: bool = False) -> Lines[MaskLine]:
        query = given(since=since, shares="1" if shares else None)
        return Lines(Request("GET", self._file(slug, "masks.jsonl"), query))

    @call
    def mask_arrays(self, slug: str, into: Path, *, after: str | None = None) -> Plan[Path]:
        """Write masks as arrays for `numpy.load` to a file, at most 1000."""
        return download(self._file(slug, "masks.npz"), into, after=after)

    @call
    def scene_list(self, slug: str) -> Plan[Any]:
        return get(self._file(slug, "scene_list.json"))

    @call
    def import_masks(self, slug: str, /, **body: Any) -> Plan[MasksAnswer]:
        """Make tasks of scenes in droidlet's form: `scenes`, `as`, `key_prefix`."""
        return post(self._path(slug, "masks", "import"), body)

    @call
    def generate_scenes(self, slug: str, /, **body: Unpack[GeneratedBodyRequest]) -> Plan[TasksAnswer]:
        return post(self._path(slug, "generated_scenes"), body)

    @call
    def parquet(self, slug: str, dataset: Dataset, into: Path, *, since: str | None = None) -> Plan[Path]:
        """Write a dataset of the project to a Parquet file; `tables.read` makes a table or a DataFrame of it."""
        return download(self._file(slug, f"{dataset}.parquet"), into, since=since)

    @call
    def dataset_card(self, slug: str, into: Path) -> Plan[Path]:
        """Write the card of the project's datasets, the `README.md` of a folder with their Parquet files."""
        return download(self._file(slug, "dataset_card.md"), into)


def _post_tasks(path: str, tasks: Sequence[TaskBodyRequest]) -> Plan[TasksAnswer]:
    created = unchanged = 0
    for first in range(0, len(tasks), MOST_TASKS):
        answer = yield from post(path, {"tasks": tasks[first : first + MOST_TASKS]})
        created += answer["created"]
        unchanged += answer["unchanged"]
    return {"created": created, "unchanged": unchanged}
