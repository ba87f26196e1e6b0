"""`manage.py simulate`: a crowd of programs at work through a running server, and what it refuses."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, GateAction, Project
from annotation.quality import gates
from demo.crowds.simulation import NAME_PREFIX, PLATFORM
from tests.support.builders import annotate, claim, make_project, make_qualification, make_worker
from tests.support.crowds import post_many
from workforce.consent import page_for
from workforce.models import Consent, Worker

WORKERS, ANSWERS = 5, 12


def simulate(project: str, *args: str) -> str:
    told = StringIO()
    call_command("simulate", project, *args, stdout=told)
    return told.getvalue()


def ready(**changes: Any) -> Project:
    """A live project with gates, references, an information page and a quiz."""
    gates = [{"action": "pause", "below": 0.7, "minimum_n": 4, "alpha": 0.2, "beta": 0.2}]
    return make_project(
        redundancy=2, reference_rate=0.6, limit_per_worker=ANSWERS, gates=gates, base_pay="0.10", **changes
    )


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.by_chance
@pytest.mark.django_db(transaction=True)
def test_a_crowd_works_through_the_running_server_and_the_command_prints_the_results(
    live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "LAG", (0, 0))
    page = page_for("You help.", at=make_worker().created_at)
    project = ready(consent_page=page, qualification=make_qualification())
    task = post_many(project, 20)[0]
    episode = task.payload["episode"]
    for outcome in ("success", "failure"):
        post_many(project, 10, episode=episode, truth=outcome)
    args = ["--workers", str(WORKERS), "--answers", str(ANSWERS), "--url", live_server.url]
    told = simulate(project.slug, *args, "--kinds", "honest=3,always_success=2")

    crew = Worker.objects.filter(platform=PLATFORM)
    assert crew.count() == WORKERS
    assert all(one.is_simulated and one.external_id.startswith(NAME_PREFIX) for one in crew)
    assert all(one.status == Worker.Status.ACTIVE for one in crew)
    assert Consent.objects.current().filter(worker__in=crew, page=page).count() == WORKERS
    handed_in = Annotation.objects.filter(project=project)
    assert 0 < handed_in.count() <= WORKERS * ANSWERS
    paused = GateAction.objects.pauses().filter(enrolment__project=project)
    assert paused.exists(), "who says success to everything is paused within a dozen references of this gate"
    assert {action.enrolment.worker.external_id.split("-")[2] for action in paused} <= {"always", "honest"}
    rows = {line.split()[0]: line.split()[1:4] for line in told.splitlines() if line.startswith(("honest", "always"))}
    by_kind = {
        kind: handed_in.filter(worker__external_id__contains=kind.split("_")[0])
        for kind in ("honest", "always_success")
    }
    for kind, size in (("honest", 3), ("always_success", 2)):
        references = by_kind[kind].on_references().count()
        assert rows[kind] == [str(size), str(by_kind[kind].count()), str(references)], told
    assert "settled" in told
    assert "People would have cost" in told


@pytest.mark.django_db
def test_it_refuses_where_people_have_answered() -> None:
    project = make_project(redundancy=2)
    post_many(project, 1)
    annotate(claim(project, make_worker()))
    with pytest.raises(CommandError, match="would mix with theirs"):
        simulate(project.slug)
    assert not Worker.objects.filter(platform=PLATFORM).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "args", "says"),
    [
        (Project.Status.PAUSED, [], "Make it live first"),
        (Project.Status.LIVE, ["--kinds", "honst=1"], "there is no kind 'honst'"),
        (Project.Status.LIVE, ["--kinds", "honest"], "could not convert"),
        (Project.Status.LIVE, ["--workers", "1", "--url", "http://127.0.0.1:9"], "Nothing answers"),
    ],
)
def test_it_says_why_it_cannot_begin(status: Project.Status, args: list[str], says: str) -> None:
    project = make_project(status=status)
    with pytest.raises(CommandError, match=says):
        simulate(project.slug, *args)
    with pytest.raises(CommandError, match="no project 'nowhere'"):
        simulate("nowhere")
