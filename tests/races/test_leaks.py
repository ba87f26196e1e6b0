"""A worker with a good memory and a classifier cannot tell references from tasks by anything that reaches them.

Everything of each task's visit (every field, its length and its characters, headers, order of keys, the leases, the
numbers of progress and pay, the place in the sequence, how many queries the server made) becomes numbers; a classifier
learns on a part of the visits and guesses the others. Its area under the curve must be that of guessing.
"""

import re
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from math import sqrt
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from annotation.models import Assignment, Enrolment, Project
from tests.support.api_clients import Browserless
from tests.support.builders import make_project, make_worker, token_for
from tests.support.crowds import post_many
from web.api import work

pytestmark = [pytest.mark.django_db, pytest.mark.by_chance]

VISITS = 200
RATE = 0.3
SIGMAS = 4.0
"""How far above one half a guesser comes by chance once in 30,000 runs."""
ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
Features = dict[str, float]
Visit = dict[str, Features]
"""The findings of one task's visit, by time: `before` the answer was given and `after`."""


def flatten(value: Any, name: str, into: Features) -> None:
    """All that can be counted of a JSON value: keys in their order, lengths, numbers, kinds of characters."""
    match value:
        case dict():
            into[f"{name}#keys"] = float(len(value))
            for place, (key, inner) in enumerate(value.items()):
                into[f"{name}.{key}#place"] = float(place)
                flatten(inner, f"{name}.{key}", into)
        case list():
            into[f"{name}#items"] = float(len(value))
            for place, inner in enumerate(value[:20]):
                flatten(inner, f"{name}[{place}]", into)
        case bool() | int() | float():
            into[name] = float(value)
        case str():
            characters_of(value, name, into)
        case None:
            into[f"{name}#null"] = 1.0


def characters_of(text: str, name: str, into: Features) -> None:
    into[f"{name}#length"] = float(len(text))
    into[f"{name}#digits"] = float(sum(one.isdigit() for one in text))
    into[f"{name}#capitals"] = float(sum(one.isupper() for one in text))
    into[f"{name}#sum"] = float(sum(map(ord, text)) % 997)
    for part in re.split("[:/]", text)[:6]:
        for place, one in enumerate(part[:4]):
            into[f"{name}#{place}"] = float(ALPHABET.find(one))
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        into[f"{name}#number"] = float(text)


