"""The practice task of a project: one task with its right answers, which a worker tries on the real page.

Nothing of it is stored, paid or counted, and no decision rests on it. A project's setting `practice` has the task;
where the project has no such setting, the tool may have one of its own; `false` switches practice off.
"""

from typing import Any, NamedTuple

from annotation.models import Project
from annotation.tool_registry import Json, Tool, tool_named
from annotation.tools.quiz_questions import TaskQuestions
from annotation.tools.serializers import PracticeSerializer
from common.serializers import read
from lib.faults import Invalid, NotFound, moved
from workforce.questions import TASK, Question

PRACTICE = "practice"
"""The name of the setting, which every tool has."""
USUAL_ASK = "Try this one. It does not count."
USUAL_WHY = "Look once more, and try again. Nothing here counts."
_PREFIX = "practice:"
_questions = TaskQuestions()


class Practice(NamedTuple):
    """The practice task of a project: its tool, and the content of `PracticeSerializer`."""

    tool: Tool
    body: Json

    @property
    def ask(self) -> str:
        return self.body.get("ask") or USUAL_ASK

    @property
    def why(self) -> str:
        """The text that a worker reads after a wrong answer."""
        return self.body.get("why") or USUAL_WHY

    @property
    def is_first(self) -> bool:
        """True if the work page opens the practice before the first task."""
        return bool(self.body.get("first"))

    def question(self) -> Question:
        """The task as a question of a quiz, checked and completed.

        Raises:
            Invalid: with pointers below `#`, the body.
        """
        return _questions.check(
            Question(
                id=PRACTICE,
                ask=self.ask,
                kind=TASK,
                tool=self.tool.name,
                payload=self.body["payload"],
                tolerance_s=self.body.get("tolerance_s"),
                accept=self.body["accept"],
            )
        )


def check_practice(tool: Tool, practice: Any) -> None:
    """Check the setting `practice` of a project of this tool.

    Raises:
        Invalid: with pointers below `#/settings/practice`.
    """
    if practice is False:
        return
    try:
        if not isinstance(practice, dict):
            raise Invalid.at("#", "Give a task with its right answers, or false for no practice.")
        Practice(tool, read(PracticeSerializer, practice)).question()
    except Invalid as error:
        raise Invalid(faults=moved(error.faults, f"#/settings/{PRACTICE}")) from None


def check_apart_from_references(project: Project, settings: Json) -> None:
    """Check that a changed practice task is about no reference of the project: it shows the right answer. 1 query.

    Raises:
        Invalid: with a pointer below `#/settings/practice/payload`.
    """
    practice, matter = settings.get(PRACTICE), tool_named(project.tool).matter
    if not practice or not matter or practice == project.settings.get(PRACTICE):
        return
    # `IN`, because SQLite uses no index for a boolean column alone.
    counting = project.tasks.filter(is_reference__in=[True], retired_at=None)
    if counting.filter(**{f"payload__{matter}": practice["payload"][matter]}).exists():
        raise Invalid.at(
            f"#/settings/{PRACTICE}/payload/{matter}",
            "A reference is about this, and a practice task shows the right answer. Choose another for the practice.",
        )


def practice_of(project: Project) -> Practice | None:
    """The practice task of the project; None where there is none, or where its episode was archived since it was set.

    No query, or 1 where the task has an episode.
    """
    tool = tool_named(project.tool)
    found = project.settings.get(PRACTICE)
    if found is None:
        usual = tool.usual_practice(project)
        return Practice(tool, usual) if usual else None
    practice = Practice(tool, found) if found else None
    try:
        if practice:
            practice.question()
    except Invalid:
        return None
    return practice


def shown_practice(practice: Practice, project: Project, *, enrolment: int) -> Json:
    """The payload of the task as a worker of the project is served it.

    Args:
        enrolment: The worker's; 0 for staff. Each has a hold, for requests of videos count by hold.
    """
    shown = _questions.shown(practice.question(), hold=f"{_PREFIX}{project.pk}:{enrolment}")
    payload: Json = shown["payload"]
    return payload


def is_right(practice: Practice, answer: Any) -> bool:
    """True if the answer is among the right ones.

    Raises:
        Invalid: the tool refuses the answer; pointers begin with `#/answer`, as those of a submission.
    """
    question = practice.question()
    try:
        checked = _questions.check_answer(question, answer)
    except Invalid as error:
        raise Invalid(faults=moved(error.faults, "#/answer")) from None
    return _questions.is_right(question, checked)


# Holds: names of practice tasks in signed addresses of videos ------------------------------------------------------


def is_hold_of_practice(hold: str) -> bool:
    return hold.startswith(_PREFIX)


def practice_held(hold: str) -> Json:
    """The payload of the practice task with this hold. 1 query.

    Raises:
        NotFound: the project is gone, or has no practice of its own any more.
    """
    project = Project.objects.filter(pk=int(hold.removeprefix(_PREFIX).partition(":")[0])).first()
    found = practice_of(project) if project else None
    if found is None:
        raise NotFound
    payload: Json = found.body["payload"]
    return payload
