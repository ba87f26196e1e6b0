"""Guesses: a worker accepts the agent's form of a command or corrects a part of it; references have guesses too."""

from typing import Any

import pytest

from annotation.models import Annotation, Assignment, Chain, Consensus, Guess, Project, Task
from annotation.references.references import may_promote
from annotation.tools.parse import guesses
from annotation.tools.parse.guess_figures import kinds_of
from annotation.work.posting import TaskBody, post_tasks
from lib.logical_form.asking.walk import record_of, walk
from lib.logical_form.normal import same
from tests.support.builders import NOON, make_project, make_worker
from tests.support.tool_workers import claim, form_of, hand_in, perfect, take_step, work_through

pytestmark = pytest.mark.django_db

TEXT, CHECK = "build a red tower", "build a red house"
TRUE, WRONG = form_of(has_name=3, has_colour=2), form_of(has_name=3)
NAME_WRONG = form_of(has_name=2, has_colour=2)
TELLS = "/event_sequence/0/schematic/filters#parts?tells"
NAME = "/event_sequence/0/schematic/filters#details1?has_name"
knows = perfect({TEXT: TRUE, CHECK: TRUE})


def _project(*, blank_share: float = 0.0, **changes: Any) -> Project:
    return make_project(tool="parse", settings={"blank_share": blank_share}, **changes)


def _post(project: Project, key: str, text: str = TEXT, *, reference: Any = None, **payload: Any) -> Task:
    body = TaskBody(key=key, payload={"text": text, **payload})
    if reference is not None:
        body["reference"] = {"answers": [{"form": form} for form in reference], "tolerance_s": None}
    post_tasks(project=project, bodies=[body], at=NOON)
    return Task.objects.get(project=project, key=key)


def test_a_right_guess_is_accepted_in_one_answer(as_worker: Any) -> None:
    project = _project()
    task = _post(project, "c1", parse=TRUE)
    client = as_worker(project, make_worker())
    held = claim(client)
    assert held is not None
    shown = held["payload"]["guess"]
    assert same(shown["form"], TRUE)
    assert "red" in shown["words"]
    assert {one["text"] for one in shown["parts"]} >= {"tower", "red"}
    assert hand_in(client, held["assignment"], {"answers": {}, "accept": True}).status_code == 201
    assert claim(client) is None
    task.refresh_from_db()
    assert (task.status, same(task.consensus.answer["form"], TRUE)) == ("done", True)
    assert Annotation.objects.get().with_guess
    assert task.consensus.with_guess
    assert not may_promote(task), "an answer with a guess in view makes no truth"


def test_progress_counts_commands_and_not_their_steps(as_worker: Any) -> None:
    project = _project(blank_share=1.0)
    for number in range(3):
        _post(project, f"c{number}", form=TRUE)
    client = as_worker(project, make_worker())
    seen = []
    for _ in range(6):
        take_step(client, knows)
        found = client.get("/api/v1/work/").json()["progress"]
        seen.append((found["done"], found["done"] + found["open"]))
    assert seen == [(0, 3)] * 4 + [(1, 3)] * 2


@pytest.mark.parametrize(
    ("guess", "wrong", "asked"),
    [(NAME_WRONG, NAME, [["has_name"]]), (WRONG, TELLS, [["tells"], ["has_colour"]])],
    ids=["a word", "a part is missing"],
)
def test_only_the_wrong_part_is_asked(guess: Any, wrong: str, asked: list[Any], as_worker: Any) -> None:
    project = _project()
    task = _post(project, "c1", form=guess)
    client = as_worker(project, make_worker())
    take_step(client, {"answers": {}, "wrong": wrong})
    seen = []
    for _ in asked:
        shown = take_step(client, knows)
        seen.append(shown["asks"])
    last = take_step(client, knows)
    assert seen == asked
    assert last["questions"][0]["id"] == "right"
    assert {one["part"] for one in last["parts"]} >= {NAME, TELLS}
    assert same(Consensus.objects.get(task=task).answer["form"], TRUE)
    assert set(Annotation.objects.values_list("with_guess", flat=True)) == {True}


def test_who_answers_the_blank_questions_has_set_the_guess_aside(as_worker: Any) -> None:
    project = _project()
    task = _post(project, "c1", form=WRONG)
    work_through(as_worker(project, make_worker()), knows)
    task.refresh_from_db()
    assert not Annotation.objects.filter(with_guess=True).exists()
    assert may_promote(task)


@pytest.mark.parametrize("answer", [{"accept": True, "wrong": NAME}, {"wrong": "/nowhere#"}, {"accept": True}])
def test_what_is_said_of_a_guess_must_fit_it(answer: Any, as_worker: Any) -> None:
    project = _project(blank_share=float(answer == {"accept": True}))
    _post(project, "c1", form=WRONG)
    client = as_worker(project, make_worker())
    held = claim(client)
    assert held is not None
    assert hand_in(client, held["assignment"], {"answers": {}, **answer}).status_code == 422


@pytest.mark.long
def test_the_share_of_blank_tasks_is_drawn_for_worker_and_command(as_worker: Any) -> None:
    project = _project(blank_share=0.3)
    for number in range(60):
        _post(project, f"c{number}", form=WRONG)
    client = as_worker(project, make_worker())
    first = claim(client)
    assert first is not None
    seen = []
    for _ in range(60):
        held = claim(client)
        assert held is not None
        seen.append(held["payload"]["guess"] is not None)
        assert Assignment.objects.get(public_id=held["assignment"]).shows_guess == seen[-1]
        hand_in(client, held["assignment"], {"answers": {}, "not_a_command": True})
    assert 30 <= sum(seen) <= 54


