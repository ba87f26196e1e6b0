"""What a tool is, and the registry of those there are. Adding one: a module here, an island, a line in `apps.py`."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task
from common.api import StrictSerializer
from common.errors import Invalid

Json = dict[str, Any]


class Merged(NamedTuple):
    """What many answers come to: the common answer and the share of them behind it, 0..1."""

    answer: Json
    confidence: float


class Tool(Protocol):
    """One kind of work. Everything specific to it is here and in its island."""

    @property
    def name(self) -> str: ...

    @property
    def payload(self) -> type[StrictSerializer]:
        """What a pipeline posts as a task's payload."""

    @property
    def answer(self) -> type[StrictSerializer]:
        """What a worker gives."""

    @property
    def truth(self) -> type[StrictSerializer]:
        """One right answer of a reference, as a pipeline posts it."""

    @property
    def asks_in_parts(self) -> bool:
        """Whether posted tasks may be wholes that are asked in small tasks, some of them reserved for one worker."""

    @property
    def says_yes_or_no(self) -> bool:
        """Whether an answer says yes or no, so that accuracy is balanced between the two."""

    @property
    def makes_its_own(self) -> bool:
        """Whether tasks are made as workers come, beside those that are posted."""

    @property
    def settings_of_arms(self) -> frozenset[str]:
        """The settings that an arm of an experiment may have of its own: those that are read for each worker."""

    def make_more(self, project: Project, *, at: datetime) -> bool:
        """Make another task where none is left for who claims; whether there is one now. Only where it makes its own.

        Locks: call with the project locked.
        """

    def used_up(self, enrolment: Enrolment) -> int:
        """How many tasks count against the worker's limit, not handed in as they are. Only where it makes its own."""

    def unsettled(self, project: Project) -> int:
        """How many tasks may still be paid though nobody holds them any more. Only where it makes its own."""

    def base_pay_of(self, assignment: Assignment, present: Decimal | None) -> Decimal | None:
        """What was promised for this hold, where that is kept; else what its worker is promised for one now."""

    def most_bonus(self, project: Project) -> Decimal:
        """The most that one task may earn above its base pay, whoever works on it; the budget counts it for each."""

    def open_bonus(self, project: Project) -> Decimal:
        """What may still be paid beyond that: for what was handed in and nobody has decided on, and where more was
        promised for a hold than a task earns now."""

    def expected_bonuses(self, annotations: Sequence[Annotation]) -> dict[int, Decimal]:
        """What these answers would earn above their base pay if they were approved now, by their ids. 0 or 1 query."""

    def check_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        """Whether a project may have these settings; `project` is what is there now, if anything.

        Args:
            is_live: It is, or is about to be, so that nothing may be missing.

        Raises:
            Invalid: with pointers below `#/settings`.
        """

    def check_payload(self, payload: Json) -> None:
        """Whether what a payload names is there, for a task that is asked in a quiz and so is never made.

        Raises:
            Invalid: with pointers below `#`, the payload.
        """

    def made(self, tasks: list[Task]) -> None:
        """Check and link new tasks, in the transaction that makes them.

        Raises:
            Invalid: a payload names what is not there; pointers begin with `#/tasks/INDEX`.
        """

    def begun(self, tasks: list[Task]) -> None:
        """What follows from new tasks, in the transaction that makes them, their truths kept."""

    def truth_changed(self, task: Task, *, at: datetime) -> None:
        """What follows where the truth of a reference was corrected, or it was retired, in that transaction."""

    def check(self, payload: Json, answer: Json) -> Json:
        """The answer completed, after the rules that look at the payload too.

        Raises:
            Invalid: with pointers below `#/answer`.
        """

    def check_truth(self, payload: Json, truth: Json) -> Json:
        """The same for a right answer of a reference."""

    def score(self, answer: Json, truth: Json, tolerance_s: float | None) -> float | None:
        """How well an answer fits a right one, 0..1; None where it says nothing of the matter."""

    def verdict(self, answer: Json) -> bool | None:
        """What the answer says as yes or no, for balanced accuracy; None where the tool knows no such thing."""

    def agree(self, a: Json, b: Json) -> float:
        """How well two answers agree, 0..1."""

    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
        """What one or more answers come to.

        Args:
            weights: How much each answer counts, at least 0; None: all the same.
        """

    def bare(self, verdict: bool | None) -> Json:
        """The answer that says yes or no and nothing else; None: the answer of a tie.

        Asked only of tools that say yes or no.
        """

    def present(self, task: Task, *, hold: str) -> Json:
        """What a worker is served; `hold` is the id of their assignment, for signing addresses."""

    def truth_of(self, answer: Json) -> Json | None:
        """A settled answer as a right answer is posted; None for a tie, or where a part is missing."""

    def votes_on(self, task: Task, project: Project) -> bool:
        """Whether the answers to this task are put together to a consensus of its own, which closes it or lets it grow;
        else the tool itself closes and opens it."""

    def answered(self, annotation: Annotation) -> None:
        """What follows from an answer, in its transaction, its consensus renewed."""

    def left(self, task: Task, *, at: datetime) -> None:
        """What follows when the worker for whom a task is reserved will not answer it, in that transaction."""

    def assemble(self, task: Task, *, at: datetime) -> None:
        """Make the consensus of a whole what its parts say now."""

    def settled(self, task: Task, consensus: Consensus) -> None:
        """What follows from a consensus, in its transaction; called again whenever a settled answer changes."""


class OnlyPosted:
    """What tools share whose tasks are all posted."""

    makes_its_own = False
    settings_of_arms: frozenset[str] = frozenset()

    def make_more(self, project: Project, *, at: datetime) -> bool:
        """Only what is posted is there."""
        return False

    def used_up(self, enrolment: Enrolment) -> int:
        return 0

    def unsettled(self, project: Project) -> int:
        return 0

    def base_pay_of(self, assignment: Assignment, present: Decimal | None) -> Decimal | None:
        return present

    def most_bonus(self, project: Project) -> Decimal:
        """Nothing is paid but the base pay."""
        return Decimal(0)

    def open_bonus(self, project: Project) -> Decimal:
        return Decimal(0)

    def expected_bonuses(self, annotations: Sequence[Annotation]) -> dict[int, Decimal]:
        return {}


class AnsweredAtOnce(OnlyPosted):
    """What tools share whose tasks are answered in one go: nothing follows from a task or an answer by itself."""

    asks_in_parts = False
    says_yes_or_no = False

    def check_settings(self, settings: Json, project: Project | None, *, is_live: bool) -> None:
        """There are none."""
        if settings:
            raise Invalid.at("#/settings", "This tool has no settings.")

    def begun(self, tasks: list[Task]) -> None:
        """Nothing follows."""

    def truth_changed(self, task: Task, *, at: datetime) -> None:
        """Nothing follows."""

    def votes_on(self, task: Task, project: Project) -> bool:
        return True

    def answered(self, annotation: Annotation) -> None:
        """Nothing follows."""

    def left(self, task: Task, *, at: datetime) -> None:
        """Nothing is reserved."""

    def assemble(self, task: Task, *, at: datetime) -> None:
        """There are no wholes."""


_tools: dict[str, Tool] = {}


def register(tool: Tool) -> None:
    _tools[tool.name] = tool


def tool_named(name: str) -> Tool:
    """The registered tool.

    Raises:
        KeyError: there is none of this name.
    """
    return _tools[name]


def tool_names() -> list[str]:
    return sorted(_tools)
