"""The dataset of a project where objects are marked: the voxels of each phrase, in three formats.

| format | content |
|---|---|
| lines | one example a line: its voxels, its confidence and its source |
| arrays | a file for NumPy: scenes as arrays of ids, masks as arrays of booleans |
| scene list | droidlet's payloads, which its tools read |
"""

import json
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import IO, Any

import numpy as np
from django.db.models import Q, QuerySet

from annotation.consensus.votes import weighted_votes
from annotation.models import KeptScene, Project, SceneTask, Task
from annotation.tools.voxels.agreement import ABSENT, VOXELS, agent_mask_of, mask_of
from annotation.tools.voxels.tool import voxels
from lib.faults import Invalid
from lib.voxels import droidlet
from lib.voxels.mask import places_of, voxels_of
from lib.voxels.overlap import iou
from lib.voxels.scene import Scene, unpacked
from lib.voxels.votes import shares

Json = dict[str, Any]
BATCH = 100
"""Number of tasks that are looked up together."""
MOST_EXAMPLES = 1000
"""Most masks of one file of arrays."""
MOST_CELLS = 2**28
"""Most bytes of all arrays of one file together, before compression."""
SOURCE, ORIGIN = "source", "origin"


def check_tool(project: Project) -> None:
    """Refuse a project where nothing is marked.

    Raises:
        Invalid: the project has another tool, or names objects.
    """
    if not voxels.is_tool_of(project):
        raise Invalid(f"This project's tool is {project.tool}; only those of the tool {voxels.name} have masks.")
    if not voxels.marks_in(project):
        raise Invalid("In this project objects are named; the masks are in the project that it feeds.")


def settled_masks(project: Project, *, since: datetime | None = None) -> QuerySet[Task]:
    """The ordinary tasks that settled on a mask or on the object's absence, with consensus loaded; oldest first.

    Args:
        since: Only tasks that settled after this moment.
    """
    found = settled_among(Task.objects.filter(project=project))
    return found if since is None else found.filter(consensus__settled_at__gt=since)


