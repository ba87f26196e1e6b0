"""Nothing that a worker receives tells a reference from another task."""

import re
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from annotation.models import Assignment, Project, Task
from annotation.work import claims
from evaluation.models import Episode
from tests.support.api_clients import Browserless, with_token
from tests.support.builders import make_project, make_task, make_worker, token_for

WORDS = ("reference", "truth", "score", "correct", "gold", "is_", "redundancy", "priority", "worker")
RANDOM = re.compile(r"(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{16,}", re.ASCII)
"""Ids and signatures: in so many random letters any short word turns up. Names here have no capitals."""
VARIES = {"assignment", "annotation", "lease_expires_at", "url", "poster_url", "urls"}
HEADERS_THAT_VARY = {"X-Request-Id"}


def _shape(value: Any, name: str = "") -> Any:
    """A value in which each part that must differ from task to task is replaced by its form."""
    match value:
        case dict():
            return [(key, _shape(inner, key)) for key, inner in value.items()]
        case list():
            return [_shape(inner, name) for inner in value]
        case str() if name in VARIES:
            # A clip's address is hold:time:signature and a name; an id is 22 characters; a time keeps its digits.
            return (
                re.sub(r"[0-9]", "9", value)
                if name == "lease_expires_at"
                else [len(part) for part in re.split("[:/]", value)]
            )
    return value


