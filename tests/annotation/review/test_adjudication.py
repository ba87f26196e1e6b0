"""Deciding about a task: answers, with one person and with two; closing, asking for more, leaving it as it is."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.models import Adjudication, Assignment, Consensus, Project, Task
from annotation.work.leases import report
from audit.models import AuditEvent
from tests.support.builders import (
    NOON,
    account,
    annotate,
    answer_to,
    claim,
    make_project,
    make_task,
    make_worker,
    paused,
    signed_in,
    tied_task,
)
from tests.support.calls import lines
from tests.support.pages import assert_flat, text_of, words_of
from web.staff.addresses import task_page

SUCCESS = json.dumps({"outcome": "success", "frame": 25})
WHY = "The ball touches the key from there on."


@pytest.fixture
def rae(db: None) -> Client:
    """A reviewer of every project."""
    return signed_in(account("rae"))


@pytest.fixture
def sam(db: None) -> Client:
    """Another one."""
    return signed_in(account("sam"))


def decide(client: Client, task: Task, act: str, accept: str = "text/html", **fields: Any) -> Any:
    return client.post(f"{task_page(task.pk)}decide/", {"act": act, **fields}, headers={"accept": accept})


def script(client: Client, task: Task, act: str, **fields: Any) -> Any:
    return decide(client, task, act, accept="application/json", **fields)


def consensus(task: Task) -> Consensus:
    return Consensus.objects.get(task=task)


def acts_on(task: Task) -> list[str]:
    return list(AuditEvent.objects.filter(subject_kind="task", subject=str(task.pk)).values_list("verb", flat=True))


def test_a_reviewers_answer_outranks_the_votes(rae: Client, pipe: Any) -> None:
    task = tied_task()
    answer = decide(rae, task, "adjudicate", answer=SUCCESS, reason=WHY)
    assert answer["Location"] == "/staff/review/"
    found = consensus(task)
    assert (found.method, found.answer["outcome"], found.answer["frame"]) == ("adjudicated", "success", 25)
    assert not found.needs_review
    made = Adjudication.objects.get(task=task)
    assert (made.status, made.reason, made.by.get_username()) == ("standing", WHY, "rae")
    assert acts_on(task) == ["task.adjudicated"]
    event = AuditEvent.objects.get(verb="task.adjudicated")
    assert (event.actor, event.reason, event.detail["answer"]["frame"]) == ("staff:rae", WHY, 25)
    (line,) = lines(pipe.get(f"/api/v1/projects/{task.project.slug}/consensus.jsonl"))
    assert (line["method"], line["answer"]["outcome"]) == ("adjudicated", "success")


def test_after_a_decision_comes_the_next_of_the_same_queue(rae: Client) -> None:
    first, second = tied_task(), tied_task()
    paused()
    address = f"{task_page(first.pk)}decide/?kind=disagreement"
    answer = rae.post(address, {"act": "adjudicate", "answer": SUCCESS, "reason": WHY})
    assert answer["Location"] == f"{task_page(second.pk)}?kind=disagreement"
    assert "is decided" in words_of(rae, answer["Location"])
    said = script(rae, second, "adjudicate", answer=SUCCESS, reason=WHY).json()
    assert said["next"].startswith("/staff/review/pauses/")


def test_a_workers_answer_can_be_taken(rae: Client) -> None:
    task = tied_task()
    decide(rae, task, "adjudicate", pick=answer_to(task).public_id, reason=WHY)
    assert consensus(task).answer["frame"] == answer_to(task).answer["frame"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"answer": SUCCESS, "reason": "  "}, "#/reason"),
        ({"answer": "{", "reason": WHY}, "#/answer"),
        ({"answer": json.dumps({"outcome": "success", "frame": 0}), "reason": WHY}, "#/answer/frame"),
        ({"answer": json.dumps({"outcome": "maybe", "frame": 25}), "reason": WHY}, "#/answer/outcome"),
        ({"answer": SUCCESS, "reason": "x" * 2001}, "#/reason"),
        ({"pick": "nobody", "reason": WHY}, "#/answer"),
    ],
)
def test_a_fault_is_said_beside_the_form_and_nothing_typed_is_lost(
    rae: Client, fields: dict[str, str], pointer: str
) -> None:
    task = tied_task()
    problem = script(rae, task, "adjudicate", **fields)
    assert problem.status_code == 422
    assert problem["Content-Type"] == "application/problem+json"
    assert [fault["pointer"] for fault in problem.json()["errors"]] == [pointer]
    page = decide(rae, task, "adjudicate", **fields)
    assert page.status_code == 422
    assert fields["reason"].strip() in text_of(page.content.decode())
    assert not Adjudication.objects.exists()
    assert consensus(task).method == "majority"


def test_a_later_decision_replaces_the_earlier(rae: Client, sam: Client) -> None:
    task = tied_task()
    decide(rae, task, "adjudicate", answer=SUCCESS, reason=WHY)
    decide(sam, task, "adjudicate", answer=json.dumps({"outcome": "failure", "frame": 40}), reason="It fell off.")
    assert consensus(task).answer["outcome"] == "failure"
    assert list(Adjudication.objects.order_by("pk").values_list("status", flat=True)) == ["replaced", "standing"]


def test_taking_a_decision_back_lets_the_votes_decide_again(rae: Client) -> None:
    task = tied_task()
    decide(rae, task, "adjudicate", answer=SUCCESS, reason=WHY)
    decide(rae, task, "take_back", reason="I looked at the wrong ball.")
    assert (consensus(task).method, consensus(task).answer["outcome"]) == ("majority", None)
    assert acts_on(task) == ["task.adjudicated", "task.adjudication_taken_back"]


# Two persons ---------------------------------------------------------------------------------------------------


@pytest.fixture
def proposed(rae: Client) -> Task:
    """A tie for which rae proposed an answer, where two must agree."""
    task = tied_task(make_project("careful", redundancy=2, two_person_review=True))
    decide(rae, task, "adjudicate", answer=SUCCESS, reason=WHY)
    return task


def proposal(task: Task) -> str:
    return str(Adjudication.objects.get(task=task, status="proposed").pk)


def test_a_proposal_does_not_count(proposed: Task) -> None:
    assert (consensus(proposed).method, consensus(proposed).answer["outcome"]) == ("majority", None)
    assert acts_on(proposed) == ["task.adjudication_proposed"]


def test_a_second_person_makes_it_count(proposed: Task, sam: Client) -> None:
    assert "rae proposed ✓ success" in words_of(sam, f"{task_page(proposed.pk)}?plain=1")
    decide(sam, proposed, "confirm", proposal=proposal(proposed))
    assert (consensus(proposed).method, consensus(proposed).answer["frame"]) == ("adjudicated", 25)
    made = Adjudication.objects.get(task=proposed)
    assert made.second is not None
    assert (made.status, made.second.get_username()) == ("standing", "sam")


def test_the_same_person_cannot_confirm(proposed: Task, rae: Client) -> None:
    assert "Confirm the proposal" not in words_of(rae, f"{task_page(proposed.pk)}?plain=1")
    answer = script(rae, proposed, "confirm", proposal=proposal(proposed))
    assert (answer.status_code, answer.json()["code"]) == (409, "same_person")
    assert consensus(proposed).method == "majority"
    made = Adjudication.objects.get(task=proposed)
    made.second, made.status = made.by, "standing"
    with pytest.raises(IntegrityError, match="adjudication_second_is_another_person"), transaction.atomic():
        made.save()


def test_a_refusal_needs_a_reason_and_sends_it_back(proposed: Task, sam: Client) -> None:
    assert script(sam, proposed, "refuse", proposal=proposal(proposed), reason="").status_code == 422
    decide(sam, proposed, "refuse", proposal=proposal(proposed), reason="It never touches.")
    made = Adjudication.objects.get(task=proposed)
    assert (made.status, made.second_reason) == ("refused", "It never touches.")
    assert (consensus(proposed).needs_review, consensus(proposed).method) == (True, "majority")


def test_a_proposal_that_changed_meanwhile_is_not_confirmed(proposed: Task, rae: Client, sam: Client) -> None:
    seen = proposal(proposed)
    decide(rae, proposed, "adjudicate", answer=json.dumps({"outcome": "failure", "frame": 30}), reason="On reflection.")
    answer = script(sam, proposed, "confirm", proposal=seen)
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_proposed")
    assert consensus(proposed).method == "majority"


def test_an_adjudication_counts_until_a_new_one_is_confirmed(proposed: Task, rae: Client, sam: Client) -> None:
    decide(sam, proposed, "confirm", proposal=proposal(proposed))
    failure = json.dumps({"outcome": "failure", "frame": 30})
    decide(sam, proposed, "adjudicate", answer=failure, reason="On reflection.")
    assert consensus(proposed).answer["outcome"] == "success"
    decide(rae, proposed, "confirm", proposal=proposal(proposed))
    assert consensus(proposed).answer["outcome"] == "failure"
    assert list(Adjudication.objects.order_by("pk").values_list("status", flat=True)) == ["replaced", "standing"]


def test_the_proposer_may_take_it_back(proposed: Task, rae: Client) -> None:
    decide(rae, proposed, "take_back", reason="Wrong ball.")
    assert Adjudication.objects.get(task=proposed).status == "replaced"
    assert consensus(proposed).needs_review


# Other acts ----------------------------------------------------------------------------------------------------


def reported(project: Project | None = None) -> Task:
    project = project or make_project()
    task = make_task(project)
    report(assignment=claim(project, make_worker()), problem="ambiguous", text="which ball?", at=NOON)
    return task


def waiting_reports() -> int:
    return Assignment.objects.filter(status="reported", seen_at=None).count()


def test_not_judgeable_closes_it_with_a_reason_and_reopening_takes_it_back(rae: Client) -> None:
    task = reported()
    assert decide(rae, task, "unjudgeable", reason="").status_code == 422
    decide(rae, task, "unjudgeable", reason="The video is black.")
    task.refresh_from_db()
    assert (task.status, waiting_reports()) == ("unjudgeable", 0)
    decide(rae, task, "reopen")
    task.refresh_from_db()
    assert (task.status, task.open) == ("open", True)
    assert acts_on(task) == ["task.closed", "task.reopened"]


def test_one_more_answer_opens_the_task_for_one_more_person(rae: Client) -> None:
    task = tied_task()
    decide(rae, task, "more")
    task.refresh_from_db()
    assert (task.wanted, task.slots_left, task.open, task.status) == (3, 1, True, "open")
    annotate(claim(task.project, make_worker()), outcome="success", frame=33)
    assert consensus(task).answer["outcome"] == "success"
    task.refresh_from_db()
    assert task.status == "done"
    assert AuditEvent.objects.get(verb="task.more_wanted").detail["wanted"] == 3


def test_one_more_is_refused_where_the_project_is_sure_already(rae: Client) -> None:
    project = make_project(redundancy=2, confidence_wanted=0.9, most_annotations=5)
    task = make_task(project)
    for _ in range(2):
        annotate(claim(project, make_worker()))
    answer = script(rae, task, "more")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    task.refresh_from_db()
    assert (task.wanted, task.status) == (2, "done")


def test_leaving_it_accepts_a_tie_and_sees_the_reports(rae: Client) -> None:
    task = tied_task()
    decide(rae, task, "dismiss", reason="Nobody can tell, and it is rare.")
    found = consensus(task)
    assert (found.needs_review, found.accepted_at is not None, found.answer["outcome"]) == (False, True, None)
    other = reported()
    decide(rae, other, "dismiss", reason="It is clear to me.")
    assert waiting_reports() == 0
    other.refresh_from_db()
    assert other.open


def test_a_reference_is_not_adjudicated(rae: Client) -> None:
    task = make_task(truth="success")
    answer = script(rae, task, "adjudicate", answer=SUCCESS, reason=WHY)
    assert (answer.status_code, answer.json()["code"]) == (409, "is_reference")
    assert "Decide with this answer" not in words_of(rae, f"{task_page(task.pk)}?plain=1")


# Access --------------------------------------------------------------------------------------------------------


def test_a_viewer_looks_and_does_not_decide(db: None) -> None:
    task = tied_task()
    vera = signed_in(account("vera", "viewer"))
    assert "only reviewers of this project decide" in words_of(vera, f"{task_page(task.pk)}?plain=1")
    assert decide(vera, task, "adjudicate", answer=SUCCESS, reason=WHY).status_code == 403
    assert script(vera, task, "dismiss", reason=WHY).status_code == 403
    assert vera.post(f"{task_page(task.pk)}tags/", {"category": "1"}).status_code == 403
    assert not Adjudication.objects.exists()


def test_a_reviewer_of_another_project_finds_nothing(db: None) -> None:
    task = tied_task(make_project("theirs", redundancy=2))
    ned = signed_in(account("ned", "reviewer", make_project("own")))
    assert ned.get(task_page(task.pk)).status_code == 404
    assert decide(ned, task, "dismiss", reason=WHY).status_code == 404
    assert script(ned, task, "dismiss", reason=WHY).status_code == 404


def test_decisions_take_nothing_but_a_post_with_its_token(rae: Client) -> None:
    task = tied_task()
    assert rae.get(f"{task_page(task.pk)}decide/").status_code == 405
    assert Client().post(f"{task_page(task.pk)}decide/").status_code == 302
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = rae.cookies
    assert script(rae, task, "explode", reason=WHY).status_code == 422
    assert strict.post(f"{task_page(task.pk)}decide/", {"act": "dismiss", "reason": WHY}).status_code == 403


def test_only_admins_see_names(rae: Client, dora: Client) -> None:
    anna, ben = make_worker("anna"), make_worker("ben")
    task = tied_task(workers=(anna, ben))
    for address in (task_page(task.pk), f"{task_page(task.pk)}?plain=1"):
        seen = rae.get(address).content.decode()
        assert "direct:anna" not in seen
        assert anna.pseudonym[:8] in seen
        assert "direct:anna" in dora.get(address).content.decode()


def test_the_island_gets_all_answers_and_the_consensus(rae: Client) -> None:
    task = tied_task()
    html = rae.get(task_page(task.pk)).content.decode()
    told = json.loads(html.split('id="review-data" type="application/json">')[1].split("</script>")[0])
    answers = [(one["number"], one["answer"]["outcome"], one["answer"]["frame"]) for one in told["answers"]]
    assert answers == [(1, "success", 30), (2, "failure", 40)]
    assert (told["consensus"]["confidence"], told["consensus"]["needs_review"]) == (0.5, True)
    assert told["payload"]["video"]["frames"] == 100
    assert rae.get(told["payload"]["video"]["poster_url"]).status_code == 200


def test_the_page_costs_the_same_for_2_answers_and_6(rae: Client) -> None:
    project = make_project(redundancy=40)
    task = make_task(project)

    def more() -> None:
        annotate(claim(project, make_worker()))

    assert_flat(rae, task_page(task.pk), more)
    assert_flat(rae, f"{task_page(task.pk)}?plain=1", more)
