"""The dataset of a project's commands: their forms with context, the answers behind them, and the agent's parse."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from annotation.datasets.forms_lines import IDS, JSONL, SHAPES, Row, as_read, written
from annotation.models import Adjudication, Annotation, Consensus, Project, Task
from annotation.tools.parse.agreement import merged
from lib.faults import Invalid
from lib.logical_form import Form
from lib.logical_form.english.outline import sentence
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import faults_of

BATCH = 100
"""Number of commands that are looked up together; each has some tens of answers."""
TRUTH = "truth"
"""The method of a reference: its form is known to be true."""
Json = dict[str, Any]


def dataset_rows(project: Project, *, since: datetime | None = None, with_identity: bool = False) -> Iterator[Json]:
    """A row for each command whose form is known, in the order of the tasks: settled ones with a form, and references.

    A reference that was made from a task of this project is left out, because that task is listed.

    Args:
        since: Only commands that settled after this moment, and references that were made after it.
        with_identity: Name workers by `platform:external_id` instead of their pseudonym.

    Costs: 3 queries for each BATCH of commands.
    """
    for tasks in _batches(known_commands(project, since=since)):
        answers = _answers_of(tasks)
        decided = _decisions_on(tasks)
        for task in tasks:
            yield _row(task, answers.get(task.pk, []), decided.get(task.pk), with_identity=with_identity)


def known_commands(project: Project, *, since: datetime | None = None) -> QuerySet[Task]:
    """The commands of a project whose form is known, with consensus and truth loaded."""
    return known_among(Task.objects.filter(project=project), since=since)


def known_among(tasks: QuerySet[Task], *, since: datetime | None = None) -> QuerySet[Task]:
    """Those of these tasks that are commands whose form is known, with consensus and truth loaded, in their order."""
    settled = Q(is_reference=False, consensus__settled_at__isnull=False, status=Task.Status.DONE)
    # Filtered below the key and not with `isnull`: SQL NULL, JSON null and a missing key are three things.
    settled &= ~Q(consensus__answer__form=None) & Q(consensus__answer__has_key="form")
    served = Q(is_reference=True, retired_at=None, promoted_from=None)
    if since is not None:
        settled &= Q(consensus__settled_at__gt=since)
        served &= Q(created_at__gt=since)
    return tasks.filter(settled | served, part_of=None).select_related("consensus", "truth").order_by("pk")


def forms_of(task: Task) -> list[Form]:
    """The right forms of a known command: that of its consensus, or all forms of its truth, the first one first."""
    if task.is_reference:
        return [answer["form"] for answer in task.truth.answers]
    return [task.consensus.answer["form"]]


def agent_agrees(text: str, agent_form: Form | None, forms: Sequence[Form]) -> bool | None:
    """True if the agent's parse means the same as one of the right forms; None without a parse."""
    if not agent_form:
        return None
    if any(agent_form == form for form in forms):
        return True
    said = as_read(agent_form, text)
    if faults_of(said):
        return False  # an invalid form has no meaning
    return any(same(said, form) for form in forms)


def dataset_lines(rows: Iterator[Json], shape: str) -> Iterator[bytes]:
    """The rows as lines of a shape (see `forms_lines`): whole rows as JSON Lines, command and form in the other shapes.

    Raises:
        Invalid: the shape is unknown.
    """
    if shape not in SHAPES:
        raise Invalid.at("#/shape", f"The shape is one of {', '.join(SHAPES)}.")
    return _lines(rows, shape)


def _lines(rows: Iterator[Json], shape: str) -> Iterator[bytes]:
    for row in rows:
        if shape == JSONL:
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
            continue
        for form in (row["form"], *row["other_forms"]):
            known = Row(row["text"], form, id=row["command"] if shape == IDS else "")
            yield written(known, shape).encode() + b"\n"


def _batches(tasks: QuerySet[Task]) -> Iterator[list[Task]]:
    """Batches by primary key, without an open cursor: a slow reader keeps no transaction open."""
    last = 0
    while found := list(tasks.filter(pk__gt=last)[:BATCH]):
        yield found
        last = found[-1].pk


