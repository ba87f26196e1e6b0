"""Recordings of live sessions become episodes: the one place that knows both."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max

from common.api import read
from common.errors import Conflict, Fault
from common.mentions import REMOVED
from evaluation.api.episodes import EpisodeData
from evaluation.episodes import PostedFile, post_episode
from evaluation.models import Episode, Scenario
from interaction.recordings.posting import Choice, post_with

_TRIES: Final = 5


class Episodes:
    """The `Poster` of recordings; see there for what each function answers."""

    def choices(self) -> list[Choice]:
        rows = Scenario.objects.exclude(current=None).order_by("suite__slug", "key")
        return [Choice(*row) for row in rows.values_list("suite__slug", "key", "current__instruction")]

    def faults(self, suite: str, scenario: str) -> list[Fault]:
        if Scenario.objects.filter(suite__slug=suite, key=scenario).exclude(current=None).exists():
            return []
        return [Fault("#/scenario", f"There is no scenario {scenario!r} in a suite {suite!r}.")]

    def post(self, data: Mapping[str, Any], *, video: Path, trajectory: bytes, at: datetime) -> int:
        if data.get("continuation") is not None:
            return self._post({**data}, video, trajectory, at=at)
        for left in reversed(range(_TRIES)):
            try:
                return self._post({**data, "continuation": _next_free(data)}, video, trajectory, at=at)
            except Conflict:
                # Somebody may have taken the number meanwhile; whoever has the id has it for good.
                if not left or Episode.objects.filter(external_id=data["external_id"]).exists():
                    raise
        raise AssertionError("unreachable")

    def take_words_out(self, episodes: Sequence[str]) -> int:
        found = Episode.objects.filter(external_id__in=episodes).exclude(instruction=REMOVED)
        changed = list(found)
        for episode in changed:
            with transaction.atomic():
                if episode.trajectory:
                    # After the commit: were it undone, the episode would name a file that is gone.
                    transaction.on_commit(partial(default_storage.delete, episode.trajectory))
                episode.instruction, episode.trajectory = REMOVED, ""
                episode.transcript = [{**line, "text": REMOVED} for line in episode.transcript]
                episode.metadata = {**episode.metadata, "form": None}
                episode.save(update_fields=["instruction", "trajectory", "transcript", "metadata"])
        return len(changed)

    def _post(self, data: dict[str, Any], video: Path, trajectory: bytes, *, at: datetime) -> int:
        checked = read(EpisodeData, data)
        lines = PostedFile("log.jsonl", sha256(trajectory).hexdigest(), BytesIO(trajectory))
        with video.open("rb") as content:
            film = PostedFile(video.name, file_digest(content, "sha256").hexdigest(), content)
            episode, _ = post_episode(data=checked, video=film, trajectory=lines, at=at)
        return episode.continuation


def _next_free(data: Mapping[str, Any]) -> int:
    """The continuation that an episode of this id has, or else the one after all of this agent at the scenario."""
    known = Episode.objects.filter(external_id=data["external_id"]).values_list("continuation", flat=True).first()
    if known is not None:
        return known
    tries = Episode.objects.filter(
        agent__slug=data["agent"], scenario__key=data["scenario"], scenario__suite__slug=data["suite"]
    )
    last: int | None = tries.aggregate(last=Max("continuation"))["last"]
    return 0 if last is None else last + 1


def register() -> None:
    """Called once, when the app is ready."""
    post_with(Episodes())
