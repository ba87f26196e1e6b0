"""Words that were taken out of a session are in no episode made of it, whenever the job that makes it died."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import transaction
from rest_framework.test import APIClient

from common.mentions import REMOVED
from evaluation.models import Episode
from interaction import privacy
from interaction.models import Posting
from interaction.recordings import film, making
from interaction.recordings import privacy as recorded_words
from interaction.recordings.posting import poster
from jobs import outbox
from tests.builders import make_scenario, make_suite
from tests.interaction.live import Worker
from tests.interaction.recordings.test_posting import a_session, ended, post, run_jobs
from workforce.privacy import person_of

pytestmark = pytest.mark.django_db
Committing = Callable[..., AbstractContextManager[list[Callable[[], Any]]]]


@pytest.fixture
def worker() -> Worker:
    make_scenario(make_suite("live"), "build")
    return ended(a_session())


def posted_by_a_job_that_died(pipe: APIClient, worker: Worker) -> Posting:
    """The episode is there, and its posting still waits."""
    post(pipe, worker)
    run_jobs()
    Posting.objects.update(status="queued", posted_at=None, continuation=None)
    return Posting.objects.get()


def erase_words(worker: Worker) -> None:
    privacy.erase(person_of(worker.session.assignment.worker), worker.at)


def test_an_episode_of_a_job_that_died_loses_them_when_the_job_comes_again(pipe: APIClient, worker: Worker) -> None:
    posting = posted_by_a_job_that_died(pipe, worker)
    erase_words(worker)
    outbox.enqueue(making.RECORD, str(posting.pk))
    run_jobs()
    posting.refresh_from_db()
    assert (posting.status, posting.has_words) == ("failed", False)
    assert Episode.objects.get().instruction == REMOVED


def test_an_episode_of_a_job_that_is_given_up_loses_them(pipe: APIClient, worker: Worker) -> None:
    posting = posted_by_a_job_that_died(pipe, worker)
    erase_words(worker)
    making.abandon(str(posting.pk))
    posting.refresh_from_db()
    assert (posting.status, posting.has_words) == ("failed", False)
    assert Episode.objects.get().instruction == REMOVED


@pytest.mark.parametrize("status", ["queued", "failed"])
def test_an_erasure_finds_the_episode_whatever_became_of_its_job(status: str, pipe: APIClient, worker: Worker) -> None:
    posting = posted_by_a_job_that_died(pipe, worker)
    if status == "failed":
        making.abandon(str(posting.pk))
    ends = worker.now().ended_at
    assert ends is not None
    assert recorded_words.old(ends + timedelta(seconds=1)).count() == 1
    recorded_words.erase(person_of(worker.session.assignment.worker), worker.at)
    assert Episode.objects.get().instruction == REMOVED


def test_words_that_go_while_the_film_is_made_go_from_the_episode(
    pipe: APIClient, worker: Worker, monkeypatch: pytest.MonkeyPatch
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


def test_the_log_of_an_episode_goes_only_with_the_commit(
    pipe: APIClient, worker: Worker, django_capture_on_commit_callbacks: Committing
) -> None:
    post(pipe, worker)
    run_jobs()
    episode = Episode.objects.get()
    log = episode.trajectory

    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        poster().take_words_out([episode.external_id])
        transaction.set_rollback(True)
    assert default_storage.exists(log)
    with django_capture_on_commit_callbacks(execute=True):
        poster().take_words_out([episode.external_id])
    assert not default_storage.exists(log)
