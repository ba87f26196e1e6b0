"""The interface of tools, and the registry of the tools that exist.

A tool is a class that derives from `Tool`, and from each optional part that it has: `YesNo`, `FollowUp`, `Parts`,
`OwnTasks`, `Bonus`, `Guesses`, `Questions`, `FreeText`. The code asks with `isinstance` whether a tool has a part,
never for the tool's name.
To add a tool, write the class and its island, and register one object of the class in the `AppConfig.ready` of its app.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from django.db.models import QuerySet

from annotation.models import Annotation, Approval, Assignment, Consensus, Enrolment, Project, Task
from common.serializers import ChoiceField, StrictSerializer
from lib.faults import Invalid
from lib.question_effort import QuestionEffort
from workforce.privacy import Person

Json = dict[str, Any]

GRACE_S = "grace_s"
"""The setting of every tool: how many seconds after submitting a worker may correct the answer; absent or 0: never."""
MOST_GRACE_S = 24 * 3600


class Merged(NamedTuple):
    """The merged answer, and the share of the votes behind it, 0..1."""

    answer: Json
    confidence: float


class Tool(ABC):
    """One kind of work, as every tool has it.

    Attributes:
        name: Stands in the column `Project.tool` and in the API.
        payload: The shape of a task's payload, as a pipeline posts it.
        answer: The shape of an answer, as a worker's page sends it.
        truth: The shape of one right answer of a reference, as a pipeline posts it.
        settings_of_arms: The settings that an arm of an experiment may have of its own: those that the tool reads for
            each worker.
        matter: The field of a payload that says what a task is about, where one field does: a reference and the
            practice task of its project differ in it.
    """

    name: ClassVar[str]
    payload: ClassVar[type[StrictSerializer]]
    answer: ClassVar[type[StrictSerializer]]
    truth: ClassVar[type[StrictSerializer]]
    settings_of_arms: ClassVar[frozenset[str]] = frozenset()
    matter: ClassVar[str] = ""

    def is_tool_of(self, project: Project) -> bool:
        """True if the project's tasks are done with this tool."""
        return project.tool == self.name

    def projects(self, among: QuerySet[Project] | None = None) -> QuerySet[Project]:
        """The projects, or those among some, whose tasks are done with this tool."""
        return (Project.objects.all() if among is None else among).filter(tool=self.name)

    def check_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        """Check the settings that a project wants to have: those of every tool, and this tool's own.

        Args:
            project: The project as it is now, if there is one.
            is_live: The project is live or is about to be, so nothing may be missing.

        Raises:
            Invalid: with pointers below `#/settings`.
        """
        grace_s = settings.get(GRACE_S, 0)
        if type(grace_s) is not int or not 0 <= grace_s <= MOST_GRACE_S:
            raise Invalid.at(f"#/settings/{GRACE_S}", f"This is a whole number of seconds from 0 to {MOST_GRACE_S}.")
        for name, check in _shared_settings.items():
            if name in settings:
                check(self, settings[name])
        shared = {GRACE_S, *_shared_settings}
        own = {name: value for name, value in settings.items() if name not in shared}
        self.check_own_settings(own, project, is_live=is_live)

    def check_own_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        """Check the settings that only this tool has, as `check_settings` says. A tool without any refuses all.

        Raises:
            Invalid: with pointers below `#/settings`.
        """
        if settings:
            raise Invalid.at("#/settings", f"This tool has no settings but {GRACE_S}.")

    def usual_practice(self, project: Project) -> Json | None:
        """The practice task of a project that has none of its own, as `annotation.tools.practice` reads it; None where
        the tool has none."""
        return None

    # Tasks -----------------------------------------------------------------------------------------------------------

    @abstractmethod
    def check_payload(self, payload: Json) -> None:
        """Check that the things which a payload names exist, for a question of a quiz: it never becomes a task.

        Raises:
            Invalid: with pointers below `#`, the payload.
        """

    @abstractmethod
    def keep_payloads(self, project: Project, payloads: Sequence[Json], *, at: datetime) -> list[Json]:
        """Check the payloads of new tasks, store the things that they contain, and return them as tasks will have them.

        It is called in the transaction that makes the tasks, before they are made.

        Raises:
            Invalid: a payload names something that does not exist; pointers begin with `#/tasks/INDEX/payload`.

        Costs: as many queries for a thousand payloads as for one.
        """

    def link(self, payloads: Mapping[int, Json]) -> None:  # noqa: B027 - a tool without such things needs none
        """Link new tasks, given as payloads by the task's id, to the things that their payloads name.

        Costs: as many queries for a thousand tasks as for one.
        """

    @abstractmethod
    def present(self, task: Task, *, hold: str) -> Json:
        """The payload as a worker is served it.

        Args:
            hold: The id of the worker's assignment, with which addresses are signed.
        """

    # Answers ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def check(self, payload: Json, answer: Json) -> Json:
        """Check an answer against the payload of its task, and complete it.

        Raises:
            Invalid: with pointers below `#/answer`.
        """

    @abstractmethod
    def check_truth(self, payload: Json, truth: Json) -> Json:
        """Check a right answer of a reference in the same way, and complete it; pointers begin with `#`."""

    @abstractmethod
    def score(self, answer: Json, truth: Json, tolerance_s: float | None) -> float | None:
        """The score of an answer against a right one, 0..1; None if the answer is not about the same matter."""

    @abstractmethod
    def agree(self, a: Json, b: Json) -> float:
        """The agreement of two answers, 0..1."""

    @abstractmethod
    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
        """The common answer of one or more answers.

        Args:
            weights: The weight of each answer, at least 0; None: all weigh the same.
        """

    @abstractmethod
    def truth_of(self, answer: Json) -> Json | None:
        """A settled answer in the shape of a right answer; None for a tie, or where a part is missing."""


