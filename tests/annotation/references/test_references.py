"""References: made from settled tasks or files, corrected and retired, and the effect on workers."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.access.roles import Role
from annotation.models import Annotation, Assignment, Project, Record, ScoreChange, Task
from annotation.references import references
from annotation.work.posting import change_redundancy
from audit.models import AuditEvent
from jobs import outbox
from jobs.models import Job
from lib.faults import Conflict, Invalid
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    client_of,
    make_episode,
    make_project,
    make_staff,
    make_task,
    make_worker,
)
from tests.support.crowds import Checked, checked_project, hold_on, post_many
from tests.support.pages import text_of, words_of
from workforce.models import Worker

pytestmark = pytest.mark.django_db

WHY = {"reason": "looked at it twice", "by": "staff:dora"}


def reviewer_of(project: Project) -> Client:
    return client_of(make_staff("reviewer", Role.REVIEWER, project))


def settled_task(project: Project, worker: Worker, *, outcome: str = "success") -> Task:
    make_task(project, key="settled")
    annotate(claim(project, worker, chance=lambda: 0.99), outcome=outcome)
    return Task.objects.get(project=project, key="settled")


def promote(task: Task, **changes: Any) -> Task:
    confirmed = {"outcome": "success", "frame": 20}
    return references.promote(
        **{"task": task, "confirmed": confirmed, "tolerance_s": 0.5, "at": NOON, **WHY, **changes}
    )


# Promotion -----------------------------------------------------------------------------------------------------


def test_a_settled_task_becomes_a_reference_and_stays_in_the_rankings(alice: Worker, bob: Worker) -> None:
    project = make_project("p", reference_rate=1.0)
    task = settled_task(project, alice)
    make_task(project)
    made = promote(task)

    task.refresh_from_db()
    assert (task.status, task.is_reference, task.open) == ("done", False, False)
    assert (made.key, made.payload, made.promoted_from) == ("ref:settled", task.payload, task)
    assert (made.is_reference, made.truth_class) == (True, True)
    assert made.truth.answers == [{"outcome": "success", "frame": 20, "time_s": 2.0}]
    assert made.truth.tolerance_s == 0.5
    [event] = AuditEvent.objects.filter(verb="reference.promoted")
    assert (event.actor, event.reason, event.detail["task"]) == ("staff:dora", "looked at it twice", "settled")
    assert claim(project, bob, chance=lambda: 0.0).task == made


def test_a_worker_who_held_the_task_never_meets_the_reference(alice: Worker, bob: Worker) -> None:
    project = make_project("p", reference_rate=1.0)
    make_task(project, key="settled")
    given_back = claim(project, bob)
    Assignment.objects.filter(pk=given_back.pk).update(status="released", closed_at=NOON)
    Task.objects.update(slots_left=1, open=True)
    annotate(claim(project, alice))
    made = promote(Task.objects.get(key="settled"))
    post_many(project, 3)
    for worker in (alice, bob):
        assert not claim(project, worker, chance=lambda: 0.0).task.is_reference
    assert claim(project, make_worker(), chance=lambda: 0.0).task == made


def test_a_worker_who_met_the_reference_never_gets_the_task_though_it_opens_again(alice: Worker, bob: Worker) -> None:
    project = make_project("p", reference_rate=0.5)
    task = settled_task(project, alice)
    [other] = post_many(project, 1)
    made = promote(task)
    met = claim(project, bob, chance=lambda: 0.0)
    assert met.task == made
    annotate(met)
    change_redundancy(project=project, redundancy=3, at=NOON)
    task.refresh_from_db()
    assert task.open
    project.refresh_from_db()

    assert claim(project, bob, chance=lambda: 0.0).task == other
    Assignment.objects.filter(worker=bob, status="claimed").update(status="released", closed_at=NOON)
    assert claim(project, bob, chance=lambda: 0.0).task == other
    assert claim(project, make_worker(), chance=lambda: 0.999).task == task


def test_a_key_that_is_taken_or_long_makes_room_for_the_reference(alice: Worker) -> None:
    project = make_project("p")
    task = settled_task(project, alice)
    make_task(project, key="ref:settled", truth="success")
    assert promote(task).key == "ref:settled:2"
    long = make_task(project, key="k" * 128)
    annotate(claim(project, alice))
    assert promote(Task.objects.get(pk=long.pk)).key == "ref:" + "k" * 124


def test_only_a_settled_answer_that_somebody_saw_becomes_a_truth_and_once(alice: Worker) -> None:
    project = make_project("p")
    task = settled_task(project, alice)
    with pytest.raises(Conflict):
        promote(task, confirmed={"outcome": "failure", "frame": 20})
    with pytest.raises(Invalid):
        promote(task, reason=" ")
    reference = promote(task)
    tie = make_task(make_project("tied", redundancy=2), key="tie")
    for outcome in ("success", "failure"):
        annotate(hold_on(tie, make_worker()), outcome=outcome)
    for again in (task, reference, make_task(project), Task.objects.get(key="tie")):
        with pytest.raises(Conflict):
            promote(again)


def test_a_reviewer_makes_a_reference_on_the_page_after_confirming_the_answer(alice: Worker) -> None:
    project = make_project("p")
    task = settled_task(project, alice)
    rita = reviewer_of(project)
    viewer = client_of(make_staff("viewer", Role.VIEWER, project))
    address = f"/staff/projects/p/references/of/{task.pk}/"
    assert "make it a reference" in words_of(rita, "/staff/projects/p/")
    assert "make it a reference" not in words_of(viewer, "/staff/projects/p/")
    assert "✓ success" in words_of(rita, address)
    form = {"confirmed": '{"outcome": "success", "frame": 20}', "tolerance_s": "1.5", "reason": "typical"}
    confirmed = {**form, "confirm": "yes"}
    for refused in (form, {**confirmed, "reason": ""}, {**confirmed, "tolerance_s": "-1"}):
        assert rita.post(address, refused).status_code == 422
    assert not Task.objects.references().exists()
    done = rita.post(address, confirmed)
    made = Task.objects.references().get()
    assert done["Location"] == f"/staff/projects/p/references/{made.pk}/"
    assert made.truth.tolerance_s == 1.5
    assert rita.get(address).status_code == 409


# Files ---------------------------------------------------------------------------------------------------------


def upload(client: Client, *lines: Any) -> Any:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return client.post("/staff/projects/p/references/import/", {"file": SimpleUploadedFile("r.jsonl", text.encode())})


def line(key: str, episode: str, **reference: Any) -> dict[str, Any]:
    return {
        "key": key,
        "payload": {"episode": episode},
        "reference": {"answers": [{"outcome": "success"}], **reference},
    }


def test_references_come_in_by_a_file_and_again_without_harm() -> None:
    rita, episode = reviewer_of(make_project("p")), make_episode().external_id
    for _ in range(2):
        assert upload(rita, line("a", episode), "", line("b", episode, tolerance_s=2)).status_code == 302
        assert Task.objects.references().count() == 2
    assert Task.objects.get(key="b").truth.tolerance_s == 2
    assert [event.detail["created"] for event in AuditEvent.objects.filter(verb="reference.imported")] == [2]
    other = upload(rita, line("c", episode), line("a", episode, tolerance_s=3))
    assert other.status_code == 409
    assert "Line 2, key:" in text_of(other.content.decode())
    assert Task.objects.count() == 2
    assert "no line" in text_of(upload(rita, "", " ").content.decode())


def test_each_wrong_line_of_a_file_is_named_and_nothing_is_made() -> None:
    project = make_project("p")
    rita, episode = reviewer_of(project), make_episode().external_id
    no_truth = {"key": "c", "payload": {"episode": episode}}
    sent = upload(rita, line("a", episode), "{not json", "", no_truth, line("!", episode), line("d", episode, extra=1))
    page = text_of(sent.content.decode())
    assert sent.status_code == 422
    assert "Nothing was made." in page
    for words in (
        "Line 2: This line is not JSON",
        "Line 4, reference: A reference needs",
        "Line 5, key:",
        "Line 6, ref",
    ):
        assert words in page
    assert not Task.objects.exists()


def test_an_error_that_the_tool_finds_names_its_line_too() -> None:
    rita = reviewer_of(make_project("p"))
    make_episode(external_id="e")
    for second, words in (
        (line("b", "no-such-episode"), "Line 3, payload/episode: There is no episode"),
        (line("a", "e"), "Line 3, key: The same key is at line 1"),
        (line("b", "e", answers=[{"outcome": "maybe"}]), "Line 3, reference/answers/0/outcome:"),
        (line("b", "e", answers=[{"outcome": "success", "frame": 999}]), "Line 3, reference/answers/0/frame:"),
    ):
        assert words in text_of(upload(rita, line("a", "e"), "", second).content.decode())
        assert not Task.objects.exists()


# Correcting and retiring ---------------------------------------------------------------------------------------


def answered(worker: Worker, *, right: bool = True) -> Annotation:
    """The worker's one answer, in the project `p` with two references."""
    project = Project.objects.filter(slug="p").first() or checked_project(references=2, gates=[])
    return Checked(project, worker).answer(right=right)


