"""Recordings of live sessions become episodes. Only this module calls both `interaction` and `evaluation`."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import file_digest, sha256
from io import BytesIO
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from common.serializers import read
from evaluation.episodes import PostedFile, post_as_next, post_episode, remove_words
from interaction import privacy as sessions_privacy
from interaction.models import Posting
from interaction.recordings import making
from interaction.recordings.making import Recording
from jobs.outbox import Running
from lib.faults import CrosswalkError, ServerFault
from lib.files.scratch import scratch_folder
from web.api.episodes import EpisodeData
from workforce.privacy import Person


def record(running: Running) -> None:
    """Job handler: makes the film of a command and posts it as an episode.

    The job may run again after a crash; it does nothing for a posting that is posted or has failed.
    """
    posting = making.queued(running.subject)
    if posting is None:
        return
    try:
        with scratch_folder(settings.SCRATCH_DIR) as scratch:
            recording = making.make_recording(posting, running, folder=scratch)
            continuation = _post(recording, at=timezone.now())
    except ServerFault:
        raise
    except CrosswalkError as refused:
        # Another attempt would be refused too. Staff read the reason, and may ask for something else.
        _fail(posting, "; ".join(fault.detail for fault in refused.faults) or refused.detail)
        return
    _remove_erased_words(posting)
    making.mark_posted(posting, continuation=continuation, at=timezone.now())


def abandon(subject: str) -> None:
    """Mark the posting as failed when every attempt of its job has failed; staff see the job's error."""
    posting = Posting.objects.get(pk=int(subject))
    _fail(posting, "The film could not be made, and we could not find out why. Background work has the error.")


def _fail(posting: Posting, problem: str) -> None:
    # An attempt before this one may have posted the episode and died.
    _remove_erased_words(posting)
    making.mark_failed(posting, problem)


def _post(recording: Recording, *, at: datetime) -> int:
    """Post the episode; posting it again changes nothing.

    Returns:
        The continuation of the episode: the one that the data names, or else the next free one.

    Raises:
        Invalid: the data does not fit.
        Conflict: the id or the continuation belongs to another episode.
    """
    data = recording.data
    if data["continuation"] is not None:
        return _post_once(recording, data, at=at)
    return post_as_next(data, lambda numbered: _post_once(recording, numbered, at=at))


def _post_once(recording: Recording, data: Mapping[str, Any], *, at: datetime) -> int:
    checked = read(EpisodeData, data)
    log = recording.log
    trajectory = PostedFile("log.jsonl", sha256(log).hexdigest(), BytesIO(log))
    with recording.video.open("rb") as content:
        video = PostedFile(recording.video.name, file_digest(content, "sha256").hexdigest(), content)
        episode, _ = post_episode(data=checked, video=video, trajectory=trajectory, at=at)
    return episode.continuation


# Erasure -----------------------------------------------------------------------------------------------------


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Remove the person's words from every episode made of their sessions.

    Order: runs after the eraser of sessions, which locks and empties the commands; see `_remove_erased_words`.
    """
    return {"episodes_of_sessions": _remove_words(sessions_privacy.postings_of(person.worker))}


def remove_old_words(before: datetime) -> int:
    """Remove the words from episodes of sessions that ended before that time; returns how many episodes changed."""
    return _remove_words(sessions_privacy.old_postings(before))


def _remove_words(postings: QuerySet[Posting]) -> int:
    episodes = dict(postings.values_list("pk", "episode"))
    changed = remove_words(list(episodes.values()))
    Posting.objects.filter(pk__in=episodes).update(has_words=False)
    return changed


def _remove_erased_words(posting: Posting) -> None:
    """Remove the words from the episode if they were erased from the session while the film was made.

    Call it before the posting's status changes, so that a job that dies in between does it again.
    """
    with transaction.atomic():
        # An erasure that is running holds the command's row: this waits until it has ended.
        if sessions_privacy.lock_and_ask_if_erased(posting):
            _remove_words(Posting.objects.filter(pk=posting.pk))
