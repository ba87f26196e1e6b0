"""The measured actions at each size, with times and counted queries."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.consensus.rater_fit import refit
from annotation.models import Record
from annotation.quality import worker_records
from bench.million_rows import REDUNDANCY, Filled
from bench.rows import seconds_of
from bench.workers import take_turn
from tests.support.builders import make_enrolment
from web.staff.workers.worker_list import ORDERS
from workforce.models import LedgerEntry

HAND_IN, MEASURE = "claim and submit, the fourth answer of five", "records of one worker measured anew"


class Turns:
    def __init__(self, filled: Filled, pages: dict[str, str]) -> None:
        """`pages`: addresses by what they show, beside those of the lists in this file."""
        self.filled = filled
        self.client = Client(SERVER_NAME="127.0.0.1")
        self.client.force_login(User.objects.create_superuser("dora"))
        self.crew = [make_enrolment(filled.project) for _ in range(REDUNDANCY)]
        self.pages = {**pages, **self._pages()}
        self.queries: dict[str, int] = {}

    def round(self) -> dict[str, dict[str, Any]]:
        """Every action once: seconds, queries, and the kind of budget."""
        found = {what: self._measured(what, "page", partial(self._get, path)) for what, path in self.pages.items()}
        found |= self._hand_in()
        found[MEASURE] = self._measure_one()
        return found

    def fits(self) -> dict[str, float]:
        """The seconds of the fit of all answers, and of a plain read of them."""
        pk = self.filled.project.pk
        return {
            "bare read of the answers": seconds_of(self._read),
            "fit, every consensus written": seconds_of(lambda: refit(project_id=pk, at=datetime.now(UTC))),
            "fit again": seconds_of(lambda: refit(project_id=pk, at=datetime.now(UTC))),
        }

    # Pages

    def _pages(self) -> dict[str, str]:
        """Addresses by content."""
        workers, slug = reverse("staff-workers"), self.filled.project.slug
        middle = self.filled.worker + self.filled.workers // 2
        pages = {"workers, newest": workers, "workers, by name": f"{workers}?sort=name"}
        pages |= {f"workers by {word}": f"{workers}?sort={word}" for word in ORDERS}
        record = Record.objects.filter(project=None, balanced_accuracy__gt=0.7).order_by("balanced_accuracy", "pk")[0]
        far = json.dumps([0, record.balanced_accuracy, record.pk])
        pages |= {
            "workers by Balanced accuracy, a far page": f"{workers}?sort=accuracy&after={far}",
            "workers, newest, a far page": f"{workers}?after=[0,{middle}]",
            "workers of the project by Drift": f"{workers}?project={slug}&sort=drift",
            "workers below 70 %, 20 references": f"{workers}?below=70&least=20&sort=accuracy",
            "workers who are paused": f"{workers}?paused=1",
            "workers who are blocked, by answers": f"{workers}?status=blocked&sort=answers",
            "workers named so": f"{workers}?q=person-77",
            "one worker": reverse("staff-worker", args=[middle]),
            "overview": reverse("staff-overview"),
            "projects": reverse("staff-projects"),
            "project": reverse("staff-project", args=[slug]),
            "project, a far page of tasks": f"{reverse('staff-project', args=[slug])}?page={self.filled.tasks // 60}",
            "tasks, newest": reverse("staff-tasks", args=[slug]),
            "tasks by key": f"{reverse('staff-tasks', args=[slug])}?sort=task",
            "tasks by key, a far page": f'{reverse("staff-tasks", args=[slug])}?sort=task&after=[0,"task-5"]',
            "project's quality": reverse("staff-project-quality", args=[slug]),
            "review queue": reverse("staff-review"),
            "review queue of one kind": f"{reverse('staff-review')}?kind=low-confidence",
            "references": reverse("staff-references", args=[slug]),
            "references, worst first": f"{reverse('staff-references', args=[slug])}?sort=share&order=asc",
            **self._first_and_last_pages(),
            "audit log": reverse("staff-audit"),
            "audit log of one verb": f"{reverse('staff-audit')}?verb=worker.blocked",
        }
        return pages

    def _first_and_last_pages(self) -> dict[str, str]:
        """Lists with a row for each annotation or task: their first pages, and those at the last row but sixty."""
        slug, project = self.filled.project.slug, self.filled.project
        lists = {
            "approvals": (
                reverse("staff-project-approvals", args=[slug]),
                project.annotations.undecided().order_by("-submitted_at", "-pk").values_list("submitted_at", "pk"),
            ),
            "ledger": (reverse("staff-ledger"), LedgerEntry.objects.order_by("pk").values_list("pk")),
            "tasks": (reverse("staff-tasks", args=[slug]), project.tasks.posted().order_by("pk").values_list("pk")),
            "workers with links": (
                reverse("staff-links", args=[slug]),
                project.enrolments.order_by("pk").values_list("pk"),
            ),
        }
        pages: dict[str, str] = {}
        for name, (address, places) in lists.items():
            place = [one.isoformat() if isinstance(one, datetime) else one for one in places[60]]
            query = urlencode({"after": json.dumps([0, *place])})
            pages |= {f"{name}, first page": address, f"{name}, last page": f"{address}?{query}"}
        return pages

    def _get(self, path: str) -> None:
        answer = self.client.get(path)
        assert answer.status_code == 200, f"{path} answers {answer.status_code}"

    # Writes

    def _hand_in(self) -> dict[str, dict[str, Any]]:
        """An answer to a task that has some: its consensus is provisional until the last one settles it."""
        *before, enrolment, last = self.crew
        for one in before:
            take_turn(one)
        found = self._measured(HAND_IN, "submit", lambda: take_turn(enrolment))
        take_turn(last)
        return {HAND_IN: found}

    def _measure_one(self) -> dict[str, Any]:
        # The records of the benchmark's own workers come first, because they were never measured.
        while worker_records.measure_outdated(at=datetime.now(UTC)):
            pass
        one = self.filled.worker + self.filled.workers // 3
        worker_records.outdate(workers=[one], project=self.filled.project.pk)
        found = self._measured(
            MEASURE, "records", lambda: worker_records.measure_outdated(at=datetime.now(UTC), limit=1)
        )
        assert not Record.objects.outdated().filter(worker=one, project__isnull=False).exists()
        return found

    def _measured(self, what: str, kind: str, act: Callable[[], object]) -> dict[str, Any]:
        # The queries are counted once, because recording them takes time.
        if what in self.queries:
            return {"kind": kind, "s": seconds_of(act), "queries": self.queries[what]}
        with CaptureQueriesContext(connection) as queries:
            seconds = seconds_of(act)
        self.queries[what] = len(queries)
        return {"kind": kind, "s": seconds, "queries": len(queries)}

    # Reads

    def _read(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                """
                SELECT a.task_id, a.worker_id, w.weighting, a.answer, a.score, t.is_reference, t.truth_class
                FROM annotation_annotation a
                JOIN annotation_task t ON t.id = a.task_id
                JOIN workforce_worker w ON w.id = a.worker_id
                WHERE a.project_id = %s
                """,
                [self.filled.project.pk],
            )
            rows = sum(len(chunk) for chunk in iter(lambda: cursor.fetchmany(5000), []))
        assert rows >= self.filled.annotations