def correct(reference: Task, outcome: str, **changes: Any) -> None:
    answers = [{"outcome": outcome}]
    references.correct(
        **{"reference": reference, "answers": answers, "tolerance_s": None, "at": NOON, **WHY, **changes}
    )


def opposite(reference: Task) -> str:
    return "failure" if reference.truth_class else "success"


def test_a_corrected_truth_scores_its_answers_again_and_each_change_is_stored(pipe: Any, alice: Worker) -> None:
    annotation = answered(alice)
    reference = annotation.task
    before, was = reference.truth.answers, reference.truth_class

    correct(reference, opposite(reference))

    annotation.refresh_from_db()
    reference.refresh_from_db()
    assert annotation.score == 0.0
    assert reference.truth_class is not was
    [change] = ScoreChange.objects.all()
    assert (change.annotation, change.before, change.after) == (annotation, 1.0, 0.0)
    assert (change.event.verb, change.event.reason) == ("reference.corrected", "looked at it twice")
    assert change.event.detail["before"]["answers"] == before
    assert change.event.detail["after"]["answers"][0]["outcome"] == reference.truth.answers[0]["outcome"]
    shown = pipe.get("/api/v1/workers/direct/alice/").json()["reference"]
    said, true = annotation.answer["outcome"], reference.truth.answers[0]["outcome"]
    assert (shown["n"], shown["confusion"][true][said]) == (1, 1)
    for record in Record.objects.filter(worker=alice):
        assert record.references == 1
        assert record.success_success + record.failure_failure == 0