class Watched(Browserless):
    """A worker's browser that keeps all it receives."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.received: list[tuple[str, int, Any, Any]] = []

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        response = self.send(method, f"/api/v1/work/{path}", body or {}, format="json")
        headers = sorted((key, value) for key, value in response.items() if key not in HEADERS_THAT_VARY)
        shown = response.json() if response.content else None
        self.text += f"{response.content.decode()} {headers}\n"
        name = re.sub(r"assignments/[^/]+", "assignments/ID", f"{method} {path}")
        length = [(key, value) for key, value in headers if key != "Content-Length"]
        self.received.append((name, response.status_code, length, _shape(shown)))
        return shown


def _serve(project: Project, *, references: bool) -> None:
    """From now on nothing but references, or none: where a test must meet both, chance does not decide."""
    Project.objects.filter(pk=project.pk).update(reference_rate=float(references))


def _watched(project: Project, name: str) -> Watched:
    client = Watched()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(project, make_worker(name))}")
    return client


def _progress(client: Watched) -> tuple[int, int, float]:
    shown = client.ask("GET", "")
    return shown["progress"]["done"], shown["progress"]["open"], float(shown["earned"]["amount"])


def _round(client: Watched) -> tuple[bool, Any] | None:
    """One task from claim to answer; whether it was a reference, and all that was received meanwhile."""
    client.received.clear()
    before = _progress(client)
    shown = client.ask("POST", "claim/")
    if shown is None:
        return None
    held = shown["assignment"]
    claimed = _progress(client)
    client.ask("POST", "claim/")
    client.ask("PATCH", f"assignments/{held}/", {"draft": {"frame": 20}})
    client.ask("POST", f"assignments/{held}/heartbeat/")
    client.ask("POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 1}})
    client.ask("POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 20}, "active_s": 3})
    client.ask("POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 20}})
    client.ask("POST", f"assignments/{held}/submit/", {"answer": {"outcome": "failure", "frame": 21}})
    client.ask("POST", f"assignments/{held}/correct/", {"answer": {"outcome": "failure", "frame": 21}})
    client.ask("POST", f"assignments/{held}/correct/", {"answer": {"outcome": "failure", "frame": 21}})
    after = _progress(client)
    moves = [
        tuple(round(b - a, 6) for a, b in zip(old, new, strict=True))
        for old, new in ((before, claimed), (claimed, after))
    ]
    looked = [entry for entry in client.received if entry[0] != "GET "]
    return Assignment.objects.get(public_id=held).task.is_reference, (moves, looked)


def make_both(number: int, *, rate: float) -> Project:
    """So many references and as many other tasks."""
    project = make_project(reference_rate=rate, redundancy=2, base_pay=Decimal("0.30"))
    for place in range(number):
        make_task(project)
        make_task(project, truth="success" if place % 2 else "failure", truth_s=2.0)
    return project


@pytest.fixture
def project(db: None) -> Project:
    return make_both(12, rate=0.5)


@pytest.mark.django_db
@pytest.mark.by_chance
def test_two_workers_see_no_difference_between_references_and_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_random", Random(7))
    project = make_both(6, rate=0.75)
    seen: dict[bool, list[Any]] = {True: [], False: []}
    clients = [_watched(project, name) for name in ("alice", "bob")]
    for _ in range(12):
        for client in clients:
            found = _round(client)
            if found is not None:
                seen[found[0]].append(found[1])
    assert len(seen[False]) == 12
    assert seen[True]
    expected = seen[False][0]
    assert expected[0] == [(0, 0, 0), (1, -1, 0.3)], "one more done, one fewer ahead, whatever it was"
    for got in seen[True] + seen[False]:
        assert got == expected


def test_no_word_of_the_other_side_reaches_a_worker(project: Project) -> None:
    client = _watched(project, "alice")
    for references in (False, True, False, True):
        _serve(project, references=references)
        found = _round(client)
        assert found is not None
        assert found[0] == references
    told = RANDOM.sub("", client.text).lower()
    assert '"annotation"' in told
    assert [word for word in WORDS if word in told] == []
    names = {task.key for task in Task.objects.all()}
    for episode in Episode.objects.select_related("agent", "scenario"):
        names |= {episode.external_id, episode.agent.slug, episode.scenario.key, episode.folder.lower()}
    assert len(names) > 100
    assert names & set(re.findall(r"[a-z0-9_-]+", told)) == set()


def test_a_task_held_ahead_looks_like_any_other(project: Project) -> None:
    shapes: dict[bool, set[str]] = {True: set(), False: set()}
    client = _watched(project, "alice")
    for number in range(10):
        for path in ("claim/", "ahead/"):
            _serve(project, references=number % 3 == 0)
            shown = client.ask("POST", path)
            if shown is not None:
                is_reference = Assignment.objects.get(public_id=shown["assignment"]).task.is_reference
                shapes[is_reference].add(repr(_shape(shown)))
        held = client.ask("POST", "claim/")["assignment"]
        client.ask("POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 20}})
    assert len(shapes[False]) == 1
    assert shapes[True] == shapes[False]


def test_refusing_either_kind_reads_the_same(project: Project) -> None:
    seen: dict[bool, list[Any]] = {True: [], False: []}
    client = _watched(project, "alice")
    for number in range(8):
        _serve(project, references=number % 2 == 0)
        client.received.clear()
        shown = client.ask("POST", "claim/")
        held = shown["assignment"]
        is_reference = Assignment.objects.get(public_id=held).task.is_reference
        act, body = (("report", {"problem": "ambiguous"}), ("release", None))[number // 4]
        client.ask("POST", f"assignments/{held}/{act}/", body)
        client.ask("POST", f"assignments/{held}/heartbeat/")
        seen[is_reference].append([entry[:3] for entry in client.received])
    assert len(seen[True]) == len(seen[False]) == 4
    assert seen[True] == seen[False]


def test_the_files_of_both_kinds_have_the_same_headers(project: Project) -> None:
    client = _watched(project, "alice")
    headers: dict[bool, set[str]] = {True: set(), False: set()}
    for references in (False, True, True, False):
        _serve(project, references=references)
        shown = client.ask("POST", "claim/")
        held = shown["assignment"]
        video = Browserless().get(shown["payload"]["video"]["url"])
        assert video.status_code == 200
        is_reference = Assignment.objects.get(public_id=held).task.is_reference
        headers[is_reference].add(repr(sorted(key for key, _ in video.items())) + str(len(video["ETag"])))
        client.ask("POST", f"assignments/{held}/submit/", {"answer": {"outcome": "success", "frame": 20}})
    assert headers[True] == headers[False]
    assert len(headers[True]) == 1


def test_nothing_but_the_rate_decides_whether_the_number_ahead_is_exact(db: None) -> None:
    project = make_project(reference_rate=0.0)
    for _ in range(3):
        make_task(project)
    make_task(project, truth="success")
    client = _watched(project, "alice")
    assert _progress(client)[:2] == (0, 3)
    _round(client)
    assert _progress(client)[:2] == (1, 2)
    assert with_token(token_for(project, make_worker("bob"))).get("/api/v1/work/").json()["progress"]["open"] == 2
