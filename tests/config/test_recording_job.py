"""A command of a session becomes an episode that can be judged: requested through the API, made by a job."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from rest_framework.test import APIClient

from annotation.models import Task
from config import recording_job
from evaluation.marker import marker
from evaluation.models import Episode, Film
from interaction import privacy as sessions_privacy
from interaction.models import Event, Posting, Session
from interaction.recordings.requests import RECORD
from interaction.session.ending import end_session
from jobs import outbox
from jobs.models import Job
from lib.video.frames import FrameTable
from tests.support.builders import make_scenario, make_suite
from tests.support.sessions import LiveWorker, both, judged
from workforce.privacy import person_of

pytestmark = pytest.mark.django_db
FORM = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD"}]}
AT = {"suite": "live", "scenario": "build"}


def a_session() -> LiveWorker:
    """A session: ten quiet seconds, a command that takes three seconds, and a second command."""
    worker, agent = both()
    worker.wait(10)
    worker.send("command", id="c1", text="build a red cube")
    for state, seconds in (("received", 0.1), ("thinking", 0.4), ("acting", 1)):
        worker.wait(seconds)
        agent.send(worker, "status", command="c1", state=state)
    agent.send(worker, "parse", command="c1", form=FORM)
    for x in (3, 4):
        worker.wait(0.5)
        agent.send(worker, "blocks", changes=[[x, 10, 5, 57]])
    agent.send(worker, "say", text="There it is.")
    worker.wait(0.5)
    agent.send(worker, "status", command="c1", state="done")
    worker.wait(4)
    worker.send("mark", command="c1", node="done", choice=0)
    judged(worker, agent, "c2", "dance")
    worker.wait(30)
    return worker


def ended(worker: LiveWorker) -> LiveWorker:
    end_session(worker.session.pk, Session.Reason.LEFT, at=worker.at)
    return worker


@pytest.fixture
def worker() -> LiveWorker:
    make_scenario(make_suite("live"), "build")
    return ended(a_session())


def address(worker: LiveWorker) -> str:
    return f"/api/v1/sessions/{worker.session.public_id}/episodes/"


def post(pipe: APIClient, worker: LiveWorker, **body: Any) -> Any:
    return pipe.post(address(worker), {"command": 1, **AT, **body}, format="json")


def run_jobs() -> list[bool]:
    """Run all waiting jobs, and those that they queue."""
    done = []
    while waiting := list(Job.objects.unfinished().order_by("pk").values_list("pk", flat=True)):
        done += [outbox.run(pk) for pk in waiting]
    return done


def test_a_command_becomes_an_episode_that_can_be_marked(pipe: APIClient, worker: LiveWorker) -> None:
    answer = post(pipe, worker)
    name = f"session-{worker.session.public_id}-1"
    assert (answer.status_code, answer.json()["episode"], answer.json()["status"]) == (202, name, "queued")
    run_jobs()
    episode = Episode.objects.get(external_id=name)
    assert (episode.status, episode.problem_detail) == ("ready", "")
    assert (episode.instruction, episode.takeover_s, episode.continuation) == ("build a red cube", 5.0, 0)
    assert episode.agent == worker.session.agent
    assert episode.reference is None
    assert episode.transcript == [
        {"at_s": 5.0, "speaker": "player", "text": "build a red cube"},
        {"at_s": 7.5, "speaker": "agent", "text": "There it is."},
    ]
    assert episode.metadata == {
        "session": worker.session.public_id,
        "command": 1,
        "outcome": "ok",
        "form": FORM,
    }
    film = Film.objects.get(episode=episode)
    table = FrameTable.from_json(film.table)
    times = [table.time_s(frame) for frame in range(len(table))]
    # The moments of the film: begin, command, received, thinking, acting, two blocks, done, end.
    assert times == [0.0, 5.0, 5.25, 5.5, 6.5, 7.0, 7.5, 8.0, 10.0]
    assert film.duration_s == pytest.approx(10.25)
    shown = marker.present(Task(payload={"episode": name}), hold=f"episode:{name}")
    assert (shown["instruction"], shown["takeover_s"]) == ("build a red cube", 5.0)
    assert shown["markable"] == {"first": 1, "last": 8, "never": 7}
    (posted,) = pipe.get(address(worker)).json()["results"]
    assert (posted["status"], posted["continuation"], posted["problem"]) == ("posted", 0, None)
    # The log of the session is the trajectory.
    with default_storage.open(episode.trajectory) as file:
        lines = [json.loads(line) for line in file.read().decode().splitlines()]
    kept = Event.objects.filter(session=worker.session).order_by("seq")
    assert [(line["seq"], line["body"]) for line in lines] == [(event.seq, event.body) for event in kept]


def test_posting_again_and_a_job_that_runs_again_change_nothing(pipe: APIClient, worker: LiveWorker) -> None:
    first = post(pipe, worker).json()
    assert post(pipe, worker).json() == first
    run_jobs()
    done = post(pipe, worker)
    assert (done.status_code, done.json()["status"]) == (202, "posted")
    assert run_jobs() == []
    # A job that died after posting runs again.
    Posting.objects.update(status="queued", posted_at=None, continuation=None)
    posting = Posting.objects.get()
    outbox.enqueue(RECORD, str(posting.pk))
    run_jobs()
    posting.refresh_from_db()
    assert (posting.status, posting.problem, posting.continuation) == ("posted", "", 0)
    assert (Episode.objects.count(), Posting.objects.count()) == (1, 1)


def test_each_command_is_the_next_try(pipe: APIClient, worker: LiveWorker) -> None:
    post(pipe, worker)
    post(pipe, worker, command=2, context_s=0)
    run_jobs()
    tries = Episode.objects.order_by("pk").values_list("continuation", "takeover_s", "instruction")
    assert list(tries) == [(0, 5.0, "build a red cube"), (1, 0.0, "dance")]


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"command": 3}, 422, "#/command"),
        ({"command": 0}, 422, "#/command"),
        ({"scenario": "none"}, 422, "#/scenario"),
        ({"context_s": 61}, 422, "#/context_s"),
        ({"colour": 1}, 422, "#/colour"),
    ],
)
def test_a_missing_command_or_scenario_or_a_bad_field_is_refused(
    body: dict[str, Any], status: int, pointer: str, pipe: APIClient, worker: LiveWorker
) -> None:
    answer = post(pipe, worker, **body)
    assert answer.status_code == status
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
    assert not Posting.objects.exists()


def test_a_session_that_goes_on_is_not_posted(pipe: APIClient) -> None:
    make_scenario(make_suite("live"), "build")
    worker, agent = both()
    judged(worker, agent)
    assert post(pipe, worker).status_code == 409
    ended(worker)
    assert post(pipe, worker).status_code == 202


def test_a_session_that_is_not_there_is_not_found(pipe: APIClient, worker: LiveWorker) -> None:
    gone = "/api/v1/sessions/nobody/episodes/"
    assert pipe.get(gone).status_code == 404
    assert pipe.post(gone, {"command": 1, **AT}, format="json").status_code == 404


def test_another_scenario_is_a_conflict_until_the_first_has_failed(pipe: APIClient, worker: LiveWorker) -> None:
    make_scenario(make_suite("other"), "build")
    post(pipe, worker)
    assert post(pipe, worker, suite="other").status_code == 409
    recording_job.abandon(str(Posting.objects.get().pk))
    failed = pipe.get(address(worker)).json()["results"][0]
    assert failed["status"] == "failed"
    assert "Background work" in failed["problem"]
    Job.objects.all().delete()
    assert post(pipe, worker, suite="other").status_code == 202
    run_jobs()
    assert Episode.objects.get().scenario.suite.slug == "other"


def test_a_try_that_is_taken_fails_with_its_reason(pipe: APIClient, worker: LiveWorker) -> None:
    post(pipe, worker)
    post(pipe, worker, command=2, continuation=0)
    run_jobs()
    second = Posting.objects.get(number=2)
    assert second.status == "failed"
    assert "Continuation 0 of this agent is there already." in second.problem


def test_a_film_too_long_fails_with_its_length(pipe: APIClient, worker: LiveWorker, settings: Any) -> None:
    settings.VIDEO_MAX_DURATION_S = 5
    post(pipe, worker)
    run_jobs()
    assert Posting.objects.get().problem == "The film would last 10 s; at most 5 s are taken."
    assert not Episode.objects.exists()


def test_an_erasure_removes_the_words_of_an_episode(pipe: APIClient, worker: LiveWorker) -> None:
    post(pipe, worker)
    run_jobs()
    ends = worker.now().ended_at
    assert ends is not None
    assert not sessions_privacy.old_postings(ends).exists()
    assert sessions_privacy.old_postings(ends + timedelta(seconds=1)).count() == 1
    removed = recording_job.erase(person_of(worker.session.assignment.worker), worker.at)
    assert removed == {"episodes_of_sessions": 1}
    shown = json.dumps(pipe.get(f"/api/v1/episodes/{Episode.objects.get().external_id}/").json())
    assert "cube" not in shown
    assert "There it is" not in shown
    assert pipe.get(f"/api/v1/episodes/{Episode.objects.get().external_id}/trajectory").status_code == 404
    assert Episode.objects.get().status == "ready"
