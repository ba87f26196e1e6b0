"""Masks of one scene side by side: what each weighs, how well each two agree, and how sure each voxel is."""

import math

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Fit, Project, Rater, Task
from annotation.review.masks import Masks, confidence, masks_of, pairwise, steps_of
from annotation.review.side_by_side import side_by_side
from annotation.tool_registry import tool_named
from lib.voxels.mask import keys_of, runs_of, voxels_of
from lib.voxels.overlap import iou
from tests.support.builders import NOON, make_worker
from tests.support.tool_workers import TOWER, make_voxels_project, marks, post, post_phrases, scene, work
from workforce.models import Worker

SHORT = TOWER[:2]
ASIDE = [[2, 1, 1], [2, 2, 1], [2, 3, 1]]
"""A block beside the tower, all along."""
EMPTY = keys_of([])


def seen(task: Task) -> Masks:
    return masks_of(side_by_side(Task.objects.select_related("project", "consensus", "truth").get(pk=task.pk)))


def say(project: Project, **said: list[list[int]] | None) -> None:
    """Each of these workers answers everything with their mask; None: it is not there."""
    for name, mask in said.items():
        assert work(project, name, lambda payload, mask=mask: marks(mask)) > 0  # type: ignore[misc]


@pytest.fixture
def task(db: None) -> Task:
    """The red tower, which three people marked in three ways, one of them by saying that it is not there."""
    project = make_voxels_project(redundancy=3)
    payload = {"scene": scene(), "phrase": "the red tower", "agent_mask": ASIDE}
    [task] = post(project, {"a": payload})
    say(project, ann=TOWER, ben=SHORT, cem=None)
    return task


# Of a task -----------------------------------------------------------------------------------------------------


def test_each_answer_is_compared_with_the_others_the_consensus_and_the_agents_mask(task: Task) -> None:
    found = seen(task)
    assert found.consensus is not None
    assert voxels_of(found.consensus) == SHORT
    assert [one.to_consensus.iou for one in found.answers if one.to_consensus] == pytest.approx([2 / 3, 1.0, 0.0])
    assert [one.to_agent.iou for one in found.answers if one.to_agent] == [0.0, 0.0, 0.0]
    assert [one.to_agent.tolerant for one in found.answers[:1] if one.to_agent] == [1.0]
    assert [one.to_truth for one in found.answers] == [None, None, None]
    assert [one.says_absent for one in found.answers] == [False, False, True]
    assert found.absent == pytest.approx(1 / 3)
    assert voxels_of(found.confidence.keys) == TOWER
    assert found.confidence.shares.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    # The consensus is what over half of those marked who say that it is there.
    over = found.confidence.keys[found.confidence.shares > (1 - found.absent) / 2 + 1e-9]
    assert over.tolist() == found.consensus.tolist()
    answers = [one.said.annotation.answer for one in found.answers]
    agreed = [pytest.approx(tool_named("voxels").agree(answers[0], one)) for one in answers[1:]]
    assert found.pairs.rows[0] == (None, *agreed)


def test_a_worker_of_reduced_weight_counts_half_and_one_without_weight_not_at_all(task: Task) -> None:
    Worker.objects.filter(external_id="ben").update(weighting=Worker.Weighting.REDUCED)
    Worker.objects.filter(external_id="cem").update(weighting=Worker.Weighting.NONE)
    found = seen(task)
    assert [one.share for one in found.answers] == [pytest.approx(2 / 3), pytest.approx(1 / 3), None]
    assert found.confidence.shares.tolist() == pytest.approx([1.0, 1.0, 2 / 3])
    assert found.absent == 0


@pytest.mark.django_db
def test_the_map_weighs_answers_as_their_consensus_did() -> None:
    project = make_voxels_project(redundancy=2, consensus_method="weighted")
    [task] = post_phrases(project, {"a": "the red tower"})
    rest = {"tasks": 9, "annotations": 18, "iterations": 1, "through": 0, "fitted_at": NOON}
    fit = Fit.objects.create(project=project, prior=0.5, **rest)
    for name, accuracy in (("ann", 0.9), ("ben", 0.6)):
        rates = {"sensitivity": accuracy, "specificity": accuracy, "positives": 9, "negatives": 9}
        Rater.objects.create(fit=fit, worker=make_worker(name), **rates)
    say(project, ann=TOWER, ben=SHORT)
    found = seen(task)
    log_odds = [math.log(accuracy / (1 - accuracy)) for accuracy in (0.9, 0.6)]
    assert [one.share for one in found.answers] == pytest.approx([one / sum(log_odds) for one in log_odds])
    # All alike, the top of the tower would have half of the votes, and lose.
    assert found.consensus is not None
    assert voxels_of(found.consensus) == TOWER == voxels_of(found.confidence.keys[found.confidence.shares > 0.5])


