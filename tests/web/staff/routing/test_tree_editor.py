"""The editor of trees: faults by line, what is typed never lost, versions saved by admins alone, drafts tried."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from audit.models import AuditEvent
from lib.trees.parser import read_tree
from lib.trees.shipped import DEFAULT, shipped_tree
from lib.trees.text import written
from routing.models import Tree, TreeVersion
from routing.tree_versions import put_tree, tree_named
from tests.support.builders import NOON
from tests.support.pages import text_of
from tests.support.trees import SMALL, changed
from web.staff.routing.tree_drafts import MOST_CHARACTERS, MOST_FAULTS, read_draft
from web.staff.routing.tree_questions import text_from

PAGE = "/staff/trees/small/edit/"
AS_TEXT = f"{PAGE}?as=text"
NEW = "/staff/new-tree/"
CHECK = "/staff/check-tree/"
TEXT = written(read_tree(SMALL))
OTHER = TEXT.replace("Did it?", "Was it done?")


@pytest.fixture
def small(db: None) -> Tree:
    return put_tree(slug="small", content=SMALL, by="key:pipe", at=NOON)[0].tree


def send(client: Client, act: str, text: str, *, based_on: int = 1, to: str = PAGE, **extra: str) -> Any:
    return client.post(to, {"act": act, "page": text, "based_on": str(based_on), **extra})


def said(answer: Any) -> str:
    return text_of(answer.content.decode())


def typed(answer: Any) -> str:
    """The text of the field after the answer."""
    html: str = answer.content.decode()
    found = html.split("<textarea", 1)[1].split(">", 1)[1].split("</textarea>", 1)[0]
    return found.removeprefix("\n").replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<")


def fields_of(answer: Any) -> dict[str, str]:
    """The fields that a browser would post of the form of questions, without a button."""
    form = answer.context["form"]
    found = {"by": "questions", "based_on": str(answer.context["based_on"]), "title": form.title, "start": form.start}
    for n, row in enumerate(form.questions):
        found |= {f"{name}.{n}": getattr(row, name) for name in ("name", "ask", "help", "show", "path", "op", "value")}
        found[f"else.{n}"] = row.otherwise
        for m, choice in enumerate(row.choices):
            found |= {f"label.{n}.{m}": choice.label, f"leads.{n}.{m}": choice.leads}
            found |= {f"text.{n}.{m}": "1"} if choice.has_text else {}
    return found


def test_a_tree_is_made_by_adding_questions(small: Tree, dora: Client) -> None:
    page = dora.get(f"{NEW}?from=small")
    fields = {**fields_of(page), "slug": "own"}
    assert text_from(fields, "check") == TEXT
    fields = {name: value for name, value in fields.items() if not re.search(r"\.[1-9]", name)}
    fields |= {"ask.0": "Was it done?", "label.0.0": "Yes", "leads.0.0": "end:ok", "start": fields["name.0"]}
    begun = dora.post(NEW, {**fields, "act": "add-choice:0"})
    assert "It needs" in said(begun) or "to mend" in said(begun)
    fields = {**fields_of(begun), "slug": "own", "label.0.1": "No", "leads.0.1": "new"}
    grown = dora.post(NEW, {**fields, "act": "check"})
    assert [row.name for row in grown.context["form"].questions] == [fields["name.0"], "question_1"]
    fields = {**fields_of(grown), "slug": "own", "ask.1": "What went wrong?", "label.1.0": "It stopped"}
    fields |= {"leads.1.0": "end:agent_error", "text.1.0": "1"}
    assert dora.post(NEW, {**fields, "act": "save"}).status_code == 302
    kept = tree_named("own").read()
    assert [node.ask for node in kept.nodes.values()] == ["Was it done?", "What went wrong?"]
    assert kept.nodes["question_1"].choices[0].has_text
    gone = dora.post(NEW, {**fields, "act": "remove-question:1"})
    assert len(gone.context["form"].questions) == 1
    assert gone.context["form"].questions[0].faults
    as_text = dora.post(NEW, {**fields, "act": "as-text"})
    assert "What went wrong?" in typed(as_text)
    assert dora.post(NEW, {"page": typed(as_text), "slug": "own", "act": "as-questions"}).context["form"] is not None


# Writing a version ------------------------------------------------------------------------------------------------


def test_the_editor_begins_with_the_last_version_as_text(small: Tree, dora: Client) -> None:
    answer = dora.get(AS_TEXT)
    assert typed(answer) == TEXT
    assert "✓ Every way through it ends in an outcome" in said(answer)
    assert answer.content.decode().count("tree-box tree-question") == 3


def test_a_change_is_saved_as_a_version(small: Tree, dora: Client) -> None:
    same = dora.post(PAGE, {"act": "save", "page": TEXT.replace('"show": null,', ""), "based_on": "1"}, follow=True)
    assert "Nothing changed, so there is no new version." in said(same)
    unsure = dora.post(PAGE, {"act": "save", "page": OTHER})
    assert (unsure.status_code, typed(unsure)) == (409, OTHER), "without the version that it began with"
    answer = dora.post(PAGE, {"act": "save", "page": OTHER.replace("\n", "\r\n"), "based_on": "1"}, follow=True)
    assert "✓ Saved as version 2." in said(answer)
    version = tree_named("small")
    assert (version.number, version.by, version.content) == (2, "staff:dora", json.loads(OTHER))
    event = AuditEvent.objects.filter(subject_kind="tree").latest("pk")
    assert (event.verb, event.actor, event.detail) == (
        "tree.changed",
        "staff:dora",
        {"before": {"version": 1}, "after": {"version": 2}},
    )


@pytest.mark.parametrize("act", ["check", "try", "answer:0", "back", "", "nonsense"])
def test_no_other_button_saves(act: str, small: Tree, dora: Client) -> None:
    answer = send(dora, act, OTHER)
    assert (answer.status_code, typed(answer)) == (200, OTHER)
    assert "not saved yet" in said(answer)
    assert TreeVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "This is not JSON, at character 1 of the line"),
        (TEXT.replace('"start": "done",', '"start": "done"'), 4, "This is not JSON"),
        ('{"title": NaN}', 1, "NaN is not a JSON value"),
        ("[" * 5000, 1, "This is not JSON"),
        ('{"title": "\\u0000"}', 1, "a character that cannot be kept"),
        (TEXT.replace('"next": "seen"', '"next": "sen"'), 10, "There is no node 'sen'."),
        (TEXT.replace('"start": "done"', '"start": "nowhere"'), 3, "There is no node 'nowhere'."),
        (TEXT.replace('"title": "Small",\n', ""), 1, "This field is required."),
        (TEXT.replace('"ask": "Why?"', '"asks": "Why?"'), 25, "There is no field 'asks' here."),
        (TEXT.replace('"ask": "Why?"', '"ask": "Why?", "ask": "How?"'), 25, "This stands here twice"),
        ("x" * (MOST_CHARACTERS + 1), 1, f"Use {MOST_CHARACTERS} characters at most."),
    ],
)
def test_what_cannot_be_saved_stays_in_the_field_with_its_faults(
    text: str, line: int, words: str, small: Tree, dora: Client
) -> None:
    answer = send(dora, "save", text)
    assert answer.status_code == 422
    assert typed(answer) == text
    assert words in said(answer)
    assert line in [fault.line for fault in answer.context["draft"].faults if words in fault.detail]
    assert f'data-line="{line}"' in answer.content.decode()
    assert TreeVersion.objects.count() == 1


def test_two_writers_do_not_overwrite_each_other(small: Tree, dora: Client) -> None:
    send(dora, "save", OTHER)
    mine = TEXT.replace("Why?", "What went wrong?")
    answer = send(dora, "save", mine, based_on=1)
    assert (answer.status_code, typed(answer)) == (409, mine)
    assert "Somebody else has saved another version meanwhile." in said(answer)
    assert "It is asked in other words. − before: Did it? + now: Was it done?" in said(answer)
    assert tree_named("small").content == json.loads(OTHER)
    assert answer.context["based_on"] == 2, "saving again is a decision, made in sight of what is replaced"
    send(dora, "save", mine, based_on=2)
    assert tree_named("small").content == json.loads(mine)


def test_the_content_is_read_back_as_it_was_written(small: Tree, dora: Client) -> None:
    content = changed(SMALL, "#/nodes/done/ask", "“Fertig”? 完了? </textarea>&amp;")
    send(dora, "save", written(read_tree(content)))
    assert tree_named("small").content["nodes"]["done"]["ask"] == "“Fertig”? 完了? </textarea>&amp;"
    assert dora.get(AS_TEXT).content.decode().count("</textarea>") == 1


# A new tree -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "status", "words"),
    [
        *((slug, 422, "Name the tree by") for slug in ("", "Mine", "a b", "x" * 64, "../up")),
        ("small", 409, "There is a tree of this name already."),
    ],
)
def test_a_name_that_cannot_be_loses_no_text(slug: str, status: int, words: str, small: Tree, dora: Client) -> None:
    answer = send(dora, "save", OTHER, to=NEW, slug=slug)
    assert (answer.status_code, typed(answer)) == (status, OTHER)
    assert words in said(answer)
    assert TreeVersion.objects.count() == 1


def test_a_new_tree_begins_with_the_text_of_another(small: Tree, dora: Client) -> None:
    put_tree(slug=DEFAULT, content=shipped_tree(DEFAULT), by="system", at=NOON)
    assert json.loads(typed(dora.get(f"{NEW}?as=text"))) == shipped_tree(DEFAULT)
    answer = dora.get(f"{NEW}?from=small&as=text")
    assert typed(answer) == TEXT
    assert list(answer.context["offered"]) == ["default", "small"]
    assert dora.get(f"{NEW}?from=nowhere").status_code == 404


def test_a_new_tree_is_saved_under_its_name(small: Tree, dora: Client) -> None:
    answer = dora.post(NEW, {"act": "save", "page": TEXT, "slug": " mine "}, follow=True)
    assert "✓ The tree mine is there, as version 1." in said(answer)
    assert tree_named("mine").content == json.loads(TEXT)
    event = AuditEvent.objects.filter(subject_kind="tree").latest("pk")
    assert (event.verb, event.actor) == ("tree.created", "staff:dora")


# While somebody types ---------------------------------------------------------------------------------------------


def test_the_check_names_each_fault_with_its_line_and_draws_what_can_be_drawn(small: Tree, victor: Client) -> None:
    spoilt = TEXT.replace('"next": "seen"', '"next": "sen"').replace(
        '"outcome": "task_error"', '"outcome": "Task Error"'
    )
    html = victor.post(CHECK, {"page": spoilt}).content.decode()
    words = text_of(html)
    assert "✕ 4 things to mend" in words
    assert "Line 10 There is no node 'sen'. #/nodes/done/choices/1/next" in words
    assert "Line 13 No way leads here from the start, 'done'. #/nodes/seen" in words
    assert html.count("tree-question is-faulty") == 3
    assert "<html" not in html


def test_a_text_with_very_many_faults_shows_the_first() -> None:
    nodes = {f"n{n}": {"ask": "", "choices": []} for n in range(100)}
    draft = read_draft(json.dumps({"title": "", "start": "n0", "nodes": nodes}))
    assert len(draft.faults) > 200
    assert (len(draft.shown), draft.tree) == (MOST_FAULTS, None)


@given(st.text(max_size=60) | st.text(alphabet='{}[]",:1 \n', max_size=60))
def test_whatever_is_typed_has_a_fault_in_one_of_its_lines(text: str) -> None:
    draft = read_draft(text)
    assert draft.tree is None
    for fault in draft.faults:
        assert 1 <= fault.line <= draft.text.count("\n") + 1
        assert fault.detail.endswith((".", ")"))


@given(st.integers(0, len(TEXT) - 1), st.sampled_from(["", '"', "{", "x", "\n"]))
def test_one_slip_of_the_pen_is_no_broken_page(at: int, slip: str) -> None:
    draft = read_draft(TEXT[:at] + slip + TEXT[at + 1 :])
    assert (draft.tree is None) == bool(draft.faults)
    assert draft.tree is None or draft.drawing


# Trying what is written -------------------------------------------------------------------------------------------


def test_a_draft_is_tried_before_it_is_saved(small: Tree, dora: Client) -> None:
    begun = send(dora, "try", OTHER)
    assert begun.context["walk"].question.node.ask == "Was it done?"
    stored = begun.context["walk"].stored
    on = send(dora, "answer:1", OTHER, walk=stored, objects="found")
    assert on.context["walk"].question.node.name == "seen"
    again = send(dora, "check", OTHER, walk=on.context["walk"].stored, objects="found")
    assert again.context["walk"].question.node.name == "seen", "checking the text leaves the walk where it is"
    assert typed(on) == OTHER
    path = json.dumps([{"node": "done", "choice": 1}])
    anew = send(dora, "answer:0", OTHER.replace('"done"', '"first"'), walk=path)
    assert anew.context["walk"].path == (), "the draft has no such walk any more"
    faulty = send(dora, "try", OTHER.replace('"next": "seen"', '"next": "sen"'))
    assert faulty.context["walk"] is None
    assert "Mend first what is wrong" in said(faulty)
    assert TreeVersion.objects.count() == 1


# Who may ----------------------------------------------------------------------------------------------------------
