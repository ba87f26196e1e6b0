"""Words erased from a session are in no episode made of it, whenever the job that makes the episode died."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import transaction
from rest_framework.test import APIClient

from commands.models import Command
from common.redaction import REMOVED
from config import recording_job
from evaluation.episodes import remove_words
from evaluation.models import Episode
from interaction import privacy
from interaction import privacy as sessions_privacy
from interaction.models import Posting
from interaction.recordings import film
from interaction.recordings.requests import RECORD
from jobs import outbox
from tests.config.test_recording_job import a_session, ended, post, run_jobs
from tests.support.builders import make_scenario, make_suite
from tests.support.sessions import LiveWorker
from workforce.privacy import person_of, request_erasure

pytestmark = pytest.mark.django_db
Committing = Callable[..., AbstractContextManager[list[Callable[[], Any]]]]


@pytest.fixture
def worker() -> LiveWorker:
    make_scenario(make_suite("live"), "build")
    return ended(a_session())


def posted_by_a_job_that_died(pipe: APIClient, worker: LiveWorker) -> Posting:
    """The posting of a job that died between posting the episode and marking the posting."""
    post(pipe, worker)
    run_jobs()
    Posting.objects.update(status="queued", posted_at=None, continuation=None)
    return Posting.objects.get()


def erase_words(worker: LiveWorker) -> None:
    privacy.erase(person_of(worker.session.assignment.worker), worker.at)


@pytest.mark.parametrize("is_abandoned", [False, True], ids=["runs again", "is abandoned"])
def test_an_episode_of_a_job_that_died_loses_its_words_when_the_job_ends(
    is_abandoned: bool, pipe: APIClient, worker: LiveWorker
) -> None:
    posting = posted_by_a_job_that_died(pipe, worker)
    erase_words(worker)
    if is_abandoned:
        recording_job.abandon(str(posting.pk))
    else:
        outbox.enqueue(RECORD, str(posting.pk))
        run_jobs()
    posting.refresh_from_db()
    assert (posting.status, posting.has_words) == ("failed", False)
    assert Episode.objects.get().instruction == REMOVED


@pytest.mark.parametrize("status", ["queued", "failed"])
def test_an_erasure_finds_the_episode_of_an_unfinished_or_failed_posting(
    status: str, pipe: APIClient, worker: LiveWorker
) -> None:
    posting = posted_by_a_job_that_died(pipe, worker)
    if status == "failed":
        recording_job.abandon(str(posting.pk))
    ends = worker.now().ended_at
    assert ends is not None
    assert sessions_privacy.old_postings(ends + timedelta(seconds=1)).count() == 1
    recording_job.erase(person_of(worker.session.assignment.worker), worker.at)
    assert Episode.objects.get().instruction == REMOVED


def test_words_erased_while_the_film_is_made_are_removed_from_the_episode(
    pipe: APIClient, worker: LiveWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = film.write

    def write_and_erase(*args: Any, **more: Any) -> Any:
        erase_words(worker)
        return write(*args, **more)

    monkeypatch.setattr(film, "write", write_and_erase)
    post(pipe, worker)
    run_jobs()
    posting, episode = Posting.objects.get(), Episode.objects.get()
    assert (posting.status, posting.has_words) == ("posted", False)
    assert (episode.instruction, episode.trajectory) == (REMOVED, "")


def test_the_trajectory_of_an_episode_is_deleted_only_after_the_commit(
    pipe: APIClient, worker: LiveWorker, django_capture_on_commit_callbacks: Committing
) -> None:
    post(pipe, worker)
    run_jobs()
    episode = Episode.objects.get()
    log = episode.trajectory

    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        remove_words([episode.external_id])
        transaction.set_rollback(True)
    assert default_storage.exists(log)
    with django_capture_on_commit_callbacks(execute=True):
        remove_words([episode.external_id])
    assert not default_storage.exists(log)


def test_an_erasure_empties_the_commands_before_it_looks_for_their_episodes(
    pipe: APIClient, worker: LiveWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that posts an episode meanwhile waits for the command's row, and finds its words gone."""
    post(pipe, worker)
    run_jobs()
    texts: list[str] = []

    def remove_and_look(episodes: list[str]) -> int:
        texts.extend(Command.objects.values_list("text", flat=True))
        return remove_words(episodes)

    monkeypatch.setattr(recording_job, "remove_words", remove_and_look)
    request_erasure(worker=worker.session.assignment.worker, by="staff:ada", at=worker.at)
    run_jobs()
    assert set(texts) == {REMOVED}
    assert Episode.objects.get().instruction == REMOVED
