"""The fields of a project's practice task: the setting `practice`, taken apart for a form and put together again."""

from dataclasses import replace

from annotation.models import Project
from annotation.tool_registry import Json, OwnTasks, tool_named
from annotation.tools.practice import PRACTICE
from web.staff.projects import tool_texts
from web.staff.setup.fields import Field, Kind

OWN, OFF = "own", "off"
_FIELDS = [
    Field(
        f"{PRACTICE}/use",
        "What new workers can try first",
        Kind.CHOICE,
        choices=[("", "the usual practice, if the tool has one"), (OWN, "the task below"), (OFF, "nothing")],
        does="It does not count and is not paid, on the real page, with a coach beside it.",
    ),
    Field(f"{PRACTICE}/first", "New workers begin with it", Kind.YES, does="Else the instructions offer it."),
    Field(f"{PRACTICE}/ask", "Above the task workers read", placeholder="Try this one. It does not count."),
    Field(f"{PRACTICE}/payload", "The task", Kind.JSON, rows=4),
    Field(
        f"{PRACTICE}/accept",
        "Its right answers",
        Kind.JSON,
        rows=5,
        does="A list of all of them, as those of a reference. Workers who try learn them: a task that is a reference "
        "too is refused.",
    ),
    Field(f"{PRACTICE}/tolerance_s", "A time may be off by", Kind.NUMBER, unit="seconds"),
    Field(
        f"{PRACTICE}/why",
        "After a wrong answer workers read",
        Kind.AREA,
        rows=2,
        placeholder="Look once more, and try again. Nothing here counts.",
    ),
]


def practice_fields(project: Project) -> list[Field]:
    """The fields for this project; none where its tool has no practice."""
    tool = tool_named(project.tool)
    if isinstance(tool, OwnTasks):
        return []
    example = f"As JSON, such as {tool_texts.page_of(project).payload}."
    return [replace(field, does=example) if field.path == f"{PRACTICE}/payload" else field for field in _FIELDS]


def apart(body: Json) -> Json:
    """The body with the practice task in a place of its own, outside the settings."""
    settings = dict(body["settings"])
    practice = settings.pop(PRACTICE, None)
    use = OFF if practice is False else OWN if practice else ""
    return {**body, "settings": settings, PRACTICE: {**(practice or {}), "use": use}}


def is_left_out(typed: Json, body: Json) -> bool:
    """Whether a task was typed for a project without a practice task of its own, and not chosen."""
    practice = typed[PRACTICE]
    has_words = any(value not in (None, "", False) for name, value in practice.items() if name != "use")
    return practice["use"] != OWN and has_words and not body["settings"].get(PRACTICE)


def together(typed: Json) -> Json:
    """The body that `apart` took apart, as it was typed."""
    practice = dict(typed[PRACTICE])
    use = practice.pop("use")
    body = {name: value for name, value in typed.items() if name != PRACTICE}
    if use == OFF:
        return {**body, "settings": {**body["settings"], PRACTICE: False}}
    if use == OWN:
        said = {name: value for name, value in practice.items() if value is not None and value is not False}
        return {**body, "settings": {**body["settings"], PRACTICE: said}}
    return body
