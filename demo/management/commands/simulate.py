"""`manage.py simulate PROJECT`: let a crowd of programs work in a project, through the running server."""

import time
from collections import defaultdict
from collections.abc import Sequence
from http import HTTPStatus
from statistics import fmean
from typing import Any

import httpx
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.consensus.rater_fit import refit
from annotation.models import Method, Project
from annotation.projects.projects import project_named
from demo.crowds import markers, simulation
from demo.crowds.work_api import Json, KnownTask, Refused, Reply, take_turn
from lib.faults import Conflict, NotFound

PATIENCE_S = 30.0


class HttpWorkApi:
    """A simulated worker's connection to a running server."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}

    def post(self, path: str, body: Json) -> Reply:
        response = self._client.post(path, json=body, headers=self._headers)
        return Reply(response.status_code, response.json() if response.content else {})

    def enter(self) -> None:
        """Agree to the information page, if there is one.

        Raises:
            CommandError: The server does not know the worker.
        """
        response = self._client.get("", headers=self._headers)
        if response.status_code != HTTPStatus.OK:
            raise CommandError(f"{response.url} answers {response.status_code}. Is it this project's own server?")
        if (response.json()["missing"] or {}).get("consent"):
            self.post("consent/", {})


class Command(BaseCommand):
    help = (
        "Let simulated workers of known kinds claim and answer in a live marker project, over HTTP, and tell what its "
        "gates and its consensus made of them. For trying settings before anyone is paid; see "
        "docs/how-to/try-a-project-with-a-simulated-crowd.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="The slug.")
        parser.add_argument("--workers", type=int, default=20)
        parser.add_argument("--answers", type=int, default=50, help="Of each worker, references among them.")
        parser.add_argument("--seed", type=int, default=1, help="The same seed is the same crowd.")
        parser.add_argument("--successes", type=float, default=0.5, help="Share of the tasks that are true successes.")
        parser.add_argument(
            "--kinds",
            default="",
            help=f"As `honest=0.8,spammer=0.2`, of {', '.join(markers.KINDS)}; shares are held to each other.",
        )
        parser.add_argument("--url", default=settings.PUBLIC_URL, help="Where the server answers.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            project = project_named(options["project"])
            simulation.check_may_simulate(project)
            shares = _shares(options["kinds"]) or markers.USUAL
            members = markers.make_crowd(options["workers"], seed=options["seed"], shares=shares)
        except NotFound as error:
            raise CommandError(f"There is no project {options['project']!r}.") from error
        except Conflict as error:
            raise CommandError(error.detail) from error
        except ValueError as error:
            raise CommandError(str(error)) from error
        for one in members:
            one.name = f"{simulation.NAME_PREFIX}{options['seed']}-{one.name}"
        address = f"{options['url'].rstrip('/')}/api/v1/work/"
        try:
            with httpx.Client(base_url=address, timeout=PATIENCE_S) as client:
                self._work(client, project, members, options)
        except httpx.HTTPError as error:
            raise CommandError(
                f"Nothing answers at {options['url']} ({error}). Start the server, or name its address with --url."
            ) from error
        self._tell(project, members, options)

    def _work(
        self, client: httpx.Client, project: Project, members: Sequence[markers.Member], options: dict[str, Any]
    ) -> None:
        apis = {}
        for one in members:
            link = simulation.enrol_simulated(project=project, name=one.name, at=timezone.now())
            apis[one.name] = HttpWorkApi(client, link.token)
            apis[one.name].enter()

        def look_up(assignment: str) -> KnownTask:
            known = simulation.task_truth(assignment)
            truth = _truth(project, known.key, options) if known.truth is None else known.truth
            return KnownTask(known.key, truth, known.moment_s)

        start, done, away = time.monotonic(), 0, set[str]()
        for number, one in enumerate(
            markers.turn_order(list(members), options["answers"], seed=options["seed"]), start=1
        ):
            if one.name not in away:
                try:
                    turn = take_turn(apis[one.name], one, look_up=look_up)
                except Refused as refused:
                    self._say(f"{one.name}: {refused.code or refused.status}")
                    turn = None
                done += turn is not None
                if turn is None:
                    away.add(one.name)
            if number % (10 * len(members)) == 0:
                self._say(f"{done} answers after {time.monotonic() - start:.0f} s; {len(away)} workers have stopped")

    def _tell(self, project: Project, members: Sequence[markers.Member], options: dict[str, Any]) -> None:
        if project.consensus_method != Method.MAJORITY:
            # The background job would do this within seconds; the command's results should include it now.
            refit(project_id=project.pk, at=timezone.now())
        by_kind = defaultdict(list)
        for one, result in zip(members, simulation.worker_results(project, [one.name for one in members]), strict=True):
            by_kind[one.kind].append(result)
        self._say(f"\n{'kind':<16}{'workers':>8}{'answers':>9}{'references':>12}{'accuracy':>10}{'paused':>8}  after")
        for kind, rows in by_kind.items():
            accuracies = [row.balanced_accuracy for row in rows if row.balanced_accuracy is not None]
            accuracy = f"{fmean(accuracies):.2f}" if accuracies else "—"
            paused = sorted(row.paused_after for row in rows if row.paused_after is not None)
            answers, references = sum(row.answers for row in rows), sum(row.references for row in rows)
            after = ", ".join(map(str, paused)) + (" references" if paused else "")
            self._say(f"{kind:<16}{len(rows):>8}{answers:>9}{references:>12}{accuracy:>10}{len(paused):>8}  {after}")
        found = simulation.task_results(project, lambda key: _truth(project, key, options))
        self._say(
            f"\n{found.settled} of {found.tasks} tasks are settled by crowds like this alone, "
            f"{found.needs_review} of them for review."
        )
        if found.settled:
            self._say(
                f"{found.right} of them are right ({found.right / found.settled:.1%}), after "
                f"{found.annotations / found.settled:.2f} annotations a task. "
                f"People would have cost {found.cost:.2f} {found.currency} so far."
            )

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _truth(project: Project, key: str, options: dict[str, Any]) -> bool:
    """The simulated truth of an ordinary task, the same for every crowd, so that a second crowd adds to the first."""
    return markers.truth_of(key, seed=project.slug, successes=options["successes"])


def _shares(text: str) -> dict[str, float]:
    """`honest=0.8,spammer=0.2` as numbers; empty for an empty text.

    Raises:
        ValueError: The text has another form.
    """
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return {kind.strip(): float(share) for kind, _, share in pairs}
