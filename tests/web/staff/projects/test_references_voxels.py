"""References of a voxels project on the staff's pages: made, shown, corrected; and no page prints a long mask."""

import json
from typing import Any, NamedTuple

import pytest
from django.test import Client

from annotation.models import Annotation, Task, Truth
from tests.annotation.review.test_masks import SHORT, say
from tests.support.builders import Made, for_module, make_qualification
from tests.support.pages import text_of, words_of
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post, post_phrases, scene, work

pytestmark = pytest.mark.django_db
WHY = "All three saw it."
WIDE = {"size": [64, 4, 64], "blocks": [], "agent": None, "player": None}
"""A scene with room for a mask that no page must print."""
LARGE = [[x, 0, z] for x in range(64) for z in range(64)]


class Settled(NamedTuple):
    """A large object on which two people agree; and a known red tower, to which one of two gave a poor answer."""

    task: Task
    reference: Task


def make_settled() -> Settled:
    project = make_voxels_project("towers", redundancy=2)
    [task] = post(project, {"a": {"scene": WIDE, "phrase": "the floor"}})
    say(project, ann=LARGE, ben=LARGE)
    project = make_voxels_project("known", redundancy=2, reference_rate=1.0)
    [reference] = post_phrases(project, {"r": "the red tower"}, reference={"answers": [marks(TOWER)]})
    post_phrases(project, {"b": "the blue thing", "c": "the ground"})
    say(project, ann=TOWER, ben=[[0, 0, 0]])
    return Settled(task, reference)


made = for_module(make_settled)


@pytest.fixture
def task(made: Made[Settled], db: None) -> Task:
    return made.again().task


@pytest.fixture
def reference(made: Made[Settled], db: None) -> Task:
    return made.again().reference


def page_of(reference: Task) -> str:
    return f"/staff/projects/{reference.project.slug}/references/{reference.pk}/"


def correct(client: Client, reference: Task, answer: Any) -> Any:
    return client.post(
        f"{page_of(reference)}correct/", {"answers": json.dumps(answer), "tolerance_s": "", "reason": WHY}
    )


def test_a_settled_consensus_is_made_a_reference(dora: Client, task: Task) -> None:
    assert "make it a reference" in words_of(dora, "/staff/projects/towers/")
    address = f"/staff/projects/towers/references/of/{task.pk}/"
    page = dora.get(address)
    words = text_of(page.content.decode())
    assert "“ the floor ”" in words
    assert "4,096 voxels" in words
    assert "seconds" not in words
    assert page.context["picture"]["layers"][0]["count"] == 4096
    sent = {"confirmed": page.context["confirmed"], "reason": WHY, "confirm": "yes", "tolerance_s": ""}
    assert dora.post(address, sent).status_code == 302
    assert Truth.objects.get(task__promoted_from=task).answers == [marks(LARGE)]


def test_of_a_tie_no_reference_is_offered(dora: Client) -> None:
    project = make_voxels_project("tied", redundancy=2)
    post_phrases(project, {"a": "the red tower"})
    say(project, ann=TOWER, ben=None)
    page = words_of(dora, "/staff/projects/tied/")
    assert "a tie: there or not there" in page
    assert "make it a reference" not in page


def test_the_page_of_a_reference_shows_its_truth_and_who_was_right(dora: Client, reference: Task) -> None:
    page = dora.get(page_of(reference))
    words = text_of(page.content.decode())
    assert "“ the red tower ” 3 voxels 2 answers 50 % right" in words
    assert "The scene with all that was marked in it" in words
    assert "video" not in words
    assert "tolerance" not in words
    assert [layer["id"] for layer in page.context["picture"]["layers"]] == ["truth-1", "answer-1", "answer-2"]
    listed = words_of(dora, "/staff/projects/known/references/")
    assert "“ the red tower ” 3 voxels" in listed
    assert "success" not in listed


@pytest.mark.parametrize("answer", [marks(SHORT), marks(None)])
def test_a_truth_is_corrected_and_answers_are_judged_anew(
    dora: Client, reference: Task, answer: dict[str, Any]
) -> None:
    assert correct(dora, reference, answer).status_code == 302
    reference.truth.refresh_from_db()
    assert reference.truth.answers == [answer]
    scores = Annotation.objects.filter(task=reference).order_by("number").values_list("score", flat=True)
    assert list(scores) == [pytest.approx(2 / 3 if "voxels" in answer else 0.0), 0.0]
    words = words_of(dora, page_of(reference))
    assert "3 voxels" in words[words.index("Changes") :]


def test_a_truth_that_cannot_be_is_refused_and_kept_in_the_form(dora: Client, reference: Task) -> None:
    page = correct(dora, reference, marks([[1, 1, 99]]))
    assert page.status_code == 422
    words = text_of(page.content.decode())
    assert "the scene has z from 0 to 5" in words
    assert '{"voxels": [[1, 1, 99]]}' in words


def test_a_reference_where_objects_are_named_is_shown_in_words(dora: Client) -> None:
    project = make_voxels_project("naming", settings={"stage": "name"}, reference_rate=1.0)
    [task] = post(project, {"r": {"scene": scene()}}, reference={"answers": [{"phrase": "the red tower"}]})
    post(project, {"a": {"scene": scene()}})
    work(project, "ann", lambda _: {"phrase": "red tower"})
    words = words_of(dora, page_of(task))
    assert "What is there in this scene? “the red tower”" in words
    assert "Mark it myself" not in words


# Other pages that show answers of any tool ---------------------------------------------------------------------


def test_a_large_mask_is_a_number_and_no_list(dora: Client, task: Task) -> None:
    worker = Annotation.objects.filter(task=task)[0].worker_id
    for address in (
        "/staff/projects/towers/",
        f"/staff/workers/{worker}/",
        f"/staff/projects/towers/references/of/{task.pk}/",
        "/admin/annotation/annotation/",
        "/admin/annotation/consensus/",
    ):
        words = words_of(dora, address)
        assert "4,096 voxels" in words, address
        assert "[63,0,63]" not in words.replace(" ", ""), address
    answer = json.dumps(LARGE, separators=(",", ":"))
    page = text_of(dora.get(f"/staff/review/tasks/{task.pk}/?plain").content.decode())
    # Once, as what the reviewer's own answer begins with; those of workers are cut off.
    assert page.count(answer[-40:]) <= 1


def test_what_is_right_in_a_quiz_is_said_in_words(dora: Client) -> None:
    question = {
        "id": "floor",
        "ask": "Mark it.",
        "kind": "task",
        "tool": "voxels",
        "payload": {"scene": WIDE, "phrase": "the floor"},
        "accept": [marks(LARGE), marks(None)],
    }
    quiz = make_qualification("scenes", questions=[question])
    words = words_of(dora, f"/staff/qualifications/{quiz.slug}/")
    assert "“the floor”" in words
    assert "4,096 voxels or it is not there" in words