def test_a_retired_reference_counts_nowhere_and_is_served_no_more(pipe: Any, alice: Worker, bob: Worker) -> None:
    annotation = answered(alice, right=False)
    project = annotation.project
    held = claim(project, bob, chance=lambda: 0.0)
    Assignment.objects.filter(pk=held.pk).update(task=annotation.task)

    references.retire(reference=annotation.task, at=NOON, **WHY)

    annotation.refresh_from_db()
    assert annotation.score is None
    assert ScoreChange.objects.get().after is None
    assert pipe.get("/api/v1/workers/direct/alice/").json()["reference"]["n"] == 0
    assert set(Record.objects.filter(worker=alice).values_list("references", "balanced_accuracy")) == {(0, None)}
    late = annotate(Assignment.objects.get(pk=held.pk), outcome="success")
    assert late.score is None, "whoever holds it hands it in, and it counts nowhere"
    newcomer = Checked(project, make_worker())
    assert newcomer.answer(right=True).task_id != annotation.task_id
    nothing_left = Assignment.objects.get(public_id=newcomer.claim().json()["assignment"])
    assert not nothing_left.task.is_reference
    with pytest.raises(Conflict):
        references.retire(reference=annotation.task, at=NOON, **WHY)
    with pytest.raises(Conflict):
        correct(annotation.task, "success")


def test_a_truth_that_the_tool_refuses_or_that_is_the_same_changes_nothing(alice: Worker) -> None:
    annotation = answered(alice)
    wrong: list[list[Any]] = [[], [{"outcome": "maybe"}], [{"frame": 3}], [{"outcome": "success", "frame": 10_000}]]
    for answers in wrong:
        with pytest.raises(Invalid):
            correct(annotation.task, "", answers=answers)
    truth = annotation.task.truth
    correct(annotation.task, truth.answers[0]["outcome"], tolerance_s=truth.tolerance_s)
    annotation.refresh_from_db()
    assert annotation.score == 1.0
    assert not AuditEvent.objects.filter(verb="reference.corrected").exists()


def test_many_answers_are_scored_again_in_the_background_once_however_often_it_runs(
    monkeypatch: pytest.MonkeyPatch, alice: Worker
) -> None:
    monkeypatch.setattr(references, "AT_ONCE", 2)
    monkeypatch.setattr(references, "BATCH", 2)
    annotation = answered(alice)
    reference = annotation.task
    for _ in range(4):
        held = claim(annotation.project, make_worker(), chance=lambda: 0.0)
        Assignment.objects.filter(pk=held.pk).update(task=reference)
        held.task = reference
        annotate(held, outcome=annotation.answer["outcome"])
    correct(reference, opposite(reference))

    [job] = Job.objects.filter(kind=references.RESCORE)
    assert Annotation.objects.filter(score=1.0).count() == 5, "not yet"
    assert outbox.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.progress) == (Job.State.DONE, 1.0)
    assert Annotation.objects.filter(task=reference, score=0.0).count() == 5
    assert ScoreChange.objects.count() == 5
    assert set(Record.objects.filter(project=None).values_list("references", flat=True)) == {1}
    Job.objects.filter(pk=job.pk).update(state="waiting", finished_at=None, due_at=timezone.now())
    assert outbox.run(job.pk)
    assert ScoreChange.objects.count() == 5, "a second run finds nothing to change"


def test_reviewers_correct_and_retire_on_the_page(alice: Worker) -> None:
    annotation = answered(alice)
    reference = annotation.task
    rita = reviewer_of(annotation.project)
    address = f"/staff/projects/p/references/{reference.pk}/"
    page = words_of(rita, address)
    assert alice.pseudonym[:8] in page
    assert "alice" not in page
    assert "✓ right" in page
    form = {"answers": json.dumps({"outcome": opposite(reference)}), "tolerance_s": "", "reason": "seen again"}
    for act, wrong in (("correct/", {"reason": ""}), ("retire/", {"reason": ""}), ("correct/", {"answers": "success"})):
        assert rita.post(address + act, {**form, **wrong}).status_code == 422
    assert rita.post(f"{address}correct/", form)["Location"] == address
    page = words_of(rita, address)
    assert all(words in page for words in ("✕ wrong was 1", "reference.corrected", "seen again"))
    assert rita.post(f"{address}retire/", {"reason": "dull"})["Location"] == address
    page = words_of(rita, address)
    assert "does not count" in page
    assert "Correct it" not in page


# The page ------------------------------------------------------------------------------------------------------