class Memory(Browserless):
    """A worker's browser that turns all it receives into numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Features = {}

    def ask(self, step: str, method: str, path: str, body: Any = None) -> Any:
        connection.queries_log.clear()
        started = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            response = self.send(method, f"/api/v1/work/{path}", body or {}, format="json")
        self.seen[f"{step}@seconds"] = time.perf_counter() - started
        # What the server does after the answer was given is told by time alone, and that is looked at by itself.
        self.seen[f"{step}@queries"] = float(len(queries))
        self.seen[f"{step}@status"] = float(response.status_code)
        self.seen[f"{step}@bytes"] = float(len(response.content))
        for place, (key, header) in enumerate(response.items()):
            self.seen[f"{step}@{key}#place"] = float(place)
            characters_of(str(header), f"{step}@{key}", self.seen)
        shown = response.json() if response.content else None
        flatten(shown, step, self.seen)
        return shown


def visits(project: Project, number: int, *, briefly: bool = False) -> tuple[list[Visit], list[bool]]:
    """A worker's visits and whether each was to a reference; briefly: they only claim and hand in."""
    client = Memory()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(project, make_worker())}")
    seen: list[Visit] = []
    kinds: list[bool] = []
    for place in range(number):
        client.seen = {"place": float(place), "place%10": float(place % 10)}
        if not briefly:
            client.ask("work", "GET", "")
        shown = client.ask("claim", "POST", "claim/")
        held = shown["assignment"]
        began = Assignment.objects.get(public_id=held).claimed_at
        client.seen["lease_s"] = (datetime.fromisoformat(shown["lease_expires_at"]) - began).total_seconds()
        if not briefly:
            client.ask("beat", "POST", f"assignments/{held}/heartbeat/")
        before = client.seen
        client.seen = {}
        client.ask("submit", "POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 20}})
        if not briefly:
            client.ask("repeat", "POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 20}})
        seen.append({"before": before, "after": client.seen})
        kinds.append(Assignment.objects.get(public_id=held).task.is_reference)
    return seen, kinds


def table(rows: list[Features], wanted: Callable[[str], bool]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    names = sorted({name for row in rows for name in row if wanted(name)})
    return np.array([[row.get(name, -1.0) for name in names] for row in rows])


def changes(rows: list[Features]) -> list[Features]:
    """Each visit with what has changed since the visit before: a counter that jumps tells by its jump."""
    first = rows[0]
    return [
        {**now, **{f"{name}~": value - earlier.get(name, value) for name, value in now.items()}}
        for earlier, now in zip([first, *rows], rows, strict=False)
    ]


def area(x: "np.ndarray[Any, np.dtype[np.float64]]", kinds: list[bool]) -> float:
    """The best area under the curve that either classifier reaches on visits that it has not seen."""
    moving = x[:, x.std(axis=0) > 0]
    if moving.shape[1] == 0:
        return 0.5
    folds = StratifiedKFold(6, shuffle=True, random_state=3)
    guessers = (
        HistGradientBoostingClassifier(max_iter=60, max_depth=3, random_state=3),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000)),
    )
    guesses = [cross_val_predict(one, moving, kinds, cv=folds, method="predict_proba")[:, 1] for one in guessers]
    return max(float(roc_auc_score(kinds, guess)) for guess in guesses)


def bound(kinds: list[bool]) -> float:
    """One half and `SIGMAS` standard deviations of what guessing reaches (Mann & Whitney 1947)."""
    n1, n0 = sum(kinds), len(kinds) - sum(kinds)
    return 0.5 + SIGMAS * sqrt((n1 + n0 + 1) / (12 * n1 * n0))


def is_no_time(name: str) -> bool:
    return "@seconds" not in name


def is_shown(name: str) -> bool:
    return is_no_time(name) and "@queries" not in name


@pytest.fixture
def project() -> Project:
    project = make_project(
        reference_rate=RATE,
        redundancy=2,
        base_pay=Decimal("0.07"),
        gates=[{"action": "pause", "below": 0.5, "minimum_n": 1000}],
    )
    [first] = post_many(project, 1)
    episode = first.payload["episode"]
    post_many(project, VISITS, episode=episode)
    for truth in ("success", "failure"):
        post_many(project, VISITS // 4, truth=truth, episode=episode)
    return project


@pytest.mark.slow
def test_nothing_that_a_worker_receives_tells_a_reference_from_a_task(project: Project) -> None:
    seen, kinds = visits(project, VISITS)
    assert 20 < sum(kinds) < VISITS - 60, "by chance not once in a million runs"
    limit = bound(kinds)
    before, after = ([visit[when] for visit in seen] for when in ("before", "after"))

    assert area(table(changes(before), is_no_time), kinds) < limit
    assert area(table(changes(after), is_shown), kinds) < limit
    # By itself, for it is noisy: how long a claim takes, by its rank.
    took = [row["claim@seconds"] for row in before]
    assert 1 - limit < roc_auc_score(kinds, took) < limit
    # After the answer a reference is scored and a task settled: about as much to do, though not the same.
    made = np.array([row["submit@queries"] for row in after])
    of_references, of_tasks = made[np.array(kinds)], made[~np.array(kinds)]
    assert abs(np.median(of_references) - np.median(of_tasks)) <= 3


def _longer_lease(shown: dict[str, Any], held: Assignment) -> dict[str, Any]:
    longer = held.lease_expires_at + timedelta(milliseconds=40)
    return {**shown, "lease_expires_at": longer if held.task.is_reference else held.lease_expires_at}


def _other_order(shown: dict[str, Any], held: Assignment) -> dict[str, Any]:
    return dict(reversed(shown.items())) if held.task.is_reference else shown


def _odd_id(shown: dict[str, Any], held: Assignment) -> dict[str, Any]:
    if held.task.is_reference:
        name = "A" + held.public_id[1:]
        Assignment.objects.filter(pk=held.pk).update(public_id=name)
        return {**shown, "assignment": name}
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("leak", [_longer_lease, _other_order, _odd_id])
def test_a_planted_leak_is_found(leak: Callable[..., Any], project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = work.show_assignment

    def leaky(assignment: Assignment, enrolment: Enrolment) -> dict[str, Any]:
        return leak(honest(assignment, enrolment), assignment)  # type: ignore[no-any-return]

    monkeypatch.setattr(work, "show_assignment", leaky)
    seen, kinds = visits(project, 90, briefly=True)
    rows = changes([visit["before"] for visit in seen])
    assert area(table(rows, is_no_time), kinds) > bound(kinds)
