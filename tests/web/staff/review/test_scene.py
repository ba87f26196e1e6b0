"""The reviewers' page of a scene: what people marked or named there, and what a reviewer decides."""

from typing import Any, NamedTuple

import pytest
from django.test import Client

from annotation.models import Adjudication, Annotation, Consensus, Project, Task
from audit.models import AuditEvent
from tests.annotation.review.test_masks import ASIDE, SHORT, say
from tests.support.builders import Made, account, category, for_module, signed_in
from tests.support.pages import text_of, words_of
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post, post_phrases, scene, work
from web.staff.addresses import task_page

pytestmark = pytest.mark.django_db
WHY = "I turned it round."
SOURCE = {"dialogue": "d-17", "module": "vision"}


@pytest.fixture
def rae() -> Client:
    """A reviewer of every project."""
    return signed_in(account("rae"))


class Reviewed(NamedTuple):
    """The red tower, of which three people and the agent made four different things; and what two people named."""

    task: Task
    naming: Task


def make_reviewed() -> Reviewed:
    project = make_voxels_project("towers", redundancy=3)
    payload = {"scene": scene(), "phrase": "the red tower", "agent_mask": ASIDE, "source": SOURCE}
    [task] = post(project, {"a": payload})
    say(project, ann=TOWER, ben=SHORT, cem=None)
    project = make_voxels_project("naming", settings={"stage": "name"}, redundancy=2)
    [naming] = post(project, {"a": {"scene": scene()}})
    for name, answer in (("ann", {"phrase": "the red tower"}), ("ben", {"nothing": True})):
        work(project, name, lambda payload, answer=answer: answer)  # type: ignore[misc]
    return Reviewed(task, naming)


made = for_module(make_reviewed)


@pytest.fixture
def task(made: Made[Reviewed], db: None) -> Task:
    return made.again().task


@pytest.fixture
def naming(made: Made[Reviewed], db: None) -> Task:
    return made.again().naming


def decide(client: Client, task: Task, act: str = "adjudicate", **fields: Any) -> Any:
    return client.post(f"{task_page(task.pk)}decide/", {"act": act, "reason": WHY, **fields})


def come_to(client: Client, task: Task) -> str:
    """Which consensus the page shows."""
    found: str = client.get(task_page(task.pk)).context["come_to"]
    return found


def answer_to(task: Task, worker: str) -> Annotation:
    return Annotation.objects.get(task=task, worker__external_id=worker)


def consensus(task: Task) -> Any:
    return Consensus.objects.get(task=task).answer


def picture(client: Client, task: Task) -> Any:
    return client.get(task_page(task.pk)).context["picture"]


# What is shown -------------------------------------------------------------------------------------------------


def test_the_page_shows_every_mask_and_how_they_agree(rae: Client, task: Task) -> None:
    answer = rae.get(task_page(task.pk))
    page = text_of(answer.content.decode())
    assert "33 % 67 % (100 %) 0 % (100 %)" in page
    assert "33 % of the weight says that it is not there." in page
    assert "Workers never see this. dialogue d-17 module vision" in page
    assert not any(f"of {name}" in page or f" {name} " in page for name in ("ann", "ben", "cem"))
    shown = answer.context["picture"]
    assert shown["scene"] == scene()
    assert [(one["id"], one["count"]) for one in shown["layers"]] == [
        ("consensus", 2),
        ("agent", 3),
        ("answer-1", 3),
        ("answer-2", 2),
        ("answer-3", 0),
    ]
    assert [step["count"] for step in shown["steps"]] == [0, 1, 0, 2, 0]
    [fresh] = post_phrases(make_voxels_project(), {"a": "the red tower"})
    assert picture(rae, fresh)["layers"] == [], "nobody has answered"


def test_where_objects_are_named_the_words_are_what_is_weighed(rae: Client, naming: Task) -> None:
    page = words_of(rae, task_page(naming.pk))
    assert "“the red tower” 50 %" in page
    assert "nothing is there 50 %" in page
    assert "IoU" not in page
    assert picture(rae, naming)["layers"] == []


def test_a_reference_shows_its_truth_and_is_not_decided_here(rae: Client) -> None:
    project = make_voxels_project(reference_rate=1.0)
    [task] = post_phrases(project, {"a": "the red tower"}, reference={"answers": [marks(TOWER)]})
    post_phrases(project, {"b": "the blue thing"})
    say(project, ann=SHORT)
    page = words_of(rae, task_page(task.pk))
    assert "Truth 3 voxels" in page
    assert "Correct or retire it on its own page." in page
    assert "Decide with this" not in page


