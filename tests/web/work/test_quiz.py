"""The quiz as a worker sees it without JavaScript, and as staff see what came of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import Membership, Project
from audit.models import AuditEvent
from tests.support.builders import (
    RIGHT_ANSWERS,
    WRONG_ANSWERS,
    make_enrolment,
    make_episode,
    make_project,
    make_qualification,
    make_task,
    make_worker,
    quiz_body,
    token_for,
)
from tests.support.pages import assert_flat, text_of, words_of
from workforce.consent import page_for
from workforce.models import Attempt, Grant, Qualification, Worker
from workforce.qualifications import give, hand_in, start_attempt

PAGE = "/work/p/qualification/"


@pytest.fixture
def quiz(db: None) -> Qualification:
    return make_qualification("marking", pages=["# First\n\nRead *this*.", "# Second"])


@pytest.fixture
def project(quiz: Qualification) -> Project:
    project = make_project("p", qualification=quiz)
    make_task(project)
    return project


@pytest.fixture
def browser(project: Project, alice: Worker) -> Client:
    """Alice's browser, let in by her link."""
    client = Client()
    client.get(f"/enter/p?token={token_for(project, alice)}")
    return client


def form(worker: Worker, answers: dict[str, Any]) -> dict[str, Any]:
    """The form that a browser sends for these answers: options by their place in this worker's form."""
    filled: dict[str, Any] = {"step": "questions"}
    for question in Attempt.objects.get(worker=worker, finished_at=None).questions:
        given = answers.get(question["id"])
        if "options" in question:
            chosen = given if isinstance(given, list) else [given]
            given = [str(place) for place, option in enumerate(question["options"]) if option in chosen]
        if given:
            filled[f"q-{question['id']}"] = given
    return filled


def take(quiz: Qualification, worker: Worker, answers: dict[str, Any]) -> Attempt:
    now = timezone.now()
    start_attempt(worker=worker, qualification=quiz, at=now)
    return hand_in(worker=worker, qualification=quiz, answers=answers, at=now)


# Workers ---------------------------------------------------------------------------------------------------------


def test_a_worker_reads_answers_passes_and_starts(browser: Client, alice: Worker) -> None:
    assert browser.get("/work/p/")["Location"] == PAGE
    assert "Read this . Next" in words_of(browser, PAGE)
    assert "page 2 of 2, then the questions Second Previous To the questions" in words_of(browser, f"{PAGE}?at=page-2")
    assert not Attempt.objects.exists()
    questions = words_of(browser, f"{PAGE}?at=questions")
    assert "Question 1 of 3 How many?" in questions
    assert "Question 2 of 3 · choose all that fit Which?" in questions
    assert "Hand in" in questions
    assert browser.post(PAGE, form(alice, RIGHT_ANSWERS))["Location"] == PAGE
    assert "You passed You got 100% of the questions right" in words_of(browser, PAGE)
    assert browser.get("/work/p/").status_code == 200


def test_consent_comes_before_the_quiz(browser: Client, project: Project) -> None:
    Project.objects.update(consent_page=page_for("We keep *this*.", at=timezone.now()))
    assert browser.get(PAGE)["Location"] == "/work/p/"
    assert "We keep this ." in words_of(browser, "/work/p/")
    assert browser.post("/work/p/consent/", {"answer": "agree"})["Location"] == "/work/p/"
    assert browser.get("/work/p/")["Location"] == PAGE


def test_there_is_no_quiz_where_none_is_needed_or_nobody_was_let_in(browser: Client) -> None:
    assert Client().get(PAGE).status_code == 404
    Project.objects.update(qualification=None)
    assert browser.get(PAGE)["Location"] == "/work/p/"


