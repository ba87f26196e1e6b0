"""Experiments: valid arms, the draw of an arm, and the instructions and pay of its workers."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Enrolment, InstructionVersion, Project
from annotation.offer import experiments
from annotation.offer.experiments import arm_for, arm_name_of, base_pay_of, draw, most_base_pay, settings_of
from annotation.pay import budget
from audit.models import AuditEvent
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, token_for
from tests.support.crowds import fresh, post_many, race
from tests.support.pages import text_of, words_of
from workforce.models import LedgerEntry, Worker

USD = {"currency": "USD"}
PLAIN = {"name": "plain"}
OTHER: dict[str, Any] = {
    "name": "short",
    "share": 3,
    "instructions": ["Be quick."],
    "pay": {"base": {"amount": "0.50", **USD}},
}
BODY: dict[str, Any] = {
    "tool": "marker",
    "title": "Marks",
    "instructions": ["Mark it with care."],
    "reference_rate": 0,
    "pay": {"base": {"amount": "0.30", **USD}},
    "experiment": {"name": "words", "arms": [PLAIN, OTHER]},
    "status": "live",
}


def put(pipe: APIClient, **changes: Any) -> Project:
    answer = pipe.put("/api/v1/projects/p/", {**BODY, **changes})
    assert answer.status_code in {200, 201}, answer.content
    return Project.objects.get(slug="p")


@pytest.fixture
def project(pipe: APIClient) -> Project:
    made = put(pipe)
    post_many(made, 20)
    return made


def first(_: object = None) -> float:
    return 0.0


def last(_: object = None) -> float:
    return 0.999


def drawn(project: Project, worker: Worker, *, into: str) -> Enrolment:
    enrolment = make_enrolment(project, worker)
    assert arm_name_of(enrolment) == ""
    arm_for(enrolment, at=NOON, chance=first if into == "plain" else last)
    return Enrolment.objects.get(pk=enrolment.pk)


def browser_of(project: Project, worker: Worker) -> Client:
    client = Client()
    client.get(f"/enter/{project.slug}?token={token_for(project, worker)}")
    return client


# What is put -------------------------------------------------------------------------------------------------------


def test_an_experiment_is_shown_as_it_was_put_and_may_be_put_again(pipe: APIClient, project: Project) -> None:
    shown = pipe.get("/api/v1/projects/p/").json()["experiment"]
    nothing: dict[str, Any] = {"instructions": None, "pay": None, "settings": {}}
    assert shown == {
        "name": "words",
        "arms": [{"name": "plain", "share": 1.0, **nothing}, {**OTHER, "share": 3.0, "settings": {}}],
    }
    events = AuditEvent.objects.count()
    put(pipe, experiment=shown)
    assert AuditEvent.objects.count() == events, "nothing changed"


@pytest.mark.parametrize(
    ("experiment", "pointer"),
    [
        ({"arms": [PLAIN, OTHER]}, "/name"),
        ({"name": "Words", "arms": [PLAIN, OTHER]}, "/name"),
        ({"name": "w" * 32, "arms": [PLAIN, OTHER]}, "/name"),
        ({"name": "words", "arms": [PLAIN]}, "/arms"),
        ({"name": "words", "arms": [{"name": f"a{number}"} for number in range(11)]}, "/arms"),
        ({"name": "words", "arms": [PLAIN, PLAIN]}, "/arms/1/name"),
        ({"name": "words", "arms": [PLAIN, {"name": "b", "share": 0}]}, "/arms/1/share"),
        ({"name": "words", "arms": [PLAIN, {"name": "b", "instructions": []}]}, "/arms/1/instructions"),
        ({"name": "words", "arms": [PLAIN, {"name": "b", "salary": 1}]}, "/arms/1/salary"),
        (
            {"name": "words", "arms": [PLAIN, {"name": "b", "pay": {"base": {"amount": "1", "currency": "EUR"}}}]},
            "/arms/1/pay/base/currency",
        ),
        ({"name": "words", "arms": [PLAIN, {"name": "b", "settings": {"tree": "x"}}]}, "/arms/1/settings/tree"),
    ],
)
def test_a_wrong_experiment_is_refused_with_a_pointer(experiment: Any, pointer: str, pipe: APIClient) -> None:
    answer = pipe.put("/api/v1/projects/p/", {**BODY, "experiment": experiment})
    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [f"#/experiment{pointer}"]
    assert not Project.objects.exists()


def test_ten_arms_are_allowed_and_the_currency_is_theirs_where_the_project_names_none(pipe: APIClient) -> None:
    euros = [{"name": f"a{n}", "pay": {"base": {"amount": f"{n + 1}", "currency": "EUR"}}} for n in range(10)]
    project = put(pipe, pay=None, experiment={"name": "pay", "arms": euros})
    assert project.currency == "EUR"
    assert experiments.arm_names(project) == [f"pay/a{number}" for number in range(10)]


def test_a_change_of_arms_is_in_the_audit_log(pipe: APIClient, project: Project) -> None:
    put(pipe, experiment={"name": "words", "arms": [PLAIN, {**OTHER, "share": 1}]})
    event = AuditEvent.objects.get(verb="project.experiment")
    assert event.detail == {
        "earlier": {"words/plain": 1.0, "words/short": 3.0},
        "arms": {"words/plain": 1.0, "words/short": 1.0},
        "before": {"arms": {"words/plain": 1.0, "words/short": 3.0}},
        "after": {"arms": {"words/plain": 1.0, "words/short": 1.0}},
    }


def test_the_budget_counts_on_the_dearest_arm(pipe: APIClient, project: Project) -> None:
    assert most_base_pay(project) == Decimal("0.50")
    assert budget.most_base(project) == Decimal("0.50")
    assert most_base_pay(put(pipe, pay={"base": {"amount": "0.70", **USD}})) == Decimal("0.70")
    assert most_base_pay(put(pipe, experiment=None, pay=None)) == 0


# Who comes into which ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chance", "name"), [(0.0, "a"), (0.285, "a"), (0.286, "b"), (0.857, "b"), (0.858, "c"), (0.9999999, "c")]
)
def test_an_arm_has_its_part_of_the_draw(chance: float, name: str) -> None:
    shares = {"a": 1.0, "b": 2.0, "c": 0.5}
    arms = [experiments.Arm(name, name, share, None, None, {}) for name, share in shares.items()]
    assert draw(arms, chance=lambda: chance).name == name


def test_a_worker_who_sees_the_instructions_first_is_drawn_by_that(project: Project, alice: Worker) -> None:
    page = browser_of(project, alice).get("/work/p/").content.decode()
    arm = make_enrolment(project, alice).arm
    assert ("Be quick." in page) is (arm == "words/short")
    assert ("Mark it with care." in page) is (arm == "words/plain")
    claim(project, alice, chance=first if arm == "words/short" else last)
    assert make_enrolment(project, alice).arm == arm


def test_no_worker_is_drawn_before_they_agreed(pipe: APIClient, alice: Worker) -> None:
    project = put(pipe, consent="You watch videos.")
    assert "You watch videos." in text_of(browser_of(project, alice).get("/work/p/").content.decode())
    assert make_enrolment(project, alice).arm == ""


def test_a_project_without_an_experiment_draws_no_worker_and_makes_no_query(alice: Worker) -> None:
    enrolment = fresh(make_enrolment(make_project(), alice))
    with CaptureQueriesContext(connection) as queries:
        assert arm_for(enrolment, at=NOON) is None
    assert (len(queries), Enrolment.objects.get().arm) == (0, "")


def test_a_stale_look_does_not_draw_again(project: Project, alice: Worker) -> None:
    early, late = make_enrolment(project, alice), make_enrolment(project, alice)
    arm_for(early, at=NOON, chance=first)
    assert arm_name_of(late) == "", "it was loaded before"
    arm = arm_for(late, at=NOON, chance=last)
    assert arm is not None
    assert (arm.name, late.arm) == ("words/plain", "words/plain")


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_draw_once(project: Project, alice: Worker) -> None:
    one, other = make_enrolment(project, alice), make_enrolment(project, alice)
    race(lambda: arm_for(one, at=NOON, chance=first), lambda: arm_for(other, at=NOON, chance=last))
    assert one.arm == other.arm == Enrolment.objects.get().arm != ""


def test_a_worker_whose_arm_was_dropped_works_on_under_the_plain_offer(
    pipe: APIClient, project: Project, alice: Worker
) -> None:
    drawn(project, alice, into="short")
    project = put(pipe, experiment={"name": "words", "arms": [PLAIN, {"name": "long"}]})
    enrolment = make_enrolment(project, alice)
    assert arm_for(enrolment, at=NOON) is None
    assert (arm_name_of(enrolment), base_pay_of(enrolment)) == ("", Decimal("0.30"))
    assert claim(project, alice).instruction_version == project.instruction_version
    project = put(pipe)
    assert arm_name_of(make_enrolment(project, alice)) == "words/short", "it is there again"


def test_another_experiment_draws_every_worker_again(pipe: APIClient, project: Project, alice: Worker) -> None:
    drawn(project, alice, into="short")
    project = put(pipe, experiment={"name": "next", "arms": [PLAIN, OTHER]})
    claim(project, alice, chance=first)
    assert make_enrolment(project, alice).arm == "next/plain"


# What they are shown and paid --------------------------------------------------------------------------------------


def test_each_arm_has_versions_of_its_own(pipe: APIClient, project: Project) -> None:
    def versions() -> list[tuple[int, str]]:
        return list(InstructionVersion.objects.order_by("number").values_list("number", "arm"))

    assert versions() == [(1, ""), (2, "words/short")]
    put(pipe, title="Other title")
    assert versions() == [(1, ""), (2, "words/short")]
    put(pipe, instructions=["Mark it."])
    assert versions() == [(1, ""), (2, "words/short"), (3, "")]
    changed = {**OTHER, "instructions": ["Be very quick."]}
    now = put(pipe, instructions=["Mark it."], experiment={"name": "words", "arms": [PLAIN, changed]})
    assert versions()[3:] == [(4, "words/short")]
    assert now.instruction_version is not None
    assert now.instruction_version.number == 3


@pytest.mark.parametrize(
    ("into", "number", "pay", "words"),
    [("plain", 1, "0.30", "Mark it with care."), ("short", 2, "0.50", "Be quick.")],
)
def test_a_worker_gets_the_instructions_and_pay_of_their_arm_and_never_sees_arms(
    into: str, number: int, pay: str, words: str, project: Project, alice: Worker
) -> None:
    drawn(project, alice, into=into)
    browser = browser_of(project, alice)
    program = APIClient(HTTP_AUTHORIZATION=f"Bearer {token_for(project, alice)}")
    page, work = browser.get("/work/p/"), program.get("/api/v1/work/")
    assert f'data-version="{number}"' in page.content.decode()
    assert work.json()["instructions"] == [words]
    claimed = program.post("/api/v1/work/claim/", {}, format="json")
    for answer in (page, work, claimed, browser.get("/work/p/privacy/")):
        assert not any(word in answer.content.decode().lower() for word in ("words/", "experiment", '"arm'))

    annotate(Assignment.objects.get())

    for row in (Assignment.objects.get(), Annotation.objects.get()):
        assert row.instruction_version is not None
        assert row.instruction_version.number == number
    assert [entry.amount for entry in LedgerEntry.objects.all()] == [Decimal(pay)]
    project.refresh_from_db()
    assert project.spent == Decimal(pay)


def test_the_information_page_has_the_range_of_pay(pipe: APIClient) -> None:
    with_arms = put(pipe, consent="You watch videos.").consent_page
    assert with_arms is not None
    assert "earns from 0.30 to 0.50 USD, whatever you answer" in with_arms.notes
    same = put(pipe, consent="You watch videos.", experiment=None).consent_page
    assert same is not None
    assert "earns 0.30 USD, whatever you answer" in same.notes
    unpaid = put(pipe, consent="You watch videos.", pay=None).consent_page
    assert unpaid is not None
    assert "earns from 0.00 to 0.50 USD" in unpaid.notes


def test_settings_of_an_arm_stand_over_those_of_the_project() -> None:
    arm = {"name": "b", "share": 1, "instructions": None, "pay": None, "settings": {"tree": "other"}}
    plain = {**arm, "name": "a", "settings": {}}
    project = Project(settings={"tree": "default", "minimum_s": 60}, experiment={"name": "x", "arms": [plain, arm]})
    assert settings_of(project, "x/b") == {"tree": "other", "minimum_s": 60}
    assert settings_of(project, "x/a") == settings_of(project, "") == settings_of(project, "y/b") == project.settings
    assert project.settings["tree"] == "default"


def test_the_list_of_versions_names_arms_and_compares_each_with_its_own(
    pipe: APIClient, project: Project, dora: Client
) -> None:
    put(pipe, experiment={"name": "words", "arms": [PLAIN, {**OTHER, "instructions": ["Be very quick."]}]})
    assert "Experiment words: plain, short" in words_of(dora, "/staff/projects/p/")
    page = words_of(dora, "/staff/projects/p/instructions/versions/")
    assert "Version 3 arm words/short ✓ shown now" in page
    assert "Version 1 ✓ shown now" in page
    newest = page[page.index("Version 3") : page.index("Version 2")]
    assert "Be quick." in newest, "what it replaced"
    assert "Mark it with care." not in newest, "that is another arm's"
    answer = dora.post("/staff/projects/p/instructions/versions/2/restore/")
    assert answer.status_code == 409
    assert dora.post("/staff/projects/p/instructions/versions/1/restore/").status_code == 302
