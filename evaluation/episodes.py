"""Posting episodes: one for each try of an agent at a scenario. Posting the same again changes nothing."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple, TypeVar

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from agents.models import Agent
from common.redaction import REMOVED
from evaluation.models import Episode, Revision, Scenario, Suite, Upload
from evaluation.uploads import complete, name_upload
from events.log import Happened, note
from jobs.outbox import enqueue
from lib.canonical_json import digest
from lib.faults import Conflict, Fault, Invalid, NotFound

logger = logging.getLogger(__name__)

PREPARE = "evaluation.prepare_episode"
OF_NO_BYTES = sha256().hexdigest()
LONGEST_NAME, OF_DIGEST = 128, 12
"""The most characters of the name that a video of the browser gets; those of its digest, where it would be longer."""
_ATTEMPTS = 5
P = TypeVar("P")


class PostedFile(NamedTuple):
    """A received file: its bytes, or the storage name where they already are, and their SHA-256."""

    name: str
    sha256: str
    content: BinaryIO | None
    stored: str = ""


def episode_named(external_id: str) -> Episode:
    """The episode with every row that the API shows of it. 1 query.

    Raises:
        NotFound: no episode has this id.
    """
    found = (
        Episode.objects.select_related("agent", "scenario__suite", "revision", "film")
        .filter(external_id=external_id)
        .first()
    )
    if found is None:
        raise NotFound
    return found


def post_episode(
    *,
    data: dict[str, Any],
    video: PostedFile,
    trajectory: PostedFile | None,
    at: datetime,
    wording: Revision | None = None,
) -> tuple[Episode, bool]:
    """Store the episode and queue its preparation.

    Args:
        wording: What it is posted against; by default the present wording of its scenario.

    Returns:
        The episode, and whether anything new was stored.

    Raises:
        Invalid: the agent, suite or scenario is unknown.
        Conflict: this id, or this try (agent, scenario, continuation), was posted before with other content; or the
            episode is archived.
    """
    agent, scenario = _subjects(data)
    known = _posted_before(data["external_id"])
    if known is not None and known.status != Episode.Status.FAILED:
        return _same_again(known, data, agent, scenario, video), False
    if known is not None and known.archived_at is not None:
        raise Conflict("This episode is archived. Put it back first, then post it anew.")
    revision = wording or scenario.current
    if revision is None:
        raise Invalid.at("#/scenario", "This scenario has no content yet.")
    fields, content = _complete(data, revision, video)
    fields |= {"agent": agent, "scenario": scenario, "revision": revision, "digest": content}
    episode = _row(known, fields, at=at)
    try:
        with transaction.atomic():
            _store(episode, video, trajectory)
            enqueue(PREPARE, str(episode.pk), unique_key=f"{PREPARE}:{episode.pk}:{episode.folder}")
    except IntegrityError:
        _drop_files(episode, video)
        racing = _posted_before(data["external_id"])
        if known is None and racing is not None:
            return _same_again(racing, data, agent, scenario, video), False
        raise Conflict(
            "This try (agent, scenario, continuation) was posted before under another id.",
            faults=[Fault("#/continuation", f"Continuation {data['continuation']} of this agent is there already.")],
        ) from None
    except Exception:
        # No row will name them: the disk may be full, or the database away.
        _drop_files(episode, video)
        raise
    return episode, True


def _posted_before(external_id: str) -> Episode | None:
    return Episode.objects.select_related("revision").filter(external_id=external_id).first()


def _same_again(known: Episode, data: dict[str, Any], agent: Agent, scenario: Scenario, video: PostedFile) -> Episode:
    # Compared with the wording that it was posted against: a scenario whose wording changed since then does not turn a
    # repeated post into a conflict.
    _, again = _complete(data, known.revision, video)
    if known.digest != again or (known.agent_id, known.scenario_id) != (agent.pk, scenario.pk):
        raise Conflict(
            "An episode with this id was posted before with other content.",
            faults=[Fault("#/external_id", f"{data['external_id']!r} is there already.")],
        )
    return known


def _subjects(data: dict[str, Any]) -> tuple[Agent, Scenario]:
    faults = []
    agent = Agent.objects.filter(slug=data["agent"]).first()
    if agent is None:
        faults.append(Fault("#/agent", f"There is no agent {data['agent']!r}; put it to /api/v1/agents/ first."))
    suite = Suite.objects.filter(slug=data["suite"]).first()
    scenario = None
    if suite is None:
        faults.append(Fault("#/suite", f"There is no suite {data['suite']!r}; put it to /api/v1/suites/ first."))
    elif suite.archived_at is not None:
        faults.append(Fault("#/suite", f"The suite {data['suite']!r} is archived. Put it back first."))
    else:
        scenario = suite.scenarios.select_related("current").filter(key=data["scenario"]).first()
        if scenario is None:
            faults.append(Fault("#/scenario", f"The suite has no scenario {data['scenario']!r}."))
    if agent is None or scenario is None:
        raise Invalid(faults=faults)
    return agent, scenario


def _complete(data: dict[str, Any], revision: Revision, video: PostedFile) -> tuple[dict[str, Any], str]:
    """The data with the scenario's defaults, and the digest by which two posts are compared."""
    fields = {
        "external_id": data["external_id"],
        "continuation": data["continuation"],
        "instruction": data.get("instruction") or revision.instruction,
        "takeover_s": data["takeover_s"] if data.get("takeover_s") is not None else revision.takeover_s,
        "transcript": data.get("transcript") or [],
        "step_frames": data.get("step_frames") or [],
        "metadata": data.get("metadata") or {},
        "reference": data.get("reference"),
        "source_sha256": video.sha256,
    }
    return fields, digest(fields)