def _row(task: Task, answers: Sequence[Annotation], decided: Adjudication | None, *, with_identity: bool) -> Json:
    payload, forms = task.payload, forms_of(task)
    text, tokens = payload["text"], tokenise(payload["text"])
    consensus = None if task.is_reference else task.consensus
    settled_at = consensus.settled_at if consensus else task.created_at
    return {
        "command": task.key,
        "text": text,
        "tokens": tokens,
        "context": payload.get("context", []),
        "form": forms[0],
        "other_forms": forms[1:],
        "words": sentence(forms[0], tokens),
        "method": consensus.method if consensus else TRUTH,
        "confidence": consensus.confidence if consensus else 1.0,
        "settled_at": settled_at.isoformat() if settled_at else None,
        "marked": payload.get("marked"),
        "agent_form": payload.get("form"),
        "agrees": agent_agrees(text, payload.get("form"), forms),
        "is_reference": task.is_reference,
        "with_guess": consensus is not None and consensus.with_guess,
        "adjudicated": _decision(decided),
        "provenance": _provenance(answers, consensus, with_identity=with_identity),
    }


# Provenance ----------------------------------------------------------------------------------------------------


def _answers_of(tasks: Sequence[Task]) -> Mapping[int, list[Annotation]]:
    """The counting answers to these commands, in the order of the tasks of their steps. 1 query."""
    pks = [task.pk for task in tasks if not task.is_reference]
    found: dict[int, list[Annotation]] = {}
    rows = (
        Annotation.objects.counting()
        .filter(task__in=Task.objects.filter(Q(pk__in=pks) | Q(part_of__in=pks)).values("pk"))
        .select_related("worker", "task__step", "task__consensus")
        # The payload holds all that was known before the step; it is large, and the earlier answers have it too.
        .defer("task__payload", "task__consensus__answer")
        .order_by("task_id", "number")
    )
    for row in rows if pks else ():
        found.setdefault(row.task.part_of_id or row.task_id, []).append(row)
    return found


def _decisions_on(tasks: Sequence[Task]) -> Mapping[int, Adjudication]:
    """The adjudications in force of these commands. 1 query."""
    rows = Adjudication.objects.filter(task__in=tasks, status=Adjudication.Status.STANDING)
    return {row.task_id: row for row in rows.select_related("by", "second")}


def _decision(decided: Adjudication | None) -> Json | None:
    if decided is None:
        return None
    return {
        "by": f"staff:{decided.by.get_username()}",
        "second": f"staff:{decided.second.get_username()}" if decided.second else None,
        "at": (decided.second_at or decided.at).isoformat(),
    }


def _provenance(answers: Sequence[Annotation], whole: Consensus | None, *, with_identity: bool) -> list[Json]:
    """The steps in the order in which they were first asked, each with every counting answer.

    A step that was sent back is listed once for each round; its last has the greatest `round`.
    """
    steps: dict[tuple[str, int], list[Annotation]] = {}
    for row in answers:
        step = getattr(row.task, "step", None)
        steps.setdefault((step.key, step.round) if step else ("", 0), []).append(row)
    return [
        {
            "step": key,
            "path": key.partition("#")[0],
            "round": round_,
            "answers": [
                {
                    "worker": row.worker.identity if with_identity else row.worker.pseudonym,
                    "annotation": row.public_id,
                    "answer": row.answer,
                    "submitted_at": row.submitted_at.isoformat(),
                }
                for row in rows
            ],
            "confidence": _confidence(key, rows, whole),
        }
        for (key, round_), rows in steps.items()
    ]


def _confidence(key: str, rows: Sequence[Annotation], whole: Consensus | None) -> float:
    """The confidence of a step: of its own consensus, or of the merged answers if each worker had their own task."""
    if not key and whole is not None:
        return whole.confidence
    if len({row.task_id for row in rows}) == 1 and hasattr(rows[0].task, "consensus"):
        return rows[0].task.consensus.confidence
    return merged([row.answer for row in rows]).confidence
