"""The pages of trees: the list, one drawn and in words, a walk through it, versions and what each changed."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from annotation.models import Project
from audit.models import AuditEvent
from lib.trees.shipped import PARSE_FIRST, shipped_tree
from routing.models import TreeVersion
from routing.tree_versions import put_tree, tree_named
from tests.support.builders import NOON
from tests.support.pages import cost_of, text_of, words_of
from tests.support.sessions import make_live_project
from tests.support.trees import SMALL, changed

LIST = "/staff/trees/"
PAGE = "/staff/trees/small/"
OTHER = changed(SMALL, "#/nodes/done/ask", "Was it done?")
WORDED = [{"node": "done", "choice": 1}]


def put(content: Any = SMALL, *, slug: str = "small", by: str = "staff:dora") -> TreeVersion:
    return put_tree(slug=slug, content=content, by=by, at=NOON)[0]


def test_the_list_has_each_tree_once_in_its_last_version(victor: Client) -> None:
    put()
    put(OTHER, by="key:pipe")
    answer = victor.get(LIST)
    (row,) = [one.row for one in answer.context["grid"].rows]
    assert (row.version.number, len(row.tree.nodes)) == (2, 3)
    assert row.outcomes == ["ok", "vision_error", "task_error", "other_error"]
    page = text_of(answer.content.decode())
    assert "small" in page
    assert "key:pipe" in page
    assert "New tree" not in page, "a viewer makes none"


def test_the_list_names_the_live_projects_that_ask_a_tree_to_those_who_see_them(dora: Client, victor: Client) -> None:
    project = make_live_project("living")
    assert f'/staff/projects/{project.slug}/">' in dora.get(LIST).content.decode()
    (row,) = [row for _, _, row in victor.get(LIST).context["grid"].rows if row.version.tree.slug == "default"]
    assert (row.uses, row.hidden_uses) == ([], 1)
    Project.objects.filter(pk=project.pk).update(status=Project.Status.PAUSED)
    (row,) = [row for _, _, row in dora.get(LIST).context["grid"].rows if row.version.tree.slug == "default"]
    assert (row.uses, row.hidden_uses) == ([], 0)


def test_a_tree_of_an_arm_is_asked_too(dora: Client) -> None:
    project = make_live_project("living")
    arms = [
        {"name": "now", "share": 1, "instructions": None, "pay": None, "settings": {}},
        {"name": "first", "share": 1, "instructions": None, "pay": None, "settings": {"tree": PARSE_FIRST}},
    ]
    Project.objects.filter(pk=project.pk).update(experiment={"name": "reading", "arms": arms})
    assert dora.get(f"{LIST}{PARSE_FIRST}/").context["uses"] == [project]
    assert dora.get(f"{LIST}default/").context["uses"] == [project]
    assert dora.get(f"{LIST}rate/").context["uses"] == []


def test_a_trees_page_draws_it_and_says_it_in_words(victor: Client) -> None:
    put()
    answer = victor.get(PAGE)
    html = answer.content.decode()
    assert html.count('class="tree-box tree-question"') == 3
    assert html.count("tree-box tree-outcome") == 4
    words = text_of(html)
    for said in ("This one?", "It flashes.", "Only if objects.0.voxels is there; otherwise why", "✕ vision_error"):
        assert said in words
    assert "Change" not in words


@pytest.mark.parametrize(
    ("outcome", "tone", "words"),
    [("ok", "good", "✓ ok"), ("task_error", "bad", "✕ task_error"), ("too_slow", "accent", "● too_slow")],
)
def test_outcomes_differ_in_colour_and_sign(outcome: str, tone: str, words: str, victor: Client) -> None:
    put(changed(SMALL, "#/nodes/done/choices/0/outcome", outcome))
    html = victor.get(PAGE).content.decode()
    box = html.split(f'class="tree-box tree-outcome tree-{tone}"', 1)[1].split("</div>")[0]
    assert words in text_of(box)


def test_an_earlier_version_is_shown_as_one(dora: Client) -> None:
    put()
    put(OTHER)
    page = words_of(dora, f"{PAGE}?version=1")
    assert "Did it?" in page
    assert "version 1 of 2" in page
    assert "This is an earlier version." in page
    for last in ("", "?version=0", "?version=x", "?version=-1", f"?version={'1' * 20}"):
        assert dora.get(PAGE + last).context["version"].number == 2, last


@pytest.mark.parametrize("address", [f"{LIST}nowhere/", f"{PAGE}?version=7", f"{PAGE}versions/?from=1&to=9"])
def test_what_is_not_there_is_404(address: str, dora: Client) -> None:
    put()
    assert dora.get(address).status_code == 404


# Versions ---------------------------------------------------------------------------------------------------------


def test_any_two_versions_are_compared(dora: Client) -> None:
    put()
    put(OTHER)
    put(changed(OTHER, "#/title", "Third"))
    words = words_of(dora, f"{PAGE}versions/")
    assert "by staff:dora" in words
    assert "It is asked in other words. − before: Did it? + now: Was it done?" in words
    answer = dora.get(f"{PAGE}versions/?from=1&to=3")
    assert [one.node for one in answer.context["compared"]] == ["", "done"]
    assert dora.get(f"{PAGE}versions/?from=2&to=2").context["compared"] == []
    assert dora.get(f"{PAGE}versions/").context["compared"] is None


def test_the_versions_of_a_long_history_come_in_pages_that_cost_the_same(dora: Client) -> None:
    for number in range(3):
        put(changed(SMALL, "#/title", f"Title {number}"))
    few = cost_of(dora, f"{PAGE}versions/")
    for number in range(3, 18):
        put(changed(SMALL, "#/title", f"Title {number}"))
    assert cost_of(dora, f"{PAGE}versions/") == few
    for number in range(18, 25):
        put(changed(SMALL, "#/title", f"Title {number}"))
    shown = dora.get(f"{PAGE}versions/").context["rows"]
    assert [row.version.number for row in shown] == list(range(25, 5, -1))
    assert all(row.changes for row in shown), "the last of a page is compared with the first of the next"


def test_an_earlier_version_comes_back_as_a_new_one(dora: Client) -> None:
    put()
    put(OTHER)
    answer = dora.post(f"{PAGE}versions/1/restore/", follow=True)
    assert "✓ Version 1 is back, as version 3." in text_of(answer.content.decode())
    assert dora.post(f"{PAGE}versions/9/restore/").status_code == 404
    assert tree_named("small").content == SMALL
    event = AuditEvent.objects.filter(subject_kind="tree").latest("pk")
    assert (event.verb, event.actor, event.detail) == (
        "tree.changed",
        "staff:dora",
        {"before": {"version": 2}, "after": {"version": 3}},
    )


# Walks ------------------------------------------------------------------------------------------------------------


def walk(client: Client, slug: str = "small", **given: Any) -> Any:
    path = given.pop("walk", [])
    address = f"{LIST}{slug}/try/?{urlencode({**given, 'walk': path if isinstance(path, str) else json.dumps(path)})}"
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.context["walk"]


def test_a_walk_goes_on_and_back_and_ends(victor: Client) -> None:
    put()
    first = walk(victor)
    assert (first.question.node.name, first.path) == ("done", ())
    second = walk(victor, act="answer:1")
    assert (second.question.node.name, second.asked[0].answer) == ("seen", "No")
    assert walk(victor, act="back", walk=second.stored) == first
    end = walk(victor, act="answer:1", walk=second.stored)
    assert (end.outcome, end.meaning) == ("vision_error", "it perceived the wrong object, or none")
    assert walk(victor, act="back", walk=end.stored) == second
    assert walk(victor, act="back") == first
    assert not AuditEvent.objects.filter(actor="staff:victor").exists()
    html = victor.get(f"{PAGE}try/?act=answer:1").content.decode()
    assert (html.count("tree-question is-lit"), html.count("tree-question is-open")) == (1, 1)


def test_the_facts_are_chosen(victor: Client) -> None:
    put()
    assert walk(victor, act="answer:1", objects="missing").question.node.name == "why"
    assert walk(victor, act="answer:1", objects="found").question.node.name == "seen"
    put(shipped_tree("default"), slug="default")
    assert walk(victor, "default", act="try", ended="agent_lost").question.node.name == "silent"
    assert walk(victor, "default", act="try", ended="cannot").question.node.name == "done"
    assert walk(victor, "default", act="answer:1", parse="none").question.node.name == "guessed"


def test_the_worker_is_shown_the_parse_and_what_was_found(victor: Client) -> None:
    put(shipped_tree("parse-first"), slug="first")
    page = text_of(victor.get(f"{LIST}first/try/?act=try&parse=two").content.decode())
    assert "Destroy something named “cube” (colour “red”), then dig something named “hole”" in page
    path = json.dumps([{"node": "understood", "choice": 0}, {"node": "done", "choice": 1}])
    page = text_of(
        victor.get(f"{LIST}first/try/?{urlencode({'act': 'stay', 'objects': 'some', 'walk': path})}").content.decode()
    )
    assert "It took this for “the red cube”: it flashes." in page
    assert "It found nothing called “the house”." in page


def test_words_are_asked_for_and_shown(victor: Client) -> None:
    put()
    common: dict[str, Any] = {"walk": WORDED, "objects": "none", "act": "answer:1"}
    refused = walk(victor, **common)
    assert (refused.refusal, refused.question.node.name) == ("Please say it in a few words.", "why")
    assert walk(victor, **common, words=" it sang ").step.text == "it sang"
    plain = walk(victor, **{**common, "act": "answer:0"}, words="typed, and then another was chosen")
    assert plain.outcome == "task_error"


@pytest.mark.parametrize(
    "path",
    ["[", "7", "[7]", '[{"node":"why","choice":0}]', '[{"node":"done","choice":true}]', '[{"node":"done"}]', "[" * 9],
)
def test_a_walk_that_this_tree_does_not_have_begins_anew(path: str, victor: Client) -> None:
    put()
    found = walk(victor, act="answer:0", walk=path)
    assert found.question is None or found.path == ()
    assert found.outcome in {"ok", ""}


def test_an_answer_or_a_walk_that_does_not_fit_is_refused(victor: Client) -> None:
    put()
    for act in ("answer:7", "answer:-1", "answer:x", "answer:", "answer:²", "answer:" + "9" * 50):
        found = walk(victor, act=act)
        assert (found.path, found.refusal) == ((), "Choose by a number from 0 to 1."), act
    # The facts were changed under way.
    found = walk(victor, act="answer:0", walk=[*WORDED, {"node": "seen", "choice": 0}], objects="none")
    assert (found.path, found.refusal) == ((), "This is another walk now, so it begins anew.")
