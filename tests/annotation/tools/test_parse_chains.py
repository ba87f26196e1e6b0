"""Commands on their way: steps back, doubts, what is given back, what a person decides in between."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from annotation.consensus.consensus import renew
from annotation.models import Assignment, Chain, Consensus, Project, Task
from annotation.review import adjudication
from annotation.tools.parse import chains
from annotation.tools.parse.chains import IDLE_AFTER, leave_idle
from annotation.work.leases import expire_overdue
from annotation.work.posting import change_redundancy
from lib.faults import Conflict
from lib.logical_form.normal import same
from tests.annotation.tools.test_parse import STEPS, TEXT, TOWER
from tests.support.builders import NOON, make_worker
from tests.support.tool_workers import claim, make_parse_project, perfect, post_commands, take_step, work_through
from workforce.models import Worker

pytestmark = pytest.mark.django_db

MODES = ("one_worker", "many_workers")
UNKNOWN: dict[str, Any] = {"answers": {}, "unknown": True}
NO_COMMAND: dict[str, Any] = {"answers": {}, "not_a_command": True}
knows = perfect({TEXT: TOWER})
NOOP = {"dialogue_type": "NOOP"}


@pytest.fixture
def boss(db: None) -> User:
    return User.objects.create_superuser("boss")


def _command(project: Project) -> Task:
    return post_commands(project, {"c1": TEXT})[0]


def _form(task: Task) -> Any:
    return Consensus.objects.get(task=task).answer["form"]


def _status(task: Task) -> str:
    return str(Task.objects.get(pk=task.pk).status)


def _until_last(client: Any) -> None:
    """All steps but the last."""
    while _held(client)["payload"]["questions"][0]["id"] != "right":
        take_step(client, knows)


def _held(client: Any) -> dict[str, Any]:
    """The step that the worker holds or is given now."""
    held = claim(client)
    assert held is not None, "nothing is open to this worker"
    return held


def _key_of(payload: dict[str, Any], start: str) -> str:
    values: list[str] = [one["value"] for one in payload["questions"][1]["options"]]
    return next(value for value in values if value.startswith(start))


# Answers that are no answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("given_to", MODES)
def test_a_worker_who_cannot_tell_sends_it_to_a_reviewer(given_to: str, as_worker: Any) -> None:
    task = _command(make_parse_project(given_to=given_to))
    client = as_worker(task.project, make_worker())
    take_step(client, knows)
    take_step(client, UNKNOWN)
    found = Consensus.objects.get(task=task)
    assert (found.answer, found.confidence, found.needs_review) == ({"form": None}, 0.0, True)
    assert claim(client) is None, "nothing more is asked of it"


@pytest.mark.parametrize(("given_to", "after"), [("one_worker", 0), ("one_worker", 2), ("many_workers", 2)])
def test_a_worker_may_say_at_any_step_that_it_is_no_command(given_to: str, after: int, as_worker: Any) -> None:
    task = _command(make_parse_project(given_to=given_to))
    client = as_worker(task.project, make_worker())
    for _ in range(after):
        take_step(client, knows)
    take_step(client, NO_COMMAND)
    assert (_form(task), _status(task)) == (NOOP, "done")
    assert claim(client) is None


@pytest.mark.parametrize("given_to", MODES)
def test_a_no_at_the_end_goes_back_to_the_part_that_is_named(given_to: str, as_worker: Any) -> None:
    task = _command(make_parse_project(given_to=given_to))
    client = as_worker(task.project, make_worker())
    _until_last(client)

    take_step(client, lambda payload: {"answers": {"right": False, "wrong": _key_of(payload, "/event_sequence/1")}})
    again = _held(client)
    assert again["payload"]["node"]["path"].startswith("/event_sequence/1")
    assert again["payload"]["so_far"]["form"]["event_sequence"][0] == TOWER["event_sequence"][0], "the rest stays"
    work_through(client, knows)
    assert same(_form(task), TOWER)
    assert Chain.objects.get(task=task, worker__isnull=given_to == "many_workers").sent_back == 1


@pytest.mark.parametrize("given_to", MODES)
def test_a_command_sent_back_too_often_goes_to_a_reviewer(
    given_to: str, as_worker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "MOST_SENT_BACK", 1)
    task = _command(make_parse_project(given_to=given_to))
    client = as_worker(task.project, make_worker())
    for _ in range(2):
        assert not Consensus.objects.filter(task=task, needs_review=True).exists()
        _until_last(client)
        take_step(client, lambda payload: {"answers": {"right": False, "wrong": _key_of(payload, "/")}})
    assert claim(client) is None
    assert Consensus.objects.get(task=task).needs_review


def test_one_goes_back_in_a_chain_of_ones_own_only(as_worker: Any) -> None:
    own = _command(make_parse_project())
    client = as_worker(own.project, make_worker())
    first = take_step(client, knows)
    assert first["back"] == [], "there is nothing before the first step"
    take_step(client, {"answers": {}, "back": _held(client)["payload"]["back"][0]["key"]})
    assert _held(client)["payload"]["node"]["step"] == first["node"]["step"]
    work_through(client, knows)
    assert same(_form(own), TOWER)

    shared = _command(make_parse_project(given_to="many_workers"))
    client = as_worker(shared.project, make_worker())
    take_step(client, knows)
    held = _held(client)
    assert held["payload"]["back"] == []
    answer = {"answer": {"answers": {}, "back": first["node"]["step"]}}
    sent = client.post(f"/api/v1/work/assignments/{held['assignment']}/submit/", answer, format="json")
    assert (sent.status_code, sent.json()["errors"][0]["pointer"]) == (422, "#/answer/back")


# Leaving -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["release", "report"])
def test_a_step_that_is_given_back_lets_somebody_else_begin(way: str, as_worker: Any) -> None:
    task = _command(make_parse_project())
    alice, bob = (as_worker(task.project, make_worker()) for _ in range(2))
    take_step(alice, knows)
    assert claim(bob) is None, "the one place is taken"
    held = _held(alice)
    body = {"problem": "ambiguous"} if way == "report" else {}
    for _ in range(2):
        sent = alice.post(f"/api/v1/work/assignments/{held['assignment']}/{way}/", body, format="json")
        assert sent.status_code == 204
        assert task.chains.filter(status="left").count() == 1
    assert claim(alice) is None
    work_through(bob, knows)
    assert same(_form(task), TOWER)
    assert sorted(task.chains.exclude(worker=None).values_list("status", flat=True)) == ["done", "left"]


def test_a_step_whose_time_ended_waits_for_its_worker_and_then_goes_to_others(as_worker: Any) -> None:
    task = _command(make_parse_project())
    alice, bob = (as_worker(task.project, make_worker()) for _ in range(2))
    take_step(alice, knows)
    before = _held(alice)
    Assignment.objects.held().update(lease_expires_at=NOON)
    expire_overdue(at=NOON)
    again = _held(alice)
    assert again["payload"] == before["payload"]
    assert again["assignment"] != before["assignment"]

    late = Chain.objects.get(worker__isnull=False).moved_at + IDLE_AFTER + timedelta(seconds=1)
    Assignment.objects.held().update(lease_expires_at=late + timedelta(seconds=1))
    assert leave_idle(at=late) == 0, "a step that is held is worked on"
    Assignment.objects.held().update(lease_expires_at=NOON)
    expire_overdue(at=NOON)
    assert leave_idle(at=late - timedelta(minutes=1)) == 0
    assert leave_idle(at=late) == 1
    assert leave_idle(at=late) == 0
    assert claim(alice) is None
    work_through(bob, knows)
    assert same(_form(task), TOWER)


def test_a_chain_that_moved_meanwhile_is_not_left(as_worker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = _command(make_parse_project())
    take_step(as_worker(task.project, make_worker()), knows)
    late = Chain.objects.get(worker__isnull=False).moved_at + IDLE_AFTER + timedelta(seconds=1)
    locking = Project.objects.select_for_update

    def moves_first() -> Any:
        Chain.objects.update(moved_at=late)
        return locking()

    monkeypatch.setattr(Project.objects, "select_for_update", moves_first)
    assert leave_idle(at=late) == 0


def test_the_limit_does_not_end_a_command_that_was_begun(as_worker: Any) -> None:
    project = make_parse_project(limit_per_worker=2)
    tasks = post_commands(project, {"c1": TEXT, "c2": TEXT})
    client = as_worker(project, make_worker())
    take_step(client, knows)
    held = _held(client)
    Assignment.objects.held().update(status="expired", closed_at=NOON)
    Task.objects.filter(pk=tasks[0].parts.get(reserved_for__isnull=False).pk).update(open=True, slots_left=1)
    late = client.post(
        f"/api/v1/work/assignments/{held['assignment']}/submit/", {"answer": knows(held["payload"])}, format="json"
    )
    assert late.status_code == 201, "late, and the place was free"
    while client.post("/api/v1/work/claim/", {}, format="json").status_code == 200:
        take_step(client, knows)
    assert client.post("/api/v1/work/claim/", {}, format="json").json()["code"] == "limit_reached"
    assert [_status(task) for task in tasks] == ["done", "open"]


@pytest.mark.parametrize("given_to", MODES)
def test_nothing_is_reserved_ahead_of_an_answer(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    post_commands(project, {"c1": TEXT, "c2": TEXT})
    client = as_worker(project, make_worker())
    claim(client)
    assert client.post("/api/v1/work/ahead/", {}, format="json").status_code == 204


# How many ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given_to", MODES)
def test_more_or_fewer_workers_may_be_wanted_later(given_to: str, as_worker: Any) -> None:
    task = _command(make_parse_project(given_to=given_to))
    project = task.project
    work_through(as_worker(project, make_worker()), knows)
    change_redundancy(project=project, redundancy=2, at=NOON)
    assert _status(task) == "open"
    assert Consensus.objects.get(task=task).settled_at is None
    work_through(as_worker(project, make_worker()), knows)
    for redundancy, status in ((2, "done"), (3, "open"), (2, "done")):
        change_redundancy(project=project, redundancy=redundancy, at=NOON)
        assert _status(task) == status
    assert claim(as_worker(project, make_worker())) is None
    found = Consensus.objects.get(task=task)
    assert (found.confidence, found.annotations) == (1.0, 2 if given_to == "one_worker" else 2 * STEPS)
    assert same(found.answer["form"], TOWER)


def test_more_are_wanted_of_a_command_that_nobody_has_ended(as_worker: Any) -> None:
    task = _command(make_parse_project())
    take_step(as_worker(task.project, make_worker()), knows)
    change_redundancy(project=task.project, redundancy=2, at=NOON)
    assert claim(as_worker(task.project, make_worker())) is not None


@pytest.mark.parametrize("given_to", MODES)
def test_answers_that_do_not_count_any_more_are_asked_for_anew(given_to: str, as_worker: Any) -> None:
    task = _command(make_parse_project(given_to=given_to))
    worker = make_worker()
    work_through(as_worker(task.project, worker), knows)
    Worker.objects.filter(pk=worker.pk).update(weighting="none")
    answered = list(worker.assignments.values_list("task", flat=True))
    renew(project_id=task.project_id, tasks=answered, at=NOON, count_slots=True)
    assert _status(task) == "open"
    other = as_worker(task.project, make_worker())
    work_through(other, knows)
    found = Consensus.objects.get(task=task)
    assert (_status(task), found.settled_at is not None, found.needs_review) == ("done", True, False)
    assert same(found.answer["form"], TOWER)
    assert claim(as_worker(task.project, make_worker())) is None, "no more than are wanted"


@pytest.mark.parametrize("given_to", MODES)
def test_doubt_asks_more_workers(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(
        given_to=given_to, redundancy=2, confidence_wanted=0.6, least_annotations=2, most_annotations=3
    )
    task = _command(project)
    clients = [as_worker(project, make_worker()) for _ in range(3)]
    if given_to == "one_worker":
        other = {**TOWER, "event_sequence": TOWER["event_sequence"][:1]}
        work_through(clients[0], knows)
        work_through(clients[1], perfect({TEXT: other}))
        assert _status(task) == "open", "two who disagree are not enough"
    while any(work_through(client, knows) for client in reversed(clients)):
        pass
    assert _status(task) == "done"
    assert same(_form(task), TOWER)


# What a person decides -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_to", "way"), [("one_worker", "adjudicated"), ("one_worker", "closed"), ("many_workers", "closed")]
)
def test_a_command_that_a_person_ends_is_asked_no_more_until_that_is_taken_back(
    given_to: str, way: str, as_worker: Any, boss: User
) -> None:
    task = _command(make_parse_project(given_to=given_to))
    alice, bob = (as_worker(task.project, make_worker()) for _ in range(2))
    take_step(alice, knows)
    held = _held(alice)
    if way == "adjudicated":
        adjudication.adjudicate(task=task, answer={"form": NOOP}, reason="seen", by=boss, at=NOON)
    else:
        adjudication.close(task=task, reason="nobody can", by=boss, at=NOON)
    assert held == claim(alice), "what is held may still be handed in"
    take_step(alice, knows)
    assert claim(alice) is None
    assert claim(bob) is None

    if way == "adjudicated":
        assert _form(task) == NOOP
        adjudication.take_back(task=task, by=boss, reason="a slip", at=NOON)
    else:
        assert not Consensus.objects.filter(task=task).exists()
        adjudication.reopen(task=task, by=boss, at=NOON)
    again = _held(alice)
    assert again["payload"]["node"]["step"] != held["payload"]["node"]["step"], "they go on where they were"
    work_through(alice, knows)
    assert (_status(task), same(_form(task), TOWER)) == ("done", True)


def test_another_answer_to_a_step_asks_its_following_steps_anew(as_worker: Any, boss: User) -> None:
    task = _command(make_parse_project(given_to="many_workers"))
    client = as_worker(task.project, make_worker())
    work_through(client, knows)
    filters = next(part for part in task.parts.all() if part.payload["step"].endswith("filters#parts"))
    told = Consensus.objects.get(task=filters).answer["answers"]
    answer = {"answers": {**told, "tells": ["has_name"]}}
    adjudication.adjudicate(task=filters, answer=answer, reason="the colour is not said", by=boss, at=NOON)
    assert _status(task) == "open"
    held = _held(client)
    assert [question["id"] for question in held["payload"]["questions"]] == ["has_name"]
    take_step(client, {"answers": {"has_name": [[3, 3]]}})
    take_step(client, {"answers": {"right": True}})
    assert claim(client) is None, "the other action is not asked again"
    built = _form(task)["event_sequence"][0]["schematic"]["filters"]["where_clause"]["AND"]
    assert [clause["pred_text"] for clause in built] == ["has_name"]


def test_a_step_that_waits_is_asked_as_the_answer_before_it_now_says(as_worker: Any, boss: User) -> None:
    task = _command(make_parse_project(given_to="many_workers"))
    client = as_worker(task.project, make_worker())
    while not task.parts.filter(payload__step__endswith="filters#details1").exists():
        take_step(client, knows)
    filters = next(part for part in task.parts.all() if part.payload["step"].endswith("filters#parts"))
    told = Consensus.objects.get(task=filters).answer["answers"]
    answer = {"answers": {**told, "tells": ["has_name", "has_colour", "has_size"]}}
    adjudication.adjudicate(task=filters, answer=answer, reason="tall, too", by=boss, at=NOON)
    details = task.parts.filter(payload__step__endswith="filters#details1").order_by("pk")
    assert [part.status for part in details] == ["withdrawn", "open"]


@pytest.mark.parametrize("given_to", MODES)
def test_one_step_is_not_closed_by_itself(given_to: str, as_worker: Any, boss: User) -> None:
    task = _command(make_parse_project(given_to=given_to))
    part = task.parts.get()
    with pytest.raises(Conflict):
        adjudication.close(task=part, reason="odd", by=boss, at=NOON)
    if given_to == "one_worker":
        with pytest.raises(Conflict):
            adjudication.adjudicate(task=part, answer=UNKNOWN, reason="odd", by=boss, at=NOON)


@pytest.mark.parametrize("given_to", MODES)
def test_a_closed_command_withdraws_its_own_steps_alone(given_to: str, boss: User) -> None:
    project = make_parse_project(given_to=given_to)
    closed, other = post_commands(project, {"c1": TEXT, "c2": "dig a hole"})
    adjudication.close(task=closed, reason="odd", by=boss, at=NOON)
    statuses = [[part.status for part in task.parts.all()] for task in (closed, other)]
    assert statuses == [["withdrawn"], ["open"]]


def test_commands_with_long_keys_that_begin_alike_stay_apart(as_worker: Any) -> None:
    project = make_parse_project()
    keys = [f"{'k' * 127}{number}" for number in range(2)]
    tasks = post_commands(project, dict.fromkeys(keys, TEXT))
    work_through(as_worker(project, make_worker()), knows)
    assert [_status(task) for task in tasks] == ["done", "done"]