def test_errors_stand_beside_their_questions_and_nothing_typed_is_lost(browser: Client, alice: Worker) -> None:
    browser.get(f"{PAGE}?at=questions")
    answer = browser.post(PAGE, form(alice, {"keys": ["S", "Q"], "word": "  "}))
    assert answer.status_code == 422
    html = answer.content.decode()
    page = text_of(html)
    assert "2 questions still need an answer" in page
    assert "How many? Please choose an answer." in page
    assert "The word? Please write an answer." in page
    assert html.count('aria-invalid="true"') == 4
    assert html.count(" checked") == 2
    typed = browser.post(PAGE, form(alice, {"word": "take <over>"})).content.decode()
    assert "take &lt;over&gt;</textarea>" in typed
    assert Attempt.objects.get().finished_at is None


def test_after_a_failure_the_page_says_how_it_went_and_what_next(
    browser: Client, alice: Worker, quiz: Qualification
) -> None:
    browser.get(f"{PAGE}?at=questions")
    browser.post(PAGE, form(alice, WRONG_ANSWERS))
    page = words_of(browser, PAGE)
    assert "Not passed this time You got 33 % of the questions right; 66 % are needed. You have 1 attempt left." in page
    assert "Take the quiz again" in page
    Qualification.objects.update(cool_off_s=7200)
    page = words_of(browser, f"{PAGE}?at=questions")
    assert "1 attempt left. You can take the quiz again in 2 hours , at 2" in page
    assert "Take the quiz again" not in page
    assert "Second" in words_of(browser, f"{PAGE}?at=page-2")
    Attempt.objects.update(finished_at=timezone.now() - timedelta(seconds=7200))
    assert "Question 1 of 3" in words_of(browser, f"{PAGE}?at=questions")
    browser.post(PAGE, form(alice, WRONG_ANSWERS))
    page = words_of(browser, PAGE)
    assert "You have used all your attempts" in page
    assert "Take the quiz again" not in page


def test_handing_in_twice_counts_once(browser: Client, alice: Worker) -> None:
    browser.get(f"{PAGE}?at=questions")
    filled = form(alice, WRONG_ANSWERS)
    for _ in range(2):
        assert browser.post(PAGE, filled)["Location"] == PAGE
    assert Attempt.objects.count() == 1


def test_a_pass_that_was_taken_back_says_so(browser: Client, alice: Worker, quiz: Qualification) -> None:
    take(quiz, alice, RIGHT_ANSWERS)
    Grant.objects.update(revoked_at=timezone.now())
    assert "Your pass was taken back" in words_of(browser, PAGE)
    assert "Question 1 of 3" in words_of(browser, f"{PAGE}?at=questions")


def test_a_task_has_a_page_of_its_own_and_comes_last(browser: Client, alice: Worker) -> None:
    task = {"id": "mark", "ask": "Mark it.", "kind": "task", "accept": [{"outcome": "failure"}]}
    questions = [{**task, "payload": {"episode": make_episode().external_id}}, *quiz_body()["questions"]]
    make_qualification("marking", questions=questions, pass_mark=1)
    assert "Question 3 of 4" in words_of(browser, f"{PAGE}?at=questions")
    following = browser.post(PAGE, form(alice, RIGHT_ANSWERS))["Location"]
    assert following == f"{PAGE}?at=task-mark"
    html = browser.get(following).content.decode()
    assert 'data-quiz-ask="Mark it."' in html
    assert 'data-quiz-where="Question 4 of 4"' in html
    assert 'data-quiz-answer="null"' in html
    refused = browser.post(PAGE, {"step": "task-mark", "q-mark": '{"outcome": "failure", "frame": 1}'})
    assert refused.status_code == 422
    assert "cannot be marked" in text_of(refused.content.decode())
    for nonsense in ("{", "", "[]", "3"):
        answer = browser.post(PAGE, {"step": "task-mark", "q-mark": nonsense})
        assert answer.status_code == 422
    assert (
        browser.post(PAGE, {"step": "task-mark", "q-mark": '{"outcome": "failure", "frame": 60}'})["Location"] == PAGE
    )
    assert "You passed" in words_of(browser, PAGE)