class YesNo(Tool):
    """A tool whose answers say yes or no, so accuracy is balanced between the two."""

    @abstractmethod
    def verdict(self, answer: Json) -> bool | None:
        """The yes or no that an answer says; None for a tie."""

    @abstractmethod
    def bare(self, verdict: bool | None) -> Json:
        """The answer that says this yes or no and nothing else; None: the answer of a tie."""


class FollowUp(Tool):
    """A tool that acts on each answer."""

    @abstractmethod
    def answered(self, annotation: Annotation) -> None:
        """Act on an answer, in its transaction, after its task's consensus was renewed."""

    def corrected(self, before: Annotation, annotation: Annotation) -> None:
        """Act on an answer that superseded another, in the same way."""
        self.answered(annotation)


class Wholes(NamedTuple):
    """The wholes that a worker has begun, finished ones included."""

    begun: int
    finished: int


class Parts(FollowUp):
    """A tool whose posted tasks may be wholes: workers get their parts, some of these reserved for one worker."""

    @abstractmethod
    def are_wholes(self, project: Project) -> bool:
        """True if the tasks that are posted to this project are answered in parts."""

    @abstractmethod
    def wholes_of(self, enrolment: Enrolment) -> Wholes | None:
        """The wholes of a worker who goes through each alone; None where workers answer parts of any.

        At most 1 query.
        """

    @abstractmethod
    def begin(self, wholes: Sequence[Task], *, at: datetime) -> None:
        """Make the first parts of new wholes, in the transaction that makes these, after their truths were saved. The
        wholes come with their project."""

    @abstractmethod
    def votes_on(self, task: Task, project: Project) -> bool:
        """True if the answers to this task are merged to a consensus of its own, which closes the task or lets it grow;
        otherwise the tool itself closes and opens it."""

    @abstractmethod
    def settled(self, task: Task, consensus: Consensus) -> None:
        """Act on a settled consensus, in its transaction; called again whenever the settled answer changes."""

    @abstractmethod
    def assemble(self, task: Task, *, at: datetime) -> None:
        """Make the consensus of a whole from the present consensus of its parts."""

    @abstractmethod
    def left(self, task: Task, *, at: datetime) -> None:
        """Act when a worker gives up a task that is reserved for them, in that transaction."""

    @abstractmethod
    def truth_changed(self, task: Task, *, at: datetime) -> None:
        """Act when the truth of a reference is corrected, or the reference is retired, in that transaction."""


class OwnTasks(Tool):
    """A tool that makes tasks when workers come, beside those that pipelines post."""

    @abstractmethod
    def make_more(self, project: Project, *, at: datetime) -> bool:
        """Make one more task for a worker who finds none; True if there is one now.

        Locks: call with the project locked.
        """

    @abstractmethod
    def wanted(self, project: Project) -> int:
        """The number of tasks that the project is to have in the end. No query."""

    @abstractmethod
    def used_up(self, enrolment: Enrolment) -> int:
        """The number of tasks that count against the worker's limit although they were not handed in."""

    @abstractmethod
    def unsettled(self, project: Project) -> int:
        """The number of tasks that may still be paid although no worker holds them any more."""


