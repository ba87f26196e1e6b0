"""Whole crowds over HTTP and in simulation: a perfect one loses nothing, a noisy one is better together than alone."""

from collections.abc import Iterator
from statistics import mean
from typing import Any

import pytest

from annotation.datasets.generated_scenes import post_generated
from annotation.models import Annotation, Consensus, Task
from annotation.tool_registry import Json
from annotation.tools.voxels.agreement import agreement, merged
from demo.crowds.scene_markers import HASTY, LOST, Kind, SceneMarker
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options
from tests.support.builders import NOON
from tests.support.tool_workers import make_voxels_project, marks, work

OPTIONS = Options(negatives=0.3)
SEED = 11


def truths(made: list[Generated]) -> dict[tuple[str, str], Json]:
    """The right answers, by what a worker sees: the scene and the phrase."""
    return {(str(one.scene.as_json()), example.phrase): example.answer for one in made for example in one.examples}


@pytest.mark.django_db
def test_a_perfect_worker_gives_back_every_truth_exactly() -> None:
    project = make_voxels_project()
    post_generated(project=project, seed=SEED, n=20, options=OPTIONS, as_references=False, by="system", at=NOON)
    made = list(generate(SEED, 20, OPTIONS))
    known = truths(made)
    done = work(project, "ann", lambda payload: known[(str(payload["scene"]), payload["phrase"])])
    found = {row.task.key: row.answer for row in Consensus.objects.settled().select_related("task")}
    assert done == len(found) == 20
    assert found == {key: example.answer for one in made for key, example in zip(one.keys, one.examples, strict=True)}
    assert any(answer == marks(None) for answer in found.values())


@pytest.mark.django_db
def test_a_perfect_worker_is_right_in_every_reference() -> None:
    project = make_voxels_project(reference_rate=1.0)
    for seed, as_references in ((SEED, True), (SEED + 1, False)):
        post_generated(
            project=project, seed=seed, n=6, options=OPTIONS, as_references=as_references, by="system", at=NOON
        )
    known = truths([*generate(SEED, 6, OPTIONS), *generate(SEED + 1, 6, OPTIONS)])
    work(project, "ann", lambda payload: known[(str(payload["scene"]), payload["phrase"])])
    scores = Annotation.objects.filter(task__is_reference=True).values_list("score", flat=True)
    assert list(scores) == [1.0] * Task.objects.references().count() == [1.0] * 6


def scenes() -> Iterator[tuple[Json, Any, Json]]:
    """Scenes with what is to be marked in them, and the right answer."""
    for one in generate(SEED, 60, OPTIONS):
        [example] = one.examples
        yield one.scene.as_json(), None if example.voxels is None else example.voxels.tolist(), example.answer


@pytest.mark.parametrize(("kind", "members"), [(HASTY, 3), (HASTY, 5), (LOST, 5)])
def test_a_noisy_crowd_is_better_together_than_its_members(kind: Kind, members: int) -> None:
    crowd = [SceneMarker(f"worker-{number}", kind, seed=SEED) for number in range(members)]
    alone: list[float] = []
    together: list[float] = []
    for scene, truth, right in scenes():
        answers = [marker.answers(scene, truth) for marker in crowd]
        alone += [agreement(answer, right) for answer in answers]
        together.append(agreement(merged(answers).answer, right))
    assert mean(together) > mean(alone)


def test_a_worker_who_is_often_right_counts_for_more() -> None:
    """One careful worker among four that are lost."""
    crowd = [SceneMarker(f"worker-{number}", LOST, seed=SEED) for number in range(4)]
    plain: list[float] = []
    weighted: list[float] = []
    for scene, truth, right in scenes():
        answers = [right, *(marker.answers(scene, truth) for marker in crowd)]
        plain.append(agreement(merged(answers).answer, right))
        weighted.append(agreement(merged(answers, [4.0, 0.5, 0.5, 0.5, 0.5]).answer, right))
    assert mean(weighted) > mean(plain)