def _row(known: Episode | None, fields: dict[str, Any], *, at: datetime) -> Episode:
    if known is None:
        return Episode(created_at=at, **fields)
    # A failed episode that is posted anew: no other row refers to it yet, so all of its columns are replaced.
    for name, value in fields.items():
        setattr(known, name, value)
    known.status, known.problem_code, known.problem_detail = Episode.Status.PREPARING, "", ""
    known.folder = Episode._meta.get_field("folder").get_default()
    known.source, known.trajectory, known.trajectory_sha256 = "", "", ""
    return known


def _store(episode: Episode, video: PostedFile, trajectory: PostedFile | None) -> None:
    folder = f"episodes/{episode.folder}"
    if video.content is None:
        if not name_upload(video.stored):
            raise Invalid.at("#/upload", "This upload is gone, because no episode named it in time. Upload it again.")
        episode.source = video.stored
    else:
        episode.source = default_storage.save(f"{folder}/source", File(video.content))
    if trajectory is not None and trajectory.content is not None:
        episode.trajectory = default_storage.save(f"{folder}/trajectory", File(trajectory.content))
        # Episodes without a single byte of trajectory have nothing in common.
        episode.trajectory_sha256 = "" if trajectory.sha256 == OF_NO_BYTES else trajectory.sha256
    episode.save()


def _drop_files(episode: Episode, video: PostedFile) -> None:
    """Delete the files that `_store` wrote. An upload is kept, since it may be posted again."""
    if video.content is not None and episode.source:
        default_storage.delete(episode.source)
    if episode.trajectory:
        default_storage.delete(episode.trajectory)


def fail(*, pk: int, code: str, detail: str) -> None:
    """Mark a preparing episode as failed, with the reason that the client which posted it reads."""
    with transaction.atomic():
        changed = Episode.objects.filter(pk=pk, status=Episode.Status.PREPARING).update(
            status=Episode.Status.FAILED, problem_code=code, problem_detail=detail
        )
        if changed:
            announce("episode.failed", pk, at=timezone.now(), problem={"code": code, "detail": detail})
    logger.info("episode.failed", extra={"episode": pk, "code": code})


def announce(kind: str, pk: int, *, at: datetime, **more: object) -> None:
    """Write an event about the episode, in the transaction that makes it true. 2 queries."""
    columns = {"episode": "external_id", "agent": "agent__slug", "suite": "scenario__suite__slug"}
    columns |= {"scenario": "scenario__key", "continuation": "continuation"}
    found = Episode.objects.filter(pk=pk).values_list(*columns.values()).get()
    data = dict(zip(columns, found, strict=True))
    note(Happened(kind, str(data["episode"]), {**data, **more}, suite=str(data["suite"])), at=at)


