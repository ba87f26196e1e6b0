"""The consequences of a change of a project for the people and the work in it, in sentences with counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from annotation.models import Annotation, Assignment, Enrolment, GateAction, Project, Task
from annotation.offer import experiments
from annotation.pay.budget import room
from annotation.projects.projects import ProjectBody, notes_in
from common.data.put_row import is_same
from lib.number_words import number_of
from workforce.models import Consent, Grant

_NO_ARM = "-"
"""The name of no arm."""


@dataclass(frozen=True)
class _People:
    """The people in a project whom a change concerns.

    Attributes:
        holding: How many hold a task now.
        worked: How many have handed in an answer.
        at_limit: How many have handed in as many answers as the new limit allows, and not as many as the old one.
        unqualified: How many of those who worked lack the new qualification.
        agreed: How many agreed to the present information page, and work here.
        paused: How many are paused by a gate.
        drawn: How many are drawn into an arm of the present experiment.
    """

    holding: int
    worked: int
    at_limit: int
    unqualified: int
    agreed: int
    paused: int
    drawn: int


@dataclass(frozen=True)
class _Tasks:
    """The ordinary tasks that a change concerns, by status."""

    open: int
    done: int


def consequences(*, project: Project, body: ProjectBody) -> list[str]:
    """The consequences if the project gets this content: a sentence each, with counts; empty where there are none.

    Nothing is changed, and the body is not checked: `put_project` may still refuse it. 2 queries, 3 more for a budget,
    however much work there is; 0 for a body that changes nothing of which anything follows. `project` comes with its
    consent page and its qualification.
    """
    return list(_Sentences(project, body))


class _Sentences:
    """The sentences for one project and its new content, from the most to the least urgent."""

    def __init__(self, project: Project, body: ProjectBody) -> None:
        self.project, self.body = project, body
        self._people: _People | None = None
        self._tasks: _Tasks | None = None

    def __iter__(self) -> Iterator[str]:
        yield from self._status()
        yield from self._pay()
        yield from self._budget()
        yield from self._consent()
        yield from self._qualification()
        yield from self._gates()
        yield from self._limit()
        yield from self._redundancy()
        yield from self._aggregation()
        yield from self._offer()

    @property
    def people(self) -> _People:
        if self._people is None:
            self._people = _people(self.project, self.body)
        return self._people

    @property
    def tasks(self) -> _Tasks:
        if self._tasks is None:
            ordinary = Task.objects.posted().ordinary().filter(project=self.project)
            counts = dict(ordinary.order_by().values_list("status").annotate(Count("pk")))
            self._tasks = _Tasks(open=counts.get(Task.Status.OPEN, 0), done=counts.get(Task.Status.DONE, 0))
        return self._tasks

    def _status(self) -> Iterator[str]:
        before, after = self.project.status, self.body.status
        if before == after:
            return
        live = Project.Status.LIVE
        if after == live:
            yield f"{number_of(self.tasks.open, 'open task')} will be offered to workers at once."
        elif before == live:
            held = _people_do(self.people.holding, "holds", "hold")
            yield f"Nobody is given new tasks. {held} a task now and can still hand it in."

    def _pay(self) -> Iterator[str]:
        before, after = self.project.base_pay, Decimal(self.body.base["amount"]) if self.body.base else None
        if (before or 0) == (after or 0):
            return
        people = self.people
        new = _money(after, self.body.currency or self.project.currency) if after else "nothing"
        old = _money(before, self.project.currency) if before else "nothing"
        if people.holding:
            yield (
                f"{_people_do(people.holding, 'holds', 'hold')} work that was taken at {old} a task: "
                f"what is handed in from now on is paid {new}."
            )
        if people.worked:
            them = number_of(people.worked, "person", "people")
            yield f"Answers of {them} that are handed in already keep their pay."

    def _budget(self) -> Iterator[str]:
        before, after = self.project.budget, Decimal(self.body.budget["amount"]) if self.body.budget else None
        if before == after:
            return
        currency = self.body.currency or self.project.currency
        if after is None:
            yield f"Nothing limits what this project spends; {_money(self.project.spent, currency)} is spent so far."
            return
        left = after - self.project.spent
        if before is not None:
            promised = before - self.project.spent - (room(self.project) or Decimal(0))
            left -= promised
        if left <= 0:
            yield (
                f"Nobody is given new tasks: what is spent and promised is {_money(after - left, currency)}, "
                f"and the new budget is {_money(after, currency)}."
            )
        elif before is not None and after < before:
            yield f"{_money(left, currency)} is left for new tasks."

    def _consent(self) -> Iterator[str]:
        page, text = self.project.consent_page, self.body.consent
        if text is None:
            if page is not None:
                yield "Nobody is asked to agree to an information page any more, and none is shown."
        elif page is None:
            if self.people.worked:
                yield f"{_people_do(self.people.worked, 'is', 'are')} asked to agree before the next task."
        elif (page.text, page.notes) != (text, notes_in(self.body)) and self.people.agreed:
            agreed = _people_do(self.people.agreed, "agreed", "agreed")
            yield f"{agreed} to the present information page and will be asked again before the next task."

    def _qualification(self) -> Iterator[str]:
        before = self.project.qualification.slug if self.project.qualification else None
        after = self.body.qualification
        if before == after:
            return
        if after is None:
            yield f"People work here without passing the quiz {before!r}."
        elif self.people.unqualified:
            them = _people_do(self.people.unqualified, "who worked here has", "who worked here have")
            yield f"{them} not passed {after!r} and must pass it before the next task."

    def _gates(self) -> Iterator[str]:
        if is_same(self.project.gates, self.body.gates):
            return
        if not self.body.gates:
            yield "Wrong answers to references no longer warn or pause anybody."
        elif self.people.worked:
            them = number_of(self.people.worked, "person", "people")
            yield f"The new gates look at all answers to references of {them} at their next answers."
        if self.people.paused:
            yield f"{_people_do(self.people.paused, 'stays', 'stay')} paused until a person decides."

    def _limit(self) -> Iterator[str]:
        after = self.body.limit_per_worker
        if after != self.project.limit_per_worker and after is not None and self.people.at_limit:
            them = _people_do(self.people.at_limit, "has", "have")
            yield f"{them} handed in {number_of(after, 'answer')} or more, and will get no more tasks."

    def _redundancy(self) -> Iterator[str]:
        before, after = self.project.redundancy, self.body.redundancy
        if after > before and self.tasks.done:
            done = number_of(self.tasks.done, "finished task")
            yield f"Up to {done} will open again, for {number_of(after, 'answer')} each."
        elif after < before and self.tasks.open:
            still_open = number_of(self.tasks.open, "open task")
            yield f"Those of {still_open} that have {number_of(after, 'answer')} will be finished."

    def _aggregation(self) -> Iterator[str]:
        project = self.project
        before = {
            "method": project.consensus_method,
            "confidence": project.confidence_wanted,
            "least": project.least_annotations,
            "most": project.most_annotations,
        }
        if not is_same(before, dict(self.body.aggregation)) and self.tasks.done:
            yield f"What {number_of(self.tasks.done, 'finished task')} came to is computed again, and may change."

    def _offer(self) -> Iterator[str]:
        project, body = self.project, self.body
        if list(project.instructions) != list(body.instructions) and self.people.worked:
            yield "Everybody reads the new instructions from now on; answers so far keep the version that they saw."
        if body.lease_s != project.lease_s and self.people.holding:
            yield f"{_people_do(self.people.holding, 'keeps', 'keep')} the time that came with the task they hold."
        if not is_same(project.experiment or {}, experiments.stored(body.experiment) or {}) and self.people.drawn:
            them = _people_do(self.people.drawn, "is", "are")
            yield f"{them} in an arm of the present experiment; an arm that is gone or renamed is left."


def _people(project: Project, body: ProjectBody) -> _People:
    """1 query."""
    theirs = {"worker": OuterRef("worker")}
    granted = Grant.objects.valid(at=timezone.now()).filter(qualification__slug=body.qualification or "", **theirs)
    agreed = Consent.objects.current().filter(page=project.consent_page_id, **theirs)
    paused = GateAction.objects.pauses().current().filter(enrolment=OuterRef("pk"))
    holding = Assignment.objects.held().filter(task__project=project, **theirs)
    answered = Annotation.objects.filter(project=project, **theirs)
    is_at_limit = Q(submitted__gte=body.limit_per_worker or 0)
    if project.limit_per_worker is not None:
        is_at_limit &= Q(submitted__lt=project.limit_per_worker)
    worked = Q(has_answered=True)
    counts = (
        Enrolment.objects.filter(project=project)
        .annotate(
            has_answered=Exists(answered),
            is_holding=Exists(holding),
            is_qualified=Exists(granted),
            has_agreed=Exists(agreed),
            is_paused=Exists(paused),
        )
        .aggregate(
            holding=Count("pk", filter=Q(is_holding=True)),
            worked=Count("pk", filter=worked),
            at_limit=Count("pk", filter=is_at_limit),
            unqualified=Count("pk", filter=worked & Q(is_qualified=False)),
            agreed=Count("pk", filter=Q(has_agreed=True)),
            paused=Count("pk", filter=Q(is_paused=True)),
            # Never an empty list: Django answers 0 for every count of the query where one filter can match nothing.
            drawn=Count("pk", filter=Q(arm__in=experiments.arm_names(project) or [_NO_ARM])),
        )
    )
    return _People(**counts)


def _people_do(n: int, one: str, many: str) -> str:
    """The number of people with a verb that fits it."""
    return f"{n} person {one}" if n == 1 else f"{n} people {many}"


def _money(amount: Decimal | None, currency: str) -> str:
    return f"{amount or Decimal(0):.2f} {currency}"
