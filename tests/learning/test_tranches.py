"""Tranches: what belongs to each, in which split, and what stays as it is once one is closed."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Project, Task
from audit.models import AuditEvent
from events.models import Event
from jobs import outbox
from jobs.models import Job
from learning.data import tranches
from learning.data.truths import answers_behind, form_may_test
from learning.models import Item, Tranche
from lib.splits import same_words, split_of
from tests.support.tool_workers import (
    Enter,
    decided,
    make_parse_project,
    make_voxels_project,
    marks,
    post_command,
    post_phrases,
    scene,
    work,
    worked,
)

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
EARLIER, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
NOOP = {"dialogue_type": "NOOP"}
DANCE = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DANCE"}]}


def texts_in(split: str, number: int = 1) -> list[str]:
    """So many texts whose split is this one."""
    found = (f"dance {word} times" for word in range(10_000))
    return [text for text in found if split_of("nlu", text) == split][:number]


def put(pipe: APIClient, n: int = 1, status: int = 201, **body: Any) -> Json:
    answer = pipe.put(f"/api/v1/tranches/nlu/{n}/", {"project": "p", **body})
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def close(pipe: APIClient, n: int = 1, status: int = 200) -> Json:
    answer = pipe.post(f"/api/v1/tranches/nlu/{n}/close/", {})
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def fill(pipe: APIClient, *items: Json, module: str = "nlu", status: int = 200) -> Json:
    answer = pipe.post(f"/api/v1/tranches/{module}/0/items/", {"items": list(items)})
    assert answer.status_code == status, answer.content
    found: Json = answer.json()
    return found


def lines(pipe: APIClient, split: str, n: int = 1, module: str = "nlu") -> list[Json]:
    answer = pipe.get(f"/api/v1/tranches/{module}/{n}/{split}.jsonl")
    assert answer.status_code == 200
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def annotated(text: str, as_worker: Enter, *, form: Json = NOOP, workers: int = 1, **payload: Any) -> Task:
    """A command that so many workers gave this form."""
    project = Project.objects.get(slug="p")
    task = post_command(project, f"c{Task.objects.filter(part_of=None).count()}", text, **payload)
    worked(project, as_worker, {text: form}, workers=workers)
    return task


# Splits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Build a house", "  build   a HOUSE ", "ｂｕｉｌｄ a house"])
def test_case_spacing_and_width_change_no_split(text: str) -> None:
    digest = hashlib.sha256(b"nlu:build a house").hexdigest()
    assert (int(digest[:8], 16) % 10, split_of("nlu", same_words(text))) == (5, "train")


def test_eight_in_ten_are_learnt_from_and_one_each_chooses_and_tests() -> None:
    found = [split_of("nlu", str(number)) for number in range(5000)]
    assert [round(found.count(name) / 5000, 1) for name in ("train", "valid", "test")] == [0.8, 0.1, 0.1]


# Tranche 0 ---------------------------------------------------------------------------------------------------------


def test_posted_items_are_kept_once_and_another_truth_is_refused(pipe: APIClient) -> None:
    (test,) = texts_in("test")
    train, second = texts_in("train", 2)
    items = [{"text": text, "form": DANCE} for text in (train, test)]
    assert fill(pipe, *items) == {"created": 2, "unchanged": 0}
    again = [{"text": f" {train.upper()} ", "form": DANCE}, {"text": second, "form": DANCE}]
    assert fill(pipe, *again) == {"created": 1, "unchanged": 1}
    problem = fill(pipe, {"text": texts_in("train", 3)[2], "form": NOOP}, {"text": train, "form": NOOP}, status=409)
    assert [error["pointer"] for error in problem["errors"]] == ["#/items/1"]
    (shown,) = pipe.get("/api/v1/tranches/").json()
    assert {name: shown[name] for name in ("module", "n", "status", "train", "valid", "test", "sha256")} == {
        "module": "nlu",
        "n": 0,
        "status": "open",
        "train": 2,
        "valid": 0,
        "test": 1,
        "sha256": None,
    }
    (line,) = lines(pipe, "test", n=0)
    assert line == {
        "item": hashlib.sha256(f"nlu:{test}".encode()).hexdigest(),
        "text": test,
        "form": DANCE,
        "origin": "posted",
    }


@pytest.mark.parametrize(
    ("module", "item", "pointer"),
    [
        ("nlu", {"text": "dance"}, "#/items/0"),
        ("nlu", {"text": "dance", "form": {"dialogue_type": "SING"}}, "#/items/0/form/dialogue_type"),
        ("vision", {"scene": "nothing", "phrase": "it", "voxels": []}, "#/items/0/scene"),
        ("vision", {"scene": scene(), "phrase": " ", "voxels": []}, "#/items/0/phrase"),
        ("vision", {"scene": scene(), "phrase": "it", "voxels": [[99, 0, 0]]}, "#/items/0/voxels/0"),
    ],
)
def test_an_item_that_is_none_is_refused_with_its_place(module: str, item: Json, pointer: str, pipe: APIClient) -> None:
    problem = fill(pipe, item, module=module, status=422)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert not Item.objects.exists()


def test_all_phrases_of_a_scene_lie_in_one_split(pipe: APIClient) -> None:
    phrases = [{"scene": scene(), "phrase": phrase, "voxels": [[0, 0, 0]]} for phrase in ("it", "the red one", "all")]
    fill(pipe, *phrases, module="vision")
    fill(pipe, {"scene": scene(), "phrase": " The  RED one", "voxels": [[0, 0, 0]]}, module="vision")
    (split,) = set(Item.objects.values_list("split", flat=True))
    assert [line["phrase"] for line in lines(pipe, split, n=0, module="vision")] == ["it", "the red one", "all"]


# What a later tranche collects --------------------------------------------------------------------------------------


def test_a_tranche_is_a_query_until_it_is_closed_and_then_stays(pipe: APIClient, as_worker: Enter) -> None:
    project = make_parse_project("p")
    put(pipe)
    first, second = texts_in("train", 2)
    annotated(first, as_worker)
    assert (put(pipe, status=200)["train"], [line["text"] for line in lines(pipe, "train")]) == (1, [first])
    shown = close(pipe)
    assert (shown["status"], shown["train"], len(shown["sha256"])) == ("closed", 1, 64)
    assert close(pipe) == shown
    # What comes after the closing belongs to the next tranche, and a repeat of a closed item to none.
    annotated(second, as_worker)
    annotated(f" {first.upper()}", as_worker)
    put(pipe, 2)
    assert [[line["text"] for line in lines(pipe, "train", n)] for n in (1, 2)] == [[first], [second]]
    assert put(pipe, status=200) == shown
    assert "closed" in put(pipe, status=409, close_after=5)["detail"]
    event = Event.objects.get(type="tranche.closed")
    assert (event.subject, event.scope, event.data["train"]) == ("nlu/1", f"project:{project.slug}", 1)
    assert AuditEvent.objects.filter(verb="tranche.closed", project="p").count() == 1


def test_a_truth_that_changes_later_stands_in_the_next_tranche(pipe: APIClient, as_worker: Enter) -> None:
    make_parse_project("p")
    put(pipe)
    (text,) = texts_in("train")
    task = annotated(text, as_worker)
    close(pipe)
    decided(task, DANCE)
    put(pipe, 2)
    assert [lines(pipe, "train", n)[0]["form"] for n in (1, 2)] == [NOOP, DANCE]


@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_a_test_item_needs_two_workers_who_agree(given_to: str, pipe: APIClient, as_worker: Enter) -> None:
    one, two, three = texts_in("test", 3)
    make_parse_project("p", given_to=given_to)
    put(pipe)
    task = annotated(one, as_worker)
    assert lines(pipe, "test") == []
    # An adjudication takes the place of agreement, and not of the second worker.
    decided(task, NOOP)
    assert lines(pipe, "test") == []
    Project.objects.update(redundancy=2)
    annotated(two, as_worker, workers=2)
    assert [line["text"] for line in lines(pipe, "test")] == [two]
    assert sorted(line["text"] for line in lines(pipe, "valid") + lines(pipe, "train")) == []
    assert three not in str(lines(pipe, "test"))


def test_workers_who_differ_make_a_test_item_only_with_an_adjudication(pipe: APIClient, as_worker: Enter) -> None:
    (text,) = texts_in("test")
    project = make_parse_project("p", redundancy=2)
    put(pipe)
    task = post_command(project, "c", text)
    worked(project, as_worker, {text: NOOP})
    worked(project, as_worker, {text: DANCE})
    assert lines(pipe, "test") == []
    decided(task, DANCE)
    assert [line["form"] for line in lines(pipe, "test")] == [DANCE]


def test_an_answer_that_began_with_the_agents_form_tests_nothing(pipe: APIClient) -> None:
    with_guess, without = texts_in("test", 2)
    project = make_parse_project("p", given_to="experts", redundancy=2)
    put(pipe)
    post_command(project, "a", with_guess, form=NOOP)
    post_command(project, "b", without)
    for name in ("ann", "ben"):
        work(project, name, lambda _: {"form": NOOP})
    assert [line["text"] for line in lines(pipe, "test")] == [without]


def test_a_consensus_that_rests_on_a_guess_tests_nothing(pipe: APIClient, as_worker: Enter) -> None:
    (text,) = texts_in("test")
    make_parse_project("p", redundancy=2)
    task = annotated(text, as_worker, workers=2)
    task = Task.objects.select_related("project", "consensus").get(pk=task.pk)
    answers = answers_behind([task])[task.pk]
    assert form_may_test(task, answers)
    setattr(task.consensus, "with_guess", True)  # noqa: B010 - whichever column says so
    assert not form_may_test(task, answers)


def test_masks_of_two_workers_test_where_they_nearly_agree(pipe: APIClient) -> None:
    project = make_voxels_project("p", redundancy=2)
    answer = pipe.put("/api/v1/tranches/vision/1/", {"project": "p"})
    assert answer.status_code == 201
    post_phrases(project, {"a": "it"})
    digest = Task.objects.get(key="a").payload["scene"]
    split = split_of("vision", digest)
    work(project, "ann", lambda _: marks([[0, 0, 0]]))
    assert lines(pipe, split, module="vision") == []
    work(project, "ben", lambda _: marks([[0, 0, 0]]))
    (line,) = lines(pipe, split, module="vision")
    assert (line["scene"], line["phrase"], line["voxels"]) == (digest, "it", [[0, 0, 0]])


def test_the_next_open_tranche_leaves_items_to_the_one_before(pipe: APIClient, as_worker: Enter) -> None:
    make_parse_project("p")
    put(pipe, 1)
    put(pipe, 2)
    annotated(texts_in("train")[0], as_worker)
    assert [len(lines(pipe, "train", n)) for n in (1, 2)] == [1, 0]
    assert "Close tranche 1 first" in close(pipe, 2, status=409)["detail"]
    later = timezone.now() + timedelta(hours=1)
    put(pipe, 1, status=200, opens_at=later.isoformat())
    assert [len(lines(pipe, "train", n)) for n in (1, 2)] == [0, 1]


# Closing by itself ----------------------------------------------------------------------------------------------------


def _minute_passes() -> None:
    tranches.ask_for_closing(timezone.now())
    for pk in Job.objects.unfinished().filter(kind=tranches.CLOSE).values_list("pk", flat=True):
        outbox.run(pk)


@pytest.mark.parametrize("rule", ["close_after", "closes_at"])
def test_a_tranche_closes_by_its_count_or_date(rule: str, pipe: APIClient, as_worker: Enter) -> None:
    make_parse_project("p")
    first, second = texts_in("train", 2)
    put(pipe, **({"close_after": 2} if rule == "close_after" else {"closes_at": "2100-01-01T00:00:00Z"}))
    annotated(first, as_worker)
    _minute_passes()
    assert Tranche.objects.get().status == "open"
    annotated(second, as_worker)
    if rule == "closes_at":
        Tranche.objects.update(closes_at=timezone.now())
    _minute_passes()
    assert (Tranche.objects.get().status, Tranche.objects.get().train) == ("closed", 2)
    assert AuditEvent.objects.get(verb="tranche.closed").actor == "rule:tranche"


@pytest.mark.parametrize(
    ("path", "body", "status", "pointer"),
    [
        ("nlu/1", {"project": "nowhere"}, 422, "#/project"),
        ("vision/1", {"project": "p"}, 422, "#/project"),
        ("nlu/1", {"project": "p", "opens_at": LATER, "closes_at": EARLIER}, 422, "#/closes_at"),
        ("smell/1", {"project": "p"}, 404, None),
    ],
)  # fmt: skip
def test_a_tranche_that_cannot_be_is_refused(
    path: str, body: Json, status: int, pointer: str | None, pipe: APIClient
) -> None:
    make_parse_project("p")
    answer = pipe.put(f"/api/v1/tranches/{path}/", body)
    assert answer.status_code == status
    assert [error["pointer"] for error in answer.json()["errors"]] == ([pointer] if pointer else [])


def test_a_tranche_without_items_is_not_closed(pipe: APIClient) -> None:
    make_parse_project("p")
    put(pipe)
    assert "no items" in close(pipe, status=409)["detail"]