# What is decided -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"pick": "ann"}, marks(TOWER)),
        ({"pick": "absent"}, marks(None)),
        ({"pick": "consensus"}, marks(SHORT)),
        (
            {"pick": "own", "own": '{"voxels": [[1,2,1],[1,1,1],[1,3,1],[1,4,1]]}'},
            marks([*TOWER, [1, 4, 1]]),
        ),
    ],
)
def test_an_answer_of_any_kind_is_decided_on(rae: Client, task: Task, fields: dict[str, str], answer: Any) -> None:
    picked = answer_to(task, "ann").public_id if fields["pick"] == "ann" else fields["pick"]
    assert decide(rae, task, **{**fields, "pick": picked, "come_to": come_to(rae, task)}).status_code == 302
    assert (Adjudication.objects.get().answer, consensus(task)) == (answer, answer)
    assert AuditEvent.objects.get(verb="task.adjudicated").reason == WHY


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"pick": "named", "named": "the  blue block "}, {"phrase": "the blue block"}),
        ({"pick": "nothing"}, {"nothing": True}),
        ({"pick": "ann"}, {"phrase": "the red tower"}),
    ],
)
def test_a_name_is_decided_on(rae: Client, naming: Task, fields: dict[str, str], answer: dict[str, Any]) -> None:
    picked = answer_to(naming, "ann").public_id if fields["pick"] == "ann" else fields["pick"]
    decide(rae, naming, **{**fields, "pick": picked})
    assert consensus(naming) == answer


def test_a_consensus_that_has_changed_is_not_taken_unseen(rae: Client, task: Task) -> None:
    looked_at = come_to(rae, task)
    decide(rae, task, pick="absent")
    page = decide(rae, task, pick="consensus", come_to=looked_at)
    assert page.status_code == 409
    assert "Please look again" in text_of(page.content.decode())
    assert consensus(task) == {"absent": True}


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({}, "#/answer"),
        ({"pick": "nobody"}, "#/answer"),
        ({"pick": "own", "own": "  "}, "#/answer/voxels"),
        ({"pick": "own", "own": "{"}, "#/answer"),
        ({"pick": "own", "own": '{"absent": true}'}, "#/answer"),
        ({"pick": "own", "own": '{"voxels": [[1, 1, 99]]}'}, "#/answer/voxels/0"),
        ({"pick": "named", "named": "a tower"}, "#/answer"),
        ({"pick": "absent", "reason": " "}, "#/reason"),
    ],
)
def test_what_cannot_be_is_said_and_what_was_marked_is_kept(
    rae: Client, task: Task, fields: dict[str, str], pointer: str
) -> None:
    page = decide(rae, task, **fields)
    assert page.status_code == 422
    assert [fault["pointer"] for fault in page.context["problem"]["errors"]] == [pointer]
    assert page.context["own"] == fields.get("own", "")
    assert consensus(task) == marks(SHORT)


def test_with_two_persons_a_second_one_confirms(rae: Client, task: Task) -> None:
    Project.objects.update(two_person_review=True)
    decide(rae, task, pick=answer_to(task, "ann").public_id)
    assert consensus(task) == marks(SHORT)
    sam = signed_in(account("sam"))
    page = words_of(sam, task_page(task.pk))
    assert "rae proposed 3 voxels" in page
    assert ("proposed", 3) in [(one["id"], one["count"]) for one in picture(sam, task)["layers"]]
    decide(sam, task, "confirm", proposal=str(Adjudication.objects.get().pk))
    assert consensus(task) == marks(TOWER)


def test_a_task_is_closed_as_not_judgeable_and_reopened(rae: Client, task: Task) -> None:
    decide(rae, task, "unjudgeable")
    task.refresh_from_db()
    assert task.status == Task.Status.UNJUDGEABLE
    assert "Reopen" in words_of(rae, task_page(task.pk))
    decide(rae, task, "reopen")
    assert consensus(task) == marks(SHORT)


def test_an_answer_is_tagged_from_the_page(rae: Client, task: Task) -> None:
    found = category()
    sent = {"category": found.pk, "annotation": answer_to(task, "ben").public_id}
    assert rae.post(f"{task_page(task.pk)}tags/", sent)["Location"] == task_page(task.pk)
    assert f"2 voxels {found.label}" in words_of(rae, task_page(task.pk))


def test_a_tie_is_no_answer_to_be_taken(rae: Client) -> None:
    project = make_voxels_project(redundancy=2)
    [task] = post_phrases(project, {"a": "the red tower"})
    say(project, ann=TOWER, ben=None)
    page = rae.get(task_page(task.pk))
    assert "a tie: there or not there" in text_of(page.content.decode())
    assert 'value="consensus"' not in page.content.decode()
    assert decide(rae, task, pick="consensus", come_to=page.context["come_to"]).status_code == 422