def test_a_returned_command_begins_as_it_did_before(as_worker: Any) -> None:
    project = _project(blank_share=0.5)
    _post(project, "c1", form=WRONG)
    client = as_worker(project, make_worker())
    seen = []
    for _ in range(5):
        held = claim(client)
        assert held is not None
        seen.append(held["payload"]["guess"] is None)
        assert client.post(f"/api/v1/work/assignments/{held['assignment']}/release/").status_code == 204
    assert len(set(seen)) == 1


@pytest.mark.by_chance
@pytest.mark.parametrize("have_guesses", [True, False])
def test_a_reference_shows_a_guess_where_the_command_in_its_place_would(have_guesses: bool, as_worker: Any) -> None:
    project = _project(reference_rate=0.5)
    for number in range(20):
        _post(project, f"c{number}", form=WRONG if have_guesses else None)
        _post(project, f"r{number}", CHECK, reference=[TRUE])
    client = as_worker(project, make_worker())
    texts, keys = set(), set()
    for _ in range(20):
        held = claim(client)
        assert held is not None
        texts.add(held["payload"]["text"])
        keys.add(tuple(held["payload"]))
        assert (held["payload"]["guess"] is not None) == have_guesses
        hand_in(client, held["assignment"], {"answers": {}, "not_a_command": True})
    assert texts == {TEXT, CHECK}
    assert len(keys) == 1, "the same fields in the same order"


@pytest.mark.parametrize(
    ("parses", "wrong"),
    [
        pytest.param([WRONG, TRUE], 0.5, id="as they are, without a look at which is wrong"),
        pytest.param([TRUE], 0.3, id="all right: so many are made wrong that accepting all is found out"),
        pytest.param([None], 0.75, id="none: as a parser of which nothing is known"),
        pytest.param([None, WRONG, WRONG, WRONG], 0.98, id="where some bring none, these are as the others are"),
    ],
)
def test_the_guess_of_a_reference_is_its_parse_and_wrong_as_often_as_those_of_tasks(parses: Any, wrong: float) -> None:
    project = _project()
    bodies = [
        TaskBody(
            key=f"r{number}",
            payload={"text": CHECK, **({"form": form} if (form := parses[number % len(parses)]) else {})},
            reference={"answers": [{"form": TRUE}], "tolerance_s": None},
        )
        for number in range(200)
    ]
    post_tasks(project=project, bodies=bodies, at=NOON)
    made = {row.task: walk(row.record).form for row in Guess.objects.select_related("task")}
    assert len(made) == 200
    assert sum(not same(form, TRUE) for form in made.values()) / 200 == pytest.approx(wrong, abs=0.1)
    if WRONG in parses:
        assert all(same(form, task.payload["form"]) for task, form in made.items() if "form" in task.payload)
    reference = Task.objects.filter(project=project, part_of=None).latest("pk")
    guesses.renew_guess(reference)
    assert same(walk(Guess.objects.get(task=reference).record).form, made[reference])


@pytest.mark.parametrize(
    ("parses", "spoiled", "mended"),
    [((4, 4), 0.0, 0.0), ((30, 40), 0.0, 1 / 3), ((10, 40), 1 / 3, 0.0), ((19, 40), 0.0, 0.0)],
    ids=["too few to tell", "wrong too often", "right too often", "within chance"],
)
def test_parses_of_references_are_changed_only_where_they_clearly_differ_from_those_of_tasks(
    parses: tuple[int, int], spoiled: float, mended: float
) -> None:
    odds = guesses.odds_of((100, 200), parses)
    assert odds[:2] == pytest.approx((spoiled, mended))


@pytest.mark.long
def test_who_always_accepts_is_found_out_within_twenty_references(as_worker: Any) -> None:
    project = _project(blank_share=0.3, reference_rate=1.0)
    for number in range(20):
        _post(project, f"c{number}", form=WRONG)
        _post(project, f"r{number}", CHECK, reference=[TRUE])
    client = as_worker(project, make_worker())
    while (held := claim(client)) is not None:
        guessed = held["payload"]["guess"] is not None
        hand_in(client, held["assignment"], {"answers": {}, "accept": True} if guessed else knows(held["payload"]))
    scored = Annotation.objects.filter(answer__accept=True).scored()
    scores = [score or 0.0 for score in scored.values_list("score", flat=True)]
    assert len(scores) >= 10
    assert sum(scores) / len(scores) < 0.5
    with_guess, blank = kinds_of(project)
    assert (with_guess.forms, blank.right) == (len(scores), 1.0)
    assert with_guess.right == pytest.approx(sum(scores) / len(scores))


def test_a_corrected_reference_is_scored_part_by_part(as_worker: Any) -> None:
    project = _project(reference_rate=1.0)
    _post(project, "c1", form=WRONG)
    task = _post(project, "r1", CHECK, reference=[TRUE])
    record = Guess.objects.get(task=task)
    Guess.objects.filter(pk=record.pk).update(record=record_of(NAME_WRONG))
    first = task.parts.get()
    first.truth.answers = [{**one, "guess_is_right": False} for one in first.truth.answers]
    first.truth.save()
    client = as_worker(project, make_worker())
    take_step(client, {"answers": {}, "wrong": NAME})
    take_step(client, {"answers": {"has_name": [[1, 1]]}})
    take_step(client, {"answers": {"right": False, "wrong": NAME}})
    take_step(client, knows)
    take_step(client, {"answers": {"right": True}})
    scores = Annotation.objects.filter(task__part_of=task).order_by("pk").values_list("score", flat=True)
    assert list(scores) == [1.0, 0.0, 1.0, 1.0, 1.0]
    assert Chain.objects.get(task=task, worker__isnull=False).with_guess