def post_as_next(data: Mapping[str, Any], post: Callable[[dict[str, Any]], P]) -> P:
    """Post an episode that names no continuation; what `post` gives for the data with the next free one.

    Raises:
        Conflict: the id belongs to another episode, or other processes took each number that was free.
    """
    names = {name: data[name] for name in ("external_id", "agent", "suite", "scenario")}
    for left in reversed(range(_ATTEMPTS)):
        try:
            return post({**data, "continuation": next_continuation(**names)})
        except Conflict:
            # Another process may have taken the continuation meanwhile. A conflict of the id will not go away.
            if not left or Episode.objects.filter(external_id=data["external_id"]).exists():
                raise
    raise AssertionError("unreachable")


def next_continuation(*, external_id: str, agent: str, suite: str, scenario: str) -> int:
    """The continuation for an episode that names none. 1 or 2 queries.

    Returns:
        The continuation of the episode with this id, if it was posted before; otherwise the number after the highest
        continuation of this agent at this scenario. Another process may take that number first.
    """
    known = Episode.objects.filter(external_id=external_id).values_list("continuation", flat=True).first()
    if known is not None:
        return known
    tries = Episode.objects.filter(agent__slug=agent, scenario__key=scenario, scenario__suite__slug=suite)
    last: int | None = tries.aggregate(last=Max("continuation"))["last"]
    return 0 if last is None else last + 1


def remove_words(external_ids: Sequence[str]) -> int:
    """Remove the spoken and typed words from these episodes; returns how many episodes changed.

    The instruction and every line of the transcript are replaced; the trajectory and the parsed form are dropped.
    """
    changed = list(Episode.objects.filter(external_id__in=external_ids).exclude(instruction=REMOVED))
    for episode in changed:
        with transaction.atomic():
            if episode.trajectory:
                # Only after the commit: if the transaction were rolled back, the episode would name a deleted file.
                transaction.on_commit(partial(default_storage.delete, episode.trajectory))
            episode.instruction, episode.trajectory, episode.trajectory_sha256 = REMOVED, "", ""
            episode.transcript = [{**line, "text": REMOVED} for line in episode.transcript]
            episode.metadata = {**episode.metadata, "form": None}
            episode.save(update_fields=["instruction", "trajectory", "trajectory_sha256", "transcript", "metadata"])
    return len(changed)


# Videos of the browser ---------------------------------------------------------------------------------------------


def episode_name(*, suite: str, scenario: str, agent: str, filename: str) -> str:
    """The name of the episode that a file becomes: the same file gives the same name, however often it is uploaded.

    >>> episode_name(suite="kitchen", scenario="lift", agent="alpha", filename="Run 3.mp4")
    'kitchen:lift:alpha:Run-3'
    """
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", filename.rsplit(".", 1)[0]).strip("-") or "video"
    whole = f"{suite}:{scenario}:{agent}:{stem}"
    return (
        whole if len(whole) <= LONGEST_NAME else f"{whole[: LONGEST_NAME - OF_DIGEST - 1]}-{digest(whole)[:OF_DIGEST]}"
    )


def post_own_video(
    *,
    upload: Upload,
    parts: list[dict[str, Any]],
    suite: str,
    scenario: str,
    agent: str,
    reference: dict[str, Any] | None = None,
    at: datetime,
) -> tuple[Episode, bool]:
    """Complete the upload and post it as an episode; True if it is new.

    Args:
        reference: The known outcome, with which the episode becomes a reference.

    Raises:
        Invalid: a part is missing, or there is no such agent, suite or scenario.
        Conflict: a video of this name and of other content was posted before.
    """
    whole = complete(upload=upload, parts=parts)
    name = episode_name(suite=suite, scenario=scenario, agent=agent, filename=whole.filename)
    data = {"external_id": name, "agent": agent, "suite": suite, "scenario": scenario, "reference": reference}
    video = PostedFile(whole.filename, whole.sha256, None, whole.file)
    return post_as_next(data, lambda numbered: post_episode(data=numbered, video=video, trajectory=None, at=at))
