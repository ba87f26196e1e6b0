"""The two taxonomies: their first entries, changing them, tagging, what was found, and its export."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Category, Finding
from annotation.review import taxonomies
from audit.models import AuditEvent
from tests.support.builders import NOON, account, answer_to, category, make_project, make_task, signed_in, tied_task
from tests.support.calls import content, lines
from tests.support.pages import assert_flat, words_of
from web.staff.addresses import task_page

PAGE = "/staff/review/taxonomies/"


@pytest.fixture
def rae(db: None) -> Client:
    return signed_in(account("rae"))


def tag(client: Client, task: Any, **fields: Any) -> Any:
    return client.post(f"{task_page(task.pk)}tags/", fields, headers={"accept": "application/json"})


def test_the_first_categories_are_made_once(db: None) -> None:
    taxonomies.make_first()
    names = set(Category.objects.filter(taxonomy="human_error").values_list("group", "code"))
    player = {("player", code) for code in ("imprecise", "out_of_time", "empty", "control_issues")}
    assert names == player | {("annotator", code) for code in ("annotation_mistake", "rigidity", "ambiguity")}
    Category.objects.exclude(code="empty").delete()
    taxonomies.make_first()
    assert Category.objects.count() == 1


def test_an_answer_and_the_task_are_tagged_with_several(rae: Client) -> None:
    task = tied_task()
    answer = answer_to(task)
    tag(rae, task, category=category("rigidity").pk, annotation=answer.public_id, note="wanted it upright")
    tag(rae, task, category=category("wrong_object", "agent_failure").pk)
    said = tag(rae, task, category=category("too_slow", "agent_failure").pk).json()
    assert [one["label"] for one in said["findings"]] == ["Wrong object", "Too slow"]
    assert [one["note"] for one in said["answers"][answer.public_id]] == ["wanted it upright"]
    event = AuditEvent.objects.filter(verb="task.tagged").order_by("pk")[0]
    assert (event.actor, event.detail["category"]) == ("staff:rae", "human_error/rigidity")


def test_a_second_tag_of_the_same_kind_only_changes_the_note(rae: Client) -> None:
    task = tied_task()
    for note in ("first", "second", "second"):
        tag(rae, task, category=category("rigidity").pk, note=note)
    assert Finding.objects.get().note == "second"
    assert AuditEvent.objects.filter(verb="task.tagged").count() == 2


def test_a_tag_is_removed_again_on_record(rae: Client) -> None:
    task = tied_task()
    found = tag(rae, task, category=category("rigidity").pk).json()["findings"][0]["id"]
    assert tag(rae, tied_task(), remove=found).status_code == 404
    assert tag(rae, task, remove=found).json()["findings"] == []
    assert AuditEvent.objects.filter(verb="task.untagged").count() == 1


def test_a_category_that_does_not_fit_is_refused(rae: Client) -> None:
    task, other = tied_task(), tied_task()
    agent = category("too_slow", "agent_failure")
    retired = category("empty")
    taxonomies.set_retired(category=retired, retired=True, by=account("ada", "admin"), at=NOON)
    refused = [
        tag(rae, task, category=agent.pk, annotation=answer_to(task).public_id),
        tag(rae, task, category=category("rigidity").pk, annotation=answer_to(other).public_id),
        tag(rae, task, category=retired.pk),
        tag(rae, task, category="none"),
        tag(rae, task, category=agent.pk, note="x" * 1001),
    ]
    assert [answer.status_code for answer in refused] == [422] * 5
    assert not Finding.objects.exists()


def test_a_form_without_a_script_tags_too(rae: Client) -> None:
    task = tied_task()
    answer = rae.post(f"{task_page(task.pk)}tags/", {"category": category().pk, "note": "by hand"})
    assert "by hand" in words_of(rae, answer["Location"])


# Changing them -------------------------------------------------------------------------------------------------


def codes(taxonomy: str = "human_error") -> list[str]:
    rows = Category.objects.filter(taxonomy=taxonomy, retired_at=None).order_by("position", "pk")
    return list(rows.values_list("code", flat=True))


def test_admins_add_rename_reorder_and_retire_on_record(dora: Client) -> None:
    first = category("imprecise")
    added = {"taxonomy": "human_error", "label": "Fell asleep", "description": "No sign of life.", "group": "player"}
    dora.post(f"{PAGE}add/", added)
    assert codes()[-1] == "fell_asleep"
    address = f"{PAGE}{first.pk}/"
    dora.post(address, {"act": "change", "label": "Clumsy", "description": "", "group": "player"})
    dora.post(address, {"act": "down"})
    assert codes()[:2] == ["out_of_time", "imprecise"]
    dora.post(address, {"act": "up"})
    assert codes()[:2] == ["imprecise", "out_of_time"]
    dora.post(address, {"act": "retire"})
    assert "imprecise" not in codes()
    assert "1 retired" in words_of(dora, PAGE)
    dora.post(address, {"act": "restore"})
    assert "imprecise" in codes()
    assert Category.objects.get(pk=first.pk).label == "Clumsy"
    verbs = list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == [f"category.{verb}" for verb in ("added", "changed", "moved", "moved", "retired", "restored")]


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"label": " "}, 422, "Give it a name."),
        ({"label": "Empty"}, 409, "already"),
        ({"label": "!!!"}, 422, "at least one letter"),
        ({"label": "x" * 101}, 422, "100 characters"),
    ],
)
def test_a_refused_category_keeps_the_typed_words(dora: Client, fields: dict[str, str], status: int, says: str) -> None:
    category()
    answer = dora.post(f"{PAGE}add/", {"taxonomy": "human_error", "description": "typed words", **fields})
    assert answer.status_code == status
    page = answer.content.decode()
    assert says in page
    assert "typed words" in page


def test_reviewers_use_them_and_admins_alone_change_them(rae: Client) -> None:
    found = category()
    page = words_of(rae, PAGE)
    assert "Admins change these" in page
    assert "Retire" not in page
    assert rae.post(f"{PAGE}{found.pk}/", {"act": "retire"}).status_code == 403
    assert rae.post(f"{PAGE}add/", {"taxonomy": "human_error", "label": "New"}).status_code == 403
    assert rae.get(f"{PAGE}{found.pk}/").status_code == 405


# What was found ------------------------------------------------------------------------------------------------


def test_the_breakdown_counts_and_links_to_the_tasks(rae: Client) -> None:
    here, there = make_project("here", redundancy=2), make_project("there", redundancy=2)
    one, two, elsewhere = tied_task(here), tied_task(here), tied_task(there)
    for task in (one, two, elsewhere):
        tag(rae, task, category=category("too_slow", "agent_failure").pk)
    tag(rae, one, category=category("wrong_place", "agent_failure").pk)
    page = words_of(rae, "/staff/review/breakdown/?project=here")
    assert "2 tasks and answers carry at least one" in page
    assert "Too slow" in page
    csv = content(rae.get("/staff/review/breakdown/?project=here&plot=agent_failure&as=csv")).decode()
    assert "agent_failure,too_slow,,Too slow,2,1.0" in csv
    assert "agent_failure,wrong_place,,Wrong place,1,0.5" in csv
    listed = words_of(rae, f"/staff/review/findings/?project=here&category={category('too_slow', 'agent_failure').pk}")
    assert one.key in listed
    assert two.key in listed
    assert elsewhere.key not in listed
    assert "No finding fits" in words_of(rae, f"/staff/review/findings/?category={category('empty').pk}")


def test_findings_of_other_projects_are_not_shown(rae: Client) -> None:
    task = tied_task(make_project("theirs", redundancy=2))
    tag(rae, task, category=category().pk)
    ned = signed_in(account("ned", "reviewer", make_project("own")))
    assert task.key not in words_of(ned, "/staff/review/findings/")
    assert "Nothing to show yet" in words_of(ned, "/staff/review/breakdown/")


def test_pipelines_export_the_findings(rae: Client, pipe: Any) -> None:
    project = make_project("here", redundancy=2)
    task = tied_task(project)
    tag(rae, task, category=category("rigidity").pk, annotation=answer_to(task).public_id, note="upright")
    tag(rae, task, category=category("too_slow", "agent_failure").pk)
    rows = lines(pipe.get("/api/v1/projects/here/findings.jsonl"))
    assert [(row["task"], row["annotation"], row["taxonomy"], row["category"], row["note"]) for row in rows] == [
        (task.key, answer_to(task).public_id, "human_error", "rigidity", "upright"),
        (task.key, None, "agent_failure", "too_slow", ""),
    ]


def test_the_list_of_findings_costs_the_same_for_2_and_6(rae: Client) -> None:
    project = make_project(redundancy=2)
    found = category()

    def more() -> None:
        task = make_task(project)
        tag(rae, task, category=found.pk)

    assert_flat(rae, "/staff/review/findings/", more)
    assert_flat(rae, "/staff/review/breakdown/", more)
    assert_flat(rae, PAGE, more)