def test_leaving_in_the_middle_loses_nothing(browser: Client, alice: Worker) -> None:
    task = {"id": "mark", "ask": "Mark it.", "kind": "task", "accept": [{"outcome": "failure"}]}
    questions = [*quiz_body()["questions"], {**task, "payload": {"episode": make_episode().external_id}}]
    make_qualification("marking", questions=questions)
    browser.get(f"{PAGE}?at=questions")
    browser.post(PAGE, form(alice, RIGHT_ANSWERS))
    assert "data-marker-app" in browser.get(PAGE).content.decode()
    assert browser.get(f"{PAGE}?at=questions").content.decode().count(" checked") == 3


# Staff -----------------------------------------------------------------------------------------------------------

STAFF = ["/staff/qualifications/", "/staff/qualifications/marking/", "/staff/qualifications/marking/grants/"]


@pytest.fixture
def eve(project: Project) -> Client:
    """A reviewer of one project."""
    user = User.objects.create_user("eve", is_staff=True)
    Membership.objects.create(user=user, project=project, role=Membership.Role.REVIEWER, created_at=timezone.now())
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("address", STAFF)
def test_right_answers_are_for_admins_only(address: str, eve: Client, dora: Client) -> None:
    assert Client().get(address).status_code == 302
    assert "Only admins" in words_of(eve, address, status=403)
    assert dora.get(address).status_code == 200
    Membership.objects.update(role=Membership.Role.ADMIN)
    assert eve.get(address).status_code == 200


def test_an_admin_of_one_project_sees_its_workers_only_and_gives_nothing(
    eve: Client, quiz: Qualification, project: Project, alice: Worker, bob: Worker
) -> None:
    Membership.objects.update(role=Membership.Role.ADMIN)
    make_enrolment(project, alice)
    for worker in (alice, bob):
        take(quiz, worker, RIGHT_ANSWERS)
    page = words_of(eve, "/staff/qualifications/marking/")
    assert "direct:alice" in page
    assert "bob" not in page
    assert "2 of 2 workers passed: 100 %" in page
    grants = words_of(eve, "/staff/qualifications/marking/grants/")
    assert "direct:alice" in grants
    assert "Why, once for all" not in grants
    grant = Grant.objects.get(worker=alice)
    revoke = eve.post("/staff/qualifications/marking/grants/", {"act": "revoke", "row": grant.pk, "reason": "x"})
    give_ = eve.post("/staff/qualifications/marking/give/", {"worker": "direct:bob"})
    assert (revoke.status_code, give_.status_code) == (403, 403)


def test_the_list_says_who_needs_a_quiz_and_how_it_goes(
    dora: Client, project: Project, quiz: Qualification, alice: Worker, bob: Worker
) -> None:
    take(quiz, alice, WRONG_ANSWERS)
    take(quiz, alice, RIGHT_ANSWERS)
    take(quiz, bob, WRONG_ANSWERS)
    assert "Before you start marking p 3 all 66 % 2 2 1" in words_of(dora, "/staff/qualifications/")


def test_an_empty_list_says_how_to_get_the_first(dora: Client) -> None:
    assert "/api/v1/qualifications/my-quiz/" in words_of(dora, "/staff/qualifications/")