class Bonus(Tool):
    """A tool whose tasks may earn more than the base pay."""

    @abstractmethod
    def base_pay_of(self, assignment: Assignment, present: Decimal | None) -> Decimal | None:
        """The base pay that was promised for this hold, if it was saved; else `present`, the worker's base pay now."""

    @abstractmethod
    def most_bonus(self, project: Project) -> Decimal:
        """The most that one task may earn above its base pay, for any worker; the budget counts it for each task."""

    @abstractmethod
    def open_bonus(self, project: Project) -> Decimal:
        """The bonuses that may still be paid beyond `most_bonus` of the held tasks.

        They are for answers without a decision, and for holds that were promised more than a task earns now.
        """

    @abstractmethod
    def expected_bonuses(self, annotations: Sequence[Annotation]) -> dict[int, Decimal]:
        """The bonus of each of these answers if it were approved now, by annotation id. 0 or 1 query."""

    @abstractmethod
    def decided(self, annotation: Annotation, approval: Approval, *, at: datetime) -> None:
        """Act on a decision about an answer, in its transaction; called again when the decision is overturned.

        The annotation comes with its project, task and worker.
        """


class Guesses(Tool):
    """A tool that may serve a guess of the answer with a task, to be accepted or corrected.

    Nothing about it may tell a reference from another task: neither whether there is one, nor how long it takes.
    """

    @abstractmethod
    def draws_guess(self, *, project: Project, worker: int, shown: Task, slot_of: Task) -> bool:
        """True if a worker who claims now is served a guess.

        Args:
            worker: The worker's primary key.
            shown: The task that the worker is served.
            slot_of: The ordinary task whose slot it takes.
        """

    @abstractmethod
    def present_guess(self, task: Task, *, shows_guess: bool) -> Json:
        """The fields that a worker is served in addition to `present`."""

    @abstractmethod
    def check_about_guess(self, task: Task, answer: Json, *, shows_guess: bool) -> Json | None:
        """Check an answer that is about the guess, and complete it; None for every other answer.

        Raises:
            Invalid: with pointers below `#/answer`.
        """

    @abstractmethod
    def sets_guess_aside(self, task: Task, answer: Json) -> bool:
        """True if this answer, as it was sent, takes no notice of the guess, so that it counts as given without one."""


class Questions(Tool):
    """A tool that asks its workers a series of questions."""

    @abstractmethod
    def question_efforts(self, project: Project) -> list[QuestionEffort]:
        """How long each question takes, and how often its answer is undone or wrong. At most 3 queries."""


class FreeText(Tool):
    """A tool whose answers may hold words that a worker chose, so they may name the worker."""

    @abstractmethod
    def erase(self, person: Person) -> dict[str, int]:
        """Take the person's names out of their answers and of everything made from these; return the number of changed
        rows."""


_tools: dict[str, Tool] = {}
_shared_settings: dict[str, Callable[[Tool, Any], None]] = {}


def register(tool: Tool) -> None:
    """Add a tool, from an `AppConfig.ready`."""
    _tools[tool.name] = tool


def register_shared_setting(name: str, check: Callable[[Tool, Any], None]) -> None:
    """Add a setting that every tool has, with the check of its value, from an `AppConfig.ready`."""
    _shared_settings[name] = check


def tool_named(name: str) -> Tool:
    """The registered tool.

    Raises:
        KeyError: there is none of this name.
    """
    return _tools[name]


def has_parts(project: Project) -> bool:
    """True if the project's posted tasks may be wholes, of which workers get the parts."""
    return isinstance(tool_named(project.tool), Parts)


def tool_names() -> list[str]:
    """The names of all tools, in alphabetical order."""
    return sorted(_tools)


class ToolField(ChoiceField):
    """The name of a tool. DRF copies a field by its arguments, so each copy has the tools that are registered then."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=tool_names(), **kwargs)


def all_tools() -> list[Tool]:
    """All tools, in the alphabetical order of their names."""
    return [_tools[name] for name in tool_names()]


def verdict_of(tool: Tool) -> Callable[[Json], bool | None]:
    """The function that reads yes or no from an answer; for a tool without yes and no it always returns None."""
    return tool.verdict if isinstance(tool, YesNo) else _no_verdict


def _no_verdict(answer: Json) -> None:
    return None