@pytest.mark.django_db
def test_a_reference_is_held_against_the_truth_that_fits_best() -> None:
    project = make_voxels_project(reference_rate=1.0)
    truths = [marks(ASIDE), marks(SHORT)]
    payload = {"scene": scene(), "phrase": "the red tower"}
    [task] = post(project, {"a": payload}, reference={"answers": truths})
    post_phrases(project, {"b": "the blue thing"})
    say(project, ann=TOWER)
    [one] = seen(task).answers
    assert one.to_truth is not None
    assert one.to_truth.iou == pytest.approx(2 / 3)
    assert one.to_consensus is None


@pytest.mark.django_db
def test_where_objects_are_named_there_are_no_masks_but_weights() -> None:
    project = make_voxels_project(settings={"stage": "name"}, redundancy=2)
    [task] = post(project, {"a": {"scene": scene()}})
    for name, answer in (("ann", {"phrase": "the red tower"}), ("ben", {"nothing": True})):
        work(project, name, lambda payload, answer=answer: answer)  # type: ignore[misc]
    found = seen(task)
    assert [(one.mask, one.share) for one in found.answers] == [(None, 0.5), (None, 0.5)]
    assert (found.consensus, found.pairs.rows, found.confidence.keys.size) == (None, (), 0)


@pytest.mark.django_db
def test_a_tie_has_no_consensus_mask() -> None:
    project = make_voxels_project(redundancy=2)
    [task] = post_phrases(project, {"a": "the red tower"})
    say(project, ann=TOWER, ben=None)
    found = seen(task)
    assert (found.consensus, [one.to_consensus for one in found.answers]) == (None, [None, None])


@pytest.mark.django_db
def test_2_answers_and_6_cost_the_same() -> None:
    project = make_voxels_project(redundancy=30, consensus_method="weighted")
    [task] = post_phrases(project, {"a": "the red tower"})
    costs: dict[int, int] = {}
    for number in range(1, 7):
        say(project, **{f"worker-{number}": TOWER})
        if number in (2, 6):
            loaded = side_by_side(Task.objects.select_related("project", "consensus", "truth").get(pk=task.pk))
            with CaptureQueriesContext(connection) as queries:
                assert len(masks_of(loaded).answers) == number
            costs[number] = len(queries)
    assert costs[2] == costs[6] <= 3


# Pure ----------------------------------------------------------------------------------------------------------


def test_pairs_agree_as_the_iou_of_each_two_says() -> None:
    random = np.random.default_rng(5)
    masks = [keys_of(random.integers(0, 40, size=(n, 3))) for n in (1, 40, 20_000, 30_000)] + [EMPTY, EMPTY]
    found = pairwise(masks)
    assert found.tolist() == [[pytest.approx(iou(a, b)) for b in masks] for a in masks]


def test_without_masks_the_confidence_map_is_empty() -> None:
    assert [step.mask.size for step in steps_of(confidence([], []))] == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(("share", "number"), [(0.01, 1), (0.2, 1), (0.6, 3), (0.6 + 1e-12, 3), (0.61, 4), (1.0, 5)])
def test_a_share_falls_into_the_step_that_ends_at_it(share: float, number: int) -> None:
    found = confidence([keys_of([[1, 2, 3]]), EMPTY], [share, 1 - share])
    assert [step.number for step in steps_of(found) if step.mask.size] == [number]


def test_runs_are_the_flat_indices_of_the_mask() -> None:
    random = np.random.default_rng(7)
    size = (9, 20, 64)
    mask = keys_of(random.integers(0, size, size=(3000, 3)))
    flat: list[int] = []
    for run in runs_of(mask, size).split():
        first, _, length = run.partition("+")
        flat += range(int(first, 36), int(first, 36) + int(length or "1", 36))
    assert flat == [(x * size[1] + y) * size[2] + z for x, y, z in voxels_of(mask)]
    assert runs_of(EMPTY, size) == ""
