"""The staff's pages of a parse project: its commands, review and repair, references, and what counts of workers."""

import json
import re
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Adjudication, Annotation, Consensus, Project, Task
from annotation.work.posting import TaskBody, post_tasks
from lib.logical_form.normal import same
from tests.annotation.tools.test_parse import TEXT, TOWER
from tests.support.builders import NOON, Made, for_module, make_worker
from tests.support.pages import cost_of, text_of, words_of
from tests.support.tool_workers import (
    client_for,
    make_parse_project,
    perfect,
    post_command,
    post_commands,
    work_through,
)
from web.staff.addresses import task_page

WALL = {
    "dialogue_type": "HUMAN_GIVE_COMMAND",
    "event_sequence": [
        {
            "action_type": "BUILD",
            "schematic": {"filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [3, 3]]}]}}},
        }
    ],
}
"""The answer of a worker who overlooks half of TEXT."""
WHY = "I read it again."


def command_page(task: Task) -> str:
    return f"/staff/projects/{task.project.slug}/commands/{task.pk}/"


def list_page(project: Project) -> str:
    return f"/staff/projects/{project.slug}/commands/"


class Commands(NamedTuple):
    """One command in three projects.

    Attributes:
        disputed: Two workers said different things; the agent's parse is the poorer one, and was marked as wrong.
        shared: Workers share its steps; one of two has answered the first.
        reference: With two right forms, which one worker got right and one wrong.
    """

    disputed: Task
    shared: Task
    reference: Task


def make_commands() -> Commands:
    disputed = make_parse_project("parsing", redundancy=2)
    context = [{"speaker": "assistant", "text": "What shall I do?"}]
    post_command(disputed, "c1", TEXT, form=WALL, marked=True, context=context)
    sharing = make_parse_project("sharing", redundancy=2, given_to="many_workers")
    post_commands(sharing, {"c1": TEXT})
    checked = make_parse_project("checked", reference_rate=1.0, redundancy=2)
    body = TaskBody(key="c1", payload={"text": TEXT}, reference={"answers": [{"form": TOWER}, {"form": WALL}]})
    # References are mixed in among other tasks, so there is one.
    post_tasks(project=checked, bodies=[body, TaskBody(key="other", payload={"text": TEXT})], at=NOON)
    wrong = {**WALL, "event_sequence": [{"action_type": "DIG"}]}
    for project, forms, most in ((disputed, (TOWER, WALL), 99), (sharing, (TOWER,), 1), (checked, (TOWER, wrong), 99)):
        for form in forms:
            work_through(client_for(project, ""), perfect({TEXT: form}), most=most)
    found = [Task.objects.get(project=project, key="c1") for project in (disputed, sharing, checked)]
    return Commands(*found)


made = for_module(make_commands)


@pytest.fixture
def disputed(made: Made[Commands], db: None) -> Task:
    return made.again().disputed


@pytest.fixture
def shared(made: Made[Commands], db: None) -> Task:
    return made.again().shared


@pytest.fixture
def reference(made: Made[Commands], db: None) -> Task:
    return made.again().reference


def decide(client: Client, task: Task, **fields: Any) -> Any:
    return client.post(f"{task_page(task.pk)}decide/", {"act": "adjudicate", "reason": WHY, **fields})


# The list and the page -----------------------------------------------------------------------------------------


def test_the_list_narrows(dora: Client, disputed: Task) -> None:
    address = list_page(disputed.project)
    page = words_of(dora, address)
    assert f"c1 {TEXT}" in page or TEXT in page
    for query, is_there in (
        ("q=c1", True),
        ("q=other", False),
        ("only=unsure", True),
        ("only=marked", True),
        ("only=unmarked", False),
        ("kind=reference", False),
        ("status=open", False),
        ("status=done", True),
    ):
        assert (TEXT in words_of(dora, f"{address}?{query}")) == is_there, query


def test_the_pages_of_a_command_show_every_way_and_begin_with_any_form(
    dora: Client, disputed: Task, marking: Project
) -> None:
    html = dora.get(command_page(disputed)).content.decode()
    page = text_of(html)
    for shown in ("What shall I do?", "Build something named “tower”", "colour “red”"):
        assert shown in page
    assert page.count("✓ finished") == 2
    assert '<span data-word="3">tower</span>' in html
    assert 'data-lights="2 3"' in html
    assert dora.get(list_page(marking)).status_code == 404

    review = dora.get(task_page(disputed.pk))
    assert "data-form-editor" in review.content.decode()
    found = Consensus.objects.get(task=disputed).answer["form"]
    assert review.context["editor"]["form"] == (found or WALL)
    begun = [f"chain-{chain.pk}" for chain in disputed.chains.filter(status="done").order_by("pk")]
    forms = [dora.get(f"{task_page(disputed.pk)}?from={name}").context["editor"]["form"] for name in (*begun, "agent")]
    assert [same(form, WALL) for form in forms] == [False, True, True]
    assert same(forms[0], TOWER)

    part = disputed.parts.order_by("pk")[2]
    for task in (part, disputed):
        assert dora.get(f"/staff/tasks/{task.pk}/")["Location"] == command_page(disputed)
    assert 'name="pick"' not in dora.get(task_page(part.pk)).content.decode(), "it is decided with its command"


@pytest.mark.django_db
def test_the_list_goes_on_from_page_to_page(dora: Client) -> None:
    project = make_parse_project("long")
    post_commands(project, {f"c{number:03}": f"dig hole {number}" for number in range(60)})
    first = dora.get(list_page(project)).content.decode()
    assert "60 commands" in first
    assert first.count("dig hole") == 50
    (following,) = re.findall(r'rel="next" href="([^"]+)"', first)
    second = dora.get(list_page(project) + following.replace("&amp;", "&")).content.decode()
    assert second.count("dig hole") == 10
    assert "dig hole 0<" not in first


def test_the_page_costs_the_same_for_2_workers_and_4(dora: Client, as_worker: Any) -> None:
    project = make_parse_project("flat", redundancy=6)
    (task,) = post_commands(project, {"c1": TEXT})
    costs = []
    for _ in range(2):
        for _ in range(2):
            work_through(as_worker(project, make_worker()), perfect({TEXT: TOWER}))
        costs.append(cost_of(dora, command_page(task)))
    assert costs[0] == costs[1]


# The check -----------------------------------------------------------------------------------------------------


def check(client: Client, body: Any) -> Any:
    return client.post("/staff/parse/check/", json.dumps(body), content_type="application/json")


def test_a_form_is_checked_while_it_is_written(dora: Client) -> None:
    good = check(dora, {"text": TEXT, "form": TOWER}).json()
    assert good["faults"] == []
    assert good["words"].startswith("Build something named “tower”")
    bad = check(dora, {"text": "dig", "form": TOWER}).json()
    assert bad["faults"]
    assert bad["words"] == ""


@pytest.mark.parametrize("body", [{}, {"text": TEXT}, {"text": TEXT, "form": TOWER, "extra": 1}, []])
def test_the_check_is_strict(dora: Client, body: Any) -> None:
    assert check(dora, body).status_code == 422


# Review --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["edited", "form"])
def test_the_expert_s_form_is_the_consensus(dora: Client, disputed: Task, field: str) -> None:
    assert decide(dora, disputed, **{field: json.dumps(TOWER)}).status_code == 302
    found = Consensus.objects.get(task=disputed)
    assert found.method == "adjudicated"
    assert same(found.answer["form"], TOWER)
    assert "adjudicated" in words_of(dora, list_page(disputed.project))
    assert "decided" in words_of(dora, task_page(disputed.pk))


def test_a_wrong_form_is_refused_and_stays_on_the_page(dora: Client, disputed: Task) -> None:
    for text in ("", "{", '{"dialogue_type": "NONSENSE"}'):
        answer = decide(dora, disputed, form=text)
        assert answer.status_code == 422
        assert WHY in answer.content.decode()
        assert not Adjudication.objects.exists()
        if "NONSENSE" in text:
            assert "NONSENSE" in answer.content.decode()


@pytest.mark.parametrize(
    ("act", "back"), [({"form": json.dumps(TOWER)}, "take_back"), ({"act": "unjudgeable"}, "reopen")]
)
def test_what_is_decided_is_asked_no_more_and_again_when_it_is_taken_back(
    act: dict[str, str], back: str, dora: Client
) -> None:
    project = make_parse_project("open")
    (task,) = post_commands(project, {"c1": TEXT})
    decide(dora, task, **act)
    assert task.parts.filter(open=True).count() == 0
    decide(dora, task, act=back)
    assert task.parts.filter(open=True, status="open").count() == 1
    task.refresh_from_db()
    assert (task.status, Consensus.objects.filter(task=task).exists()) == ("open", False)


def test_where_they_share_it_an_expert_answers_a_step(dora: Client, shared: Task, as_worker: Any) -> None:
    """A worker's answer can be taken, another can be given, and the command goes on from it."""
    first = shared.parts.get()
    assert decide(dora, first).status_code == 422
    decide(dora, first, pick="own", **{"own-value": "HUMAN_GIVE_COMMAND"})
    found = Consensus.objects.get(task=first)
    assert (found.method, found.answer["answers"]) == ("adjudicated", {"value": "HUMAN_GIVE_COMMAND"})
    assert shared.parts.filter(open=True).exists()
    second = shared.parts.filter(open=True).order_by("pk").first()
    assert second is not None
    client = as_worker(shared.project, make_worker())
    work_through(client, perfect({TEXT: TOWER}), most=1)
    given = Annotation.objects.get(task=second)
    decide(dora, second, pick=given.public_id)
    assert Consensus.objects.get(task=second).answer["answers"] == given.answer["answers"]
    # What a step has come to is chosen in the form of an answer of one's own.
    while work_through(as_worker(shared.project, make_worker()), perfect({TEXT: TOWER})):
        pass
    begun_with = {
        (field.question.kind, choice.value)
        for part in shared.parts.all()
        for field in dora.get(task_page(part.pk)).context["fields"]
        for choice in field.choices
        if choice.is_chosen
    }
    expected = {
        ("choice", "BUILD"),
        ("choices", "has_name"),
        ("choices", "has_colour"),
        ("spans", "3"),
        ("yes_no", "yes"),
    }
    assert expected <= begun_with


def test_an_expert_may_say_that_it_is_no_command(dora: Client, shared: Task) -> None:
    first = shared.parts.get()
    assert "This is not a command" in words_of(dora, task_page(first.pk))
    decide(dora, first, pick="not_a_command")
    shared.refresh_from_db()
    assert shared.status == "done"
    assert Consensus.objects.get(task=shared).answer["form"] == {"dialogue_type": "NOOP"}


def test_experts_forms_are_reviewed_too(dora: Client, as_worker: Any) -> None:
    project = make_parse_project("experts", given_to="experts", redundancy=2)
    (task,) = post_commands(project, {"c1": TEXT})
    for form in (TOWER, WALL):
        client = as_worker(project, make_worker())
        held = client.post("/api/v1/work/claim/", {}, format="json").json()
        sent = client.post(
            f"/api/v1/work/assignments/{held['assignment']}/submit/", {"answer": {"form": form}}, format="json"
        )
        assert sent.status_code == 201
    given = Annotation.objects.filter(task=task).order_by("pk")
    answer = dora.get(f"{task_page(task.pk)}?from={given[0].public_id}")
    assert same(answer.context["editor"]["form"], TOWER)
    decide(dora, task, edited=json.dumps(WALL))
    assert same(Consensus.objects.get(task=task).answer["form"], WALL)


# References and figures ----------------------------------------------------------------------------------------


def test_pages_of_a_reference_show_forms_and_not_outcomes(dora: Client, reference: Task) -> None:
    page = words_of(dora, "/staff/projects/checked/references/")
    assert page.count("Build something named “tower”") == 2
    answers = Annotation.objects.filter(task__part_of=reference, score__isnull=False)
    assert f" {answers.count()} " in page
    own = words_of(dora, f"/staff/projects/checked/references/{reference.pk}/")
    assert ("✓ right" in own, "✕ wrong" in own) == (True, True)
    given = answers.filter(score=1.0).first()
    assert given is not None
    for address, word in (
        ("/staff/projects/checked/references/", "success"),
        (f"/staff/projects/checked/references/{reference.pk}/", "moment"),
        ("/staff/projects/checked/quality/", "Balanced"),
        ("/staff/projects/checked/", "Balanced accuracy"),
        (f"/staff/workers/{given.worker_id}/", "nobody knows"),
    ):
        assert word not in words_of(dora, address), address


def test_a_reference_is_corrected_as_a_whole(dora: Client, reference: Task) -> None:
    page = f"/staff/projects/checked/references/{reference.pk}/"
    lines = json.dumps({"form": WALL})
    assert dora.post(f"{page}correct/", {"answers": lines, "reason": WHY}).status_code == 302
    reference.refresh_from_db()
    assert [same(answer["form"], WALL) for answer in reference.truth.answers] == [True]
    part = reference.parts.order_by("-pk")[0]
    own = f"/staff/projects/checked/references/{part.pk}/"
    assert "follows from the whole command" in words_of(dora, own)
    refused = dora.post(f"{own}retire/", {"reason": WHY})
    assert refused.status_code == 409
    assert "follows from the whole command" in refused.content.decode()
    assert dora.post(f"{page}retire/", {"reason": WHY}).status_code == 302
    assert not reference.parts.filter(open=True).exists()


def test_a_settled_command_becomes_a_reference(dora: Client, disputed: Task) -> None:
    decide(dora, disputed, form=json.dumps(TOWER))
    address = f"/staff/projects/parsing/references/of/{disputed.pk}/"
    page = dora.get(address)
    assert "Build something named “tower”" in page.content.decode()
    made = dora.post(address, {"confirm": "yes", "confirmed": page.context["confirmed"], "reason": WHY})
    assert made.status_code == 302
    found = Task.objects.get(promoted_from=disputed)
    assert (found.is_whole, found.is_reference, found.parts.filter(open=True).count()) == (True, True, 1)
    assert "Its reference" in words_of(dora, command_page(disputed))


def test_a_file_of_references_takes_commands(dora: Client) -> None:
    make_parse_project("imported")
    line = {"key": "r1", "payload": {"text": TEXT}, "reference": {"answers": [{"form": TOWER}]}}
    file = SimpleUploadedFile("refs.jsonl", json.dumps(line).encode())
    assert dora.post("/staff/projects/imported/references/import/", {"file": file}).status_code == 302
    assert Task.objects.get(project__slug="imported", key="r1").is_whole


@pytest.mark.parametrize(
    "parse",
    [
        {"dialogue_type": 7, "event_sequence": True},
        {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": {"a": []}, "location": [0, [[1]]]}]},
        {"AND": 5, "text_span": [0, [90, 91]]},
    ],
)
def test_whatever_the_agent_made_of_it_the_pages_open(dora: Client, parse: Any) -> None:
    project = make_parse_project("junk")
    task = post_command(project, "c1", TEXT, form=parse)
    assert "not valid" in words_of(dora, list_page(project))
    for address in (command_page(task), task_page(task.pk), f"{task_page(task.pk)}?from=agent"):
        assert "It is no valid form" in words_of(dora, address)
    decide(dora, task, form=json.dumps(TOWER))
    assert "not valid" in words_of(dora, list_page(project))
    assert "It is no valid form" in words_of(dora, command_page(task))