def test_difficulty_and_discrimination_count_first_answers_to_the_present_wording(
    dora: Client, quiz: Qualification
) -> None:
    good, middling, bad = (make_worker() for _ in range(3))
    take(quiz, good, RIGHT_ANSWERS)
    take(quiz, middling, WRONG_ANSWERS)
    take(quiz, middling, RIGHT_ANSWERS)
    take(quiz, bad, {**WRONG_ANSWERS, "word": "handover"})
    page = words_of(dora, "/staff/qualifications/marking/")
    # One of three right at first, and they are right elsewhere too; 95 % Wilson of 1/3 and 2/3.
    assert "How many? one single “one” 3 33 % 6–79 %" in page
    assert "Which? keys multiple “S” and “F” 3" in page
    assert "The word? word text “Takeover” 3 67 % 21–94 %" in page
    table = dora.get("/staff/qualifications/marking/?plot=difficulty&as=csv").content.decode().splitlines()
    assert table[0] == "question,ask,kind,n,right,share,low,high,discrimination"
    assert table[1].startswith("one,How many?,single,3,1,0.333")
    # Right elsewhere: 1, 1/2, 0; right here: 1, 0, 0. Their correlation is sqrt(3)/2.
    assert table[1].endswith(",0.8660254037844387") or float(table[1].split(",")[-1]) == pytest.approx(3**0.5 / 2)
    reworded = [{**quiz_body()["questions"][0], "ask": "How many moments?"}, *quiz_body()["questions"][1:]]
    make_qualification("marking", questions=reworded)
    table = dora.get("/staff/qualifications/marking/?plot=difficulty&as=csv").content.decode().splitlines()
    assert table[1] == "one,How many moments?,single,0,,,,,"
    assert table[3].startswith("word,The word?,text,3,2,")


def test_attempts_are_listed_with_what_was_wrong_and_filtered(
    dora: Client, quiz: Qualification, alice: Worker, bob: Worker
) -> None:
    take(quiz, alice, WRONG_ANSWERS)
    take(quiz, bob, RIGHT_ANSWERS)
    page = words_of(dora, "/staff/qualifications/marking/")
    assert "direct:alice ✕ not passed 33 % one , keys" in page
    assert "direct:bob ✓ passed 100 % –" in page
    assert "direct:alice" not in words_of(dora, "/staff/qualifications/marking/?result=passed")


def test_a_grant_is_given_and_revoked_with_a_reason(dora: Client, quiz: Qualification, alice: Worker) -> None:
    grants = "/staff/qualifications/marking/grants/"
    nobody = dora.post("/staff/qualifications/marking/give/", {"worker": "direct:nobody"})
    assert nobody.status_code == 422
    assert "There is no such worker" in text_of(nobody.content.decode())
    dora.post("/staff/qualifications/marking/give/", {"worker": "direct:alice"})
    page = words_of(dora, grants)
    assert "direct:alice is qualified now." in page
    assert "direct:alice a person for good ✓ valid" in page
    revoke = {"act": "revoke", "row": Grant.objects.get().pk}
    assert dora.post(grants, {**revoke, "reason": "  "}).status_code == 422
    assert "1 revoked" in text_of(
        dora.post(grants, {**revoke, "reason": "answers were shared"}, follow=True).content.decode()
    )
    assert "1 were so already" in text_of(
        dora.post(grants, {**revoke, "reason": "again"}, follow=True).content.decode()
    )
    assert "✕ revoked answers were shared" in words_of(dora, f"{grants}?state=revoked&q=alice")
    assert "No grant fits" in words_of(dora, f"{grants}?state=valid")
    assert list(AuditEvent.objects.filter(subject_kind="worker").values_list("verb", "actor")) == [
        ("grant.given", "staff:dora"),
        ("grant.revoked", "staff:dora"),
    ]
    assert dora.post("/staff/qualifications/marking/give/", {"worker": alice.pseudonym}).status_code == 302


def test_the_list_costs_the_same_for_2_and_6(dora: Client) -> None:
    def more() -> None:
        quiz = make_qualification()
        make_project(qualification=quiz)
        take(quiz, make_worker(), RIGHT_ANSWERS)

    assert_flat(dora, "/staff/qualifications/", more)


def test_one_quiz_costs_the_same_for_2_attempts_and_6(dora: Client, quiz: Qualification) -> None:
    assert_flat(dora, "/staff/qualifications/marking/", lambda: take(quiz, make_worker(), RIGHT_ANSWERS))


def test_the_grants_cost_the_same_for_2_and_6(dora: Client, quiz: Qualification) -> None:
    def more() -> None:
        take(quiz, make_worker(), RIGHT_ANSWERS)
        give(worker=make_worker(), qualification=quiz, by="staff:dora", at=timezone.now())

    assert_flat(dora, "/staff/qualifications/marking/grants/", more)
