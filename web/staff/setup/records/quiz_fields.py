"""The fields of a quiz: its rules, its pages, and a row of fields for each question."""

import json
from collections.abc import Sequence
from typing import Any

from annotation.models import Project, Task
from annotation.tool_registry import Json, tool_names
from lib.faults import Invalid
from web.staff.setup.fields import Choices, Field, Kind
from web.staff.setup.names import free_name, slug_of
from workforce.questions import KINDS, MULTIPLE, SINGLE, TASK, TEXT

EMPTY_QUESTIONS, EMPTY_PAGES = 2, 1
MOST_OF_ID = 40
KIND_WORDS: Choices = [
    ("", "no question"),
    (SINGLE, "one option is right"),
    (MULTIPLE, "several options are right"),
    (TEXT, "a text"),
    (TASK, "a task of a tool"),
]
RULES = [
    Field("title", "Title", is_needed=True, does="Workers read it above the questions."),
    Field("pass_mark", "Passed with", Kind.PERCENT, unit="% right", is_needed=True),
    Field("attempts", "Attempts", Kind.WHOLE, is_needed=True, does="Who used them all gets no task."),
    Field("cool_off_s", "Wait between attempts", Kind.WHOLE, unit="seconds", empty=0),
    Field("draw", "Ask only so many, at random", Kind.WHOLE, does="Empty: all of them."),
    Field("valid_s", "Holds for", Kind.WHOLE, unit="seconds", does="Empty: for good."),
]
NEW_QUIZ: Json = {"pass_mark": 0.75, "attempts": 3, "cool_off_s": 60, "pages": [], "questions": []}


def page_fields(count: int) -> list[Field]:
    """A field for each page to read before the questions, and for one more."""
    return [
        Field(
            f"pages/{n}", f"Page {n + 1}", Kind.AREA, rows=6, does="" if n else "Markdown, read before the questions."
        )
        for n in range(count + EMPTY_PAGES)
    ]


def question_fields(count: int) -> list[list[Field]]:
    """The fields of each question, and of some more."""
    assert {kind for kind, _ in KIND_WORDS} == {"", *KINDS}  # noqa: S101 - a new kind needs its words here
    tools: Choices = [("", "none"), *((name, name) for name in tool_names())]
    return [
        [
            Field(f"questions/{n}/kind", "Kind", Kind.CHOICE, choices=KIND_WORDS),
            Field(f"questions/{n}/ask", "Question", Kind.AREA, rows=2),
            Field(
                f"questions/{n}/options",
                "Options",
                Kind.LINES,
                does="One a line. Each worker gets them in an order of their own.",
            ),
            Field(
                f"questions/{n}/accept",
                "Right answers",
                Kind.LINES,
                does="One a line, exactly as the option. For a text: any of them; none: any text. For a task, and for "
                "several right sets of options: JSON, one a line.",
            ),
            Field(f"questions/{n}/tool", "Tool", Kind.CHOICE, choices=tools, does="Of a task."),
            Field(f"questions/{n}/payload", "Payload of the task", Kind.JSON, rows=3),
            Field(f"questions/{n}/tolerance_s", "Tolerance", Kind.NUMBER, unit="s", does="Of a marked moment."),
            Field(
                f"questions/{n}/reference",
                "… or take a reference",
                placeholder="project/key",
                does="The project and the key of a reference: task and right answers come from there.",
            ),
        ]
        for n in range(count + EMPTY_QUESTIONS)
    ]


def as_form(body: Json) -> Json:
    """The body with its pages and questions by number, and right answers as lines."""
    return {
        **body,
        "pages": {str(n): page for n, page in enumerate(body["pages"])},
        "questions": {
            str(n): {**question, "accept": [_line(one) for one in question["accept"]]}
            for n, question in enumerate(body["questions"])
        },
    }


def _line(right: Any) -> str:
    return right if isinstance(right, str) else json.dumps(right, ensure_ascii=False)


def from_form(typed: Json) -> Json:
    """The body that the API takes, from what `as_form` makes.

    Raises:
        Invalid: a right answer is no JSON, or a reference does not exist.
    """
    numbered = sorted(typed["questions"].items(), key=lambda one: int(one[0]))
    kept = [(number, question) for number, question in numbered if question.get("kind")]
    taken = {question["id"] for _, question in kept if question.get("id")}
    questions = []
    for number, question in kept:
        if not question.get("id"):
            question = {**question, "id": free_name(slug_of(question["ask"] or "", otherwise="q")[:MOST_OF_ID], taken)}
            taken.add(question["id"])
        questions.append(_question(number, question))
    pages = [page for _, page in sorted(typed["pages"].items(), key=lambda one: int(one[0])) if page]
    return {**typed, "pages": pages, "questions": questions}


def _question(number: str, typed: Json) -> Json:
    bare = {"id": typed["id"], "ask": typed["ask"] or "", "kind": typed["kind"]}
    lines: Sequence[str] = typed.get("accept") or []
    match typed["kind"]:
        case "task" if typed.get("reference"):
            return {**bare, **_of_reference(number, typed["reference"])}
        case "task":
            task = {"payload": typed.get("payload"), "accept": [_json(number, line) for line in lines]}
            more = {name: typed[name] for name in ("tool", "tolerance_s") if typed.get(name) is not None}
            return {**bare, **task, **more}
        case "text":
            return {**bare, "accept": list(lines)}
        case "multiple" if any(line.startswith("[") for line in lines):
            sets = [_json(number, line) for line in lines]
            return {**bare, "options": typed.get("options") or [], "accept": sets}
    return {**bare, "options": typed.get("options") or [], "accept": list(lines)}


def _json(number: str, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise Invalid.at(f"#/questions/{number}/accept", f"This is not JSON: {line[:80]}") from None


def _of_reference(number: str, name: str) -> Json:
    """The task and the right answers of a reference. 1 query."""
    slug, _, key = name.partition("/")
    found = Task.objects.references().filter(project__slug=slug, key=key).select_related("project", "truth").first()
    if found is None:
        detail = "There is no such reference. Write the project and the key, as in my-project/ref-1."
        raise Invalid.at(f"#/questions/{number}/reference", detail)
    tool = Project.objects.values_list("tool", flat=True).get(slug=slug)
    accept = [{name: value for name, value in right.items() if value is not None} for right in found.truth.answers]
    bare: Json = {"tool": tool, "payload": found.payload, "accept": accept}
    return bare if found.truth.tolerance_s is None else {**bare, "tolerance_s": found.truth.tolerance_s}
