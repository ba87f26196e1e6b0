"""Items of `nlu`: the text of a command, and its true logical form."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation.datasets.forms import BATCH, forms_of, known_among
from annotation.datasets.forms_lines import Row, checked
from annotation.models import Project, Task
from annotation.tools.parse.tool import parse
from commands.models import Command
from common.redaction import REMOVED
from interaction.project.tool import interaction
from learning.data.kinds import Json, Kind, Known
from learning.data.truths import answers_behind, form_may_test
from learning.models import Item
from lib.command_text import clean, fault_of
from lib.faults import Fault, Invalid
from lib.logical_form.normal import same
from lib.logical_form.realign import moved
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of
from lib.splits import same_words
from routing.models import Sending

TEXT, FORM = "text", "form"


class Commands(Kind):
    module = "nlu"

    def name(self, given: Json) -> str:
        return same_words(given[TEXT])

    unit = name

    def read(self, body: Mapping[str, Any], *, pointer: str) -> tuple[Json, Any]:
        if set(body) != {TEXT, FORM} or not isinstance(body[TEXT], str):
            raise Invalid.at(pointer, "An item of nlu has a text and its form.")
        line = checked(0, Row(body[TEXT], body[FORM]))
        if line.row is None:
            raise Invalid(faults=[Fault(f"{pointer}/form{fault.path}", fault.reason) for fault in line.faults])
        return {TEXT: line.row.text}, line.row.form

    def keep(self, given: Sequence[Json], *, at: datetime) -> list[Json]:
        return list(given)

    def is_same(self, a: Any, b: Any) -> bool:
        return bool(a == b or same(a, b))

    def known_in(self, project: Project, *, since: datetime | None) -> Iterator[Known]:
        if parse.is_tool_of(project):
            return self._of_tasks(Task.objects.filter(project=project), since=since)
        if not interaction.is_tool_of(project):
            raise Invalid.at("#/project", "The forms of commands come from a parse or an interaction project.")
        return self._of_commands(project, since=since)

    def line(self, given: Json, truth: Any) -> Json:
        return {TEXT: given[TEXT], FORM: truth}

    def to_learn(self, given: Json) -> Any:
        return given[TEXT]

    def _of_commands(self, project: Project, *, since: datetime | None) -> Iterator[Known]:
        """Commands that were given in this project: those that were annotated elsewhere, then those posted with their
        form."""
        sent = Sending.objects.filter(command__project=project, task__isnull=False, is_dropped=False)
        yield from self._of_tasks(Task.objects.filter(pk__in=sent.values("task")), since=since)
        posted = Command.objects.filter(project=project, assignment=None, fault="", truth__isnull=False)
        posted = posted.exclude(sendings__task__isnull=False).exclude(text=REMOVED)
        if since is not None:
            posted = posted.filter(at__gte=since)
        for command in posted.order_by("pk").iterator(chunk_size=1000):
            text = clean(command.text)
            form = moved(upgraded(command.truth)[0], of=command.text, to=text)
            if form is None or faults_of(form, words=len(tokenise(text))):
                continue
            authors = [command.worker_id] if command.worker_id else []
            yield Known({TEXT: text}, form, Item.Origin.POSTED, command.at, may_test=True, authors=authors)

    def _of_tasks(self, tasks: Any, *, since: datetime | None) -> Iterator[Known]:
        known = known_among(tasks.filter(project__in=parse.projects())).select_related("project")
        last = 0
        while batch := list(known.filter(pk__gt=last)[:BATCH]):
            last = batch[-1].pk
            answers = answers_behind(batch)
            authors = authors_of(batch)
            for task in batch:
                known_at = task.created_at if task.is_reference else task.consensus.updated_at
                form = forms_of(task)[0]
                if (since is not None and known_at < since) or fault_of(task.payload[TEXT]):
                    continue
                behind = answers.get(task.pk, [])
                yield Known(
                    {TEXT: task.payload[TEXT]},
                    form,
                    Item.Origin.REFERENCE if task.is_reference else Item.Origin.ANNOTATED,
                    known_at,
                    may_test=form_may_test(task, behind),
                    task=task.pk,
                    annotations=[] if task.is_reference else [answer.pk for answer in behind],
                    authors=authors.get(task.pk, []),
                )


def authors_of(tasks: Sequence[Task]) -> dict[int, list[int]]:
    """The workers whose commands became these tasks. 1 query."""
    found: dict[int, list[int]] = {}
    rows = Sending.objects.filter(task__in=tasks, command__worker__isnull=False)
    for task, worker in rows.values_list("task", "command__worker").distinct():
        found.setdefault(task, []).append(worker)
    return found
