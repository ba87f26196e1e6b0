"""Posting episodes: once for each try of an agent at a scenario, harmless to repeat."""

import logging
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction

from agents.models import Agent
from common.errors import Conflict, Fault, Invalid, NotFound
from common.values import digest
from evaluation.models import Episode, Revision, Scenario, Suite
from jobs.outbox import enqueue

logger = logging.getLogger(__name__)

PREPARE = "evaluation.prepare_episode"


class PostedFile(NamedTuple):
    """A file as it came in: its bytes (or where they are stored already) and their SHA-256."""

    name: str
    sha256: str
    content: BinaryIO | None
    stored: str = ""


def episode_named(external_id: str) -> Episode:
    """The episode with all that the API shows of it; 404 if there is none. 1 query."""
    found = (
        Episode.objects.select_related("agent", "scenario__suite", "revision", "film")
        .filter(external_id=external_id)
        .first()
    )
    if found is None:
        raise NotFound
    return found


def post_episode(
    *, data: dict[str, Any], video: PostedFile, trajectory: PostedFile | None, at: datetime
) -> tuple[Episode, bool]:
    """Keep the episode and queue its preparation; whether anything new was kept.

    Raises:
        Invalid: the agent, suite or scenario is unknown, or times do not fit.
        Conflict: this id, or this try, was posted before with other content.
    """
    agent, scenario = _subjects(data)
    known = _posted_before(data["external_id"])
    if known is not None and known.status != Episode.Status.FAILED:
        return _same_again(known, data, agent, scenario, video), False
    revision = scenario.current
    if revision is None:
        raise Invalid.at("#/scenario", "This scenario has no content yet.")
    fields, content = _complete(data, revision, video)
    fields |= {"agent": agent, "scenario": scenario, "revision": revision, "digest": content}
    episode = _keep(known, fields, at=at)
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
    return episode, True


def _posted_before(external_id: str) -> Episode | None:
    return Episode.objects.select_related("revision").filter(external_id=external_id).first()


def _same_again(known: Episode, data: dict[str, Any], agent: Agent, scenario: Scenario, video: PostedFile) -> Episode:
    # Against the wording it was posted against: a scenario put anew since does not make a repeat a conflict.
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
    else:
        scenario = suite.scenarios.select_related("current").filter(key=data["scenario"]).first()
        if scenario is None:
            faults.append(Fault("#/scenario", f"The suite has no scenario {data['scenario']!r}."))
    if agent is None or scenario is None:
        raise Invalid(faults=faults)
    return agent, scenario


def _complete(data: dict[str, Any], revision: Revision, video: PostedFile) -> tuple[dict[str, Any], str]:
    """The data with the scenario's defaults, and the digest that makes two posts equal."""
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


def _keep(known: Episode | None, fields: dict[str, Any], *, at: datetime) -> Episode:
    if known is None:
        return Episode(created_at=at, **fields)
    # A failed one posted anew: nothing points at it yet, so all of it is replaced.
    for name, value in fields.items():
        setattr(known, name, value)
    known.status, known.problem_code, known.problem_detail = Episode.Status.PREPARING, "", ""
    known.folder = Episode._meta.get_field("folder").get_default()
    known.trajectory = ""
    return known


def _store(episode: Episode, video: PostedFile, trajectory: PostedFile | None) -> None:
    folder = f"episodes/{episode.folder}"
    if video.content is None:
        episode.source = video.stored
    else:
        episode.source = default_storage.save(f"{folder}/source", File(video.content))
    if trajectory is not None and trajectory.content is not None:
        episode.trajectory = default_storage.save(f"{folder}/trajectory", File(trajectory.content))
    episode.save()


def _drop_files(episode: Episode, video: PostedFile) -> None:
    """Take back what `_store` kept; an upload stays, for it may be posted again."""
    if video.content is not None:
        default_storage.delete(episode.source)
    if episode.trajectory:
        default_storage.delete(episode.trajectory)


def fail(*, pk: int, code: str, detail: str) -> None:
    """Note that the video cannot be used, with the reason that its poster reads."""
    Episode.objects.filter(pk=pk, status=Episode.Status.PREPARING).update(
        status=Episode.Status.FAILED, problem_code=code, problem_detail=detail
    )
    logger.info("episode.failed", extra={"episode": pk, "code": code})