def settled_among(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Those of these tasks that settled on a mask or on the object's absence, with consensus loaded; oldest first."""
    found = tasks.filter(is_reference=False, status=Task.Status.DONE, consensus__settled_at__isnull=False)
    # A tie has the voxels null. Filtered below the key, because a missing key and JSON null are two things.
    present = Q(consensus__answer__has_key=VOXELS) & ~Q(consensus__answer__voxels=None)
    found = found.filter(present | Q(consensus__answer__has_key=ABSENT))
    return found.select_related("consensus").order_by("pk")


def origin_of(task: Task) -> droidlet.Place:
    """The position of the scene's corner in the world that the task came from; zero if it is not known."""
    source = task.payload.get(SOURCE)
    origin = source.get(ORIGIN) if isinstance(source, dict) else None
    if isinstance(origin, list) and len(origin) == 3 and all(type(one) is int for one in origin):
        return origin[0], origin[1], origin[2]
    return 0, 0, 0


# Lines ---------------------------------------------------------------------------------------------------------


def dataset_rows(project: Project, *, since: datetime | None = None, with_shares: bool = False) -> Iterator[Json]:
    """A row for each settled mask, in the order of the tasks.

    Args:
        with_shares: Add each voxel that any worker marked, with the share of the workers who marked it; they have
            their weights in the consensus.

    Costs: 1 query for each BATCH of tasks, 1 or 2 more with the shares.
    """
    for tasks in _batches(settled_masks(project, since=since)):
        of_tasks = _shares_of(project, tasks) if with_shares else {}
        for task in tasks:
            row = _row(task)
            yield {**row, "shares": of_tasks.get(task.pk, [])} if with_shares else row


def _row(task: Task) -> Json:
    found = task.consensus
    agent, mask = agent_mask_of(task), mask_of(found.answer)
    return {
        "task": task.key,
        "scene": task.payload["scene"],
        "phrase": task.payload["phrase"],
        "answer": found.answer,
        "method": found.method,
        "confidence": found.confidence,
        "annotations": found.annotations,
        "settled_at": found.settled_at.isoformat() if found.settled_at else None,
        "source": task.payload.get(SOURCE),
        "agent_mask_iou": None if agent is None or mask is None else iou(agent, mask),
    }


def _shares_of(project: Project, tasks: Sequence[Task]) -> Mapping[int, list[list[float]]]:
    """[x, y, z, share] of each voxel that any worker marked, by task. At most 2 queries."""
    found: dict[int, list[list[float]]] = {}
    for task, votes in weighted_votes(project, [task.pk for task in tasks]).items():
        known = [(mask, weight) for vote, weight in votes if (mask := mask_of(vote.answer)) is not None]
        of_task = shares([mask for mask, _ in known], [weight for _, weight in known])
        places, each = voxels_of(of_task.keys), of_task.shares.tolist()
        found[task] = [[*place, round(share, 6)] for place, share in zip(places, each, strict=True)]
    return found


def _batches(tasks: QuerySet[Task]) -> Iterator[list[Task]]:
    """Batches by primary key, without an open cursor: a slow reader keeps no transaction open."""
    last = 0
    while found := list(tasks.filter(pk__gt=last)[:BATCH]):
        yield found
        last = found[-1].pk


# Arrays --------------------------------------------------------------------------------------------------------


def write_arrays(out: IO[bytes], project: Project, *, after: str = "") -> int:
    """Write the settled masks after the task with this key as a file for `numpy.load`; return their number.

    The file has `mask_000000`, `mask_000001` ... (bool, axes x, y, z), each scene once as `scene_` and the beginning of
    its digest (uint8 ids, the same axes, 0 is air), and in the order of the masks `tasks`, `phrases`, `scenes` (whole
    digests) and `confidences`. It has at most MOST_EXAMPLES masks, and after the first one at most MOST_CELLS bytes.

    Raises:
        Invalid: there is no task with this key.
    """
    tasks = settled_masks(project)
    if after:
        place = project.tasks.filter(key=after).values_list("pk", flat=True).first()
        if place is None:
            raise Invalid.at("#/after", "This project has no such task.")
        tasks = tasks.filter(pk__gt=place)
    told: list[tuple[str, str, str, float]] = []
    known: dict[str, tuple[int, int, int]] = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in _arrays(tasks, told, known):
            _put(file, name, array)
        for place, name in enumerate(("tasks", "phrases", "scenes")):
            _put(file, name, np.array([row[place] for row in told], dtype=np.str_))
        _put(file, "confidences", np.array([row[3] for row in told], dtype=np.float64))
    return len(told)


def _arrays(
    tasks: QuerySet[Task], told: list[tuple[str, str, str, float]], known: dict[str, tuple[int, int, int]]
) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Scenes and masks by name; describes each mask in `told`, and adds the size of each written scene to `known`."""
    cells = 0
    for batch in _batches(tasks):
        scenes = _scenes({task.payload["scene"] for task in batch} - set(known))
        for task in batch:
            digest, mask = task.payload["scene"], mask_of(task.consensus.answer)
            assert mask is not None  # noqa: S101 - ties are left out
            size = known[digest] if digest in known else scenes[digest].size
            cells += int(np.prod(size)) * (1 if digest in known else 2)
            if len(told) == MOST_EXAMPLES or (told and cells > MOST_CELLS):
                return
            if digest not in known:
                known[digest] = size
                yield f"scene_{digest[:12]}", scenes[digest].dense()
            array = np.zeros(size, dtype=np.bool_)
            array[tuple(places_of(mask).T)] = True
            yield f"mask_{len(told):06}", array
            told.append((task.key, task.payload["phrase"], digest, task.consensus.confidence))


def _put(file: zipfile.ZipFile, name: str, array: np.ndarray[Any, Any]) -> None:
    # Without the present time in the file, the same masks give the same bytes.
    entry = zipfile.ZipInfo(f"{name}.npy")
    entry.compress_type = zipfile.ZIP_DEFLATED
    with file.open(entry, "w", force_zip64=True) as out:
        np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)


def _scenes(digests: Collection[str]) -> dict[str, Scene]:
    """Scenes by digest. 1 query."""
    rows = KeptScene.objects.filter(digest__in=digests).values_list("digest", "packed")
    return {digest: unpacked(bytes(packed)) for digest, packed in rows}


# Droidlet's scene list -------------------------------------------------------------------------------------


def scene_list(project: Project) -> Iterator[Json]:
    """Droidlet's payload of each scene with settled masks, with all of them, in the scene's original coordinates.

    A scene that came from two places is listed twice. Costs: 2 queries for each BATCH of scenes.
    """
    tasks = settled_masks(project)
    shown = SceneTask.objects.filter(task__in=tasks.order_by().values("pk"))
    pks = list(shown.order_by("scene").values_list("scene", flat=True).distinct())
    for start in range(0, len(pks), BATCH):
        some = pks[start : start + BATCH]
        of_scene: dict[str, dict[droidlet.Place, list[droidlet.TaggedPhrase]]] = {}
        for task in tasks.filter(scene_task__scene__in=some):
            mask = mask_of(task.consensus.answer)
            voxels = None if mask is None or not mask.size else voxels_of(mask)
            places = of_scene.setdefault(task.payload["scene"], {})
            places.setdefault(origin_of(task), []).append(droidlet.TaggedPhrase(task.payload["phrase"], voxels))
        for digest, packed in (
            KeptScene.objects.filter(pk__in=some).order_by("pk").values_list("digest", "packed").iterator()
        ):
            scene = unpacked(bytes(packed))
            for origin, told in of_scene.get(digest, {}).items():
                yield droidlet.payload_of(scene, origin, told)


def as_list(rows: Iterable[Json]) -> Iterator[bytes]:
    """The rows as one JSON list, one row at a time."""
    before = b"[\n"
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"
