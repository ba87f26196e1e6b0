"""Guesses: the form that a worker is asked to accept or to correct, in place of a blank page.

The guess of a command is the agent's parse, if that is a valid form, whether the command is a task or a reference: so a
guess tells nothing of which it is. A task without one starts blank, and so does the share `blank_share` of all others,
drawn for each worker and command. A reference is shown with a guess where the command in whose place it is shown would
be, so the presence of a guess tells nothing either.

A reference that brings no parse gets a made guess: the right form or a slip of it. Some of those that bring one do too
where the parses of references are wrong clearly less or more often than those of settled tasks, or so seldom that a
worker who accepts every guess would not be found out.

Answers that were given with a guess in view make no truth: no reference, no true form in the funnel, no test set.
"""

import hashlib
import math
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils.crypto import salted_hmac

from annotation.models import Consensus, Guess, Project, Task
from annotation.tool_registry import Json
from annotation.tools.parse.agreement import FORM
from annotation.tools.parse.settings import ONE_WORKER, blank_share, given_to
from lib.logical_form.asking.walk import record_of, walk
from lib.logical_form.normal import same
from lib.logical_form.slips import slip
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of

PRIOR_WRONG, PRIOR_WEIGHT = 0.75, 20
"""Before commands are settled: three of four guesses of a real parser were wrong. It weighs as much as 20 commands."""
LEAST_WRONG, MOST_WRONG = 0.3, 0.9
"""Below the first a worker who accepts every guess would not be found out within 20 references. Guesses of
references without a parse are wrong no oftener than the second."""
LOOKED_AT = 200
"""The latest settled commands whose guesses are compared with their forms."""
CLEARLY, AT_LEAST = 2.0, 20
"""Two shares differ clearly from this many standard errors on, and once as many commands are settled."""
_WHOLE = 2**64


def guessed_form(payload: Json) -> Json | None:
    """The agent's parse of a command, if it is a valid form."""
    form: Json | None = upgraded(payload.get("form") or {})[0]
    return form if form and not faults_of(form, words=len(tokenise(payload["text"]))) else None


class Odds(NamedTuple):
    """The chances with which the guess of a reference is made instead of taken from its parse.

    Attributes:
        spoil: A right parse is replaced by a slip.
        mend: A wrong parse is replaced by the right form.
        wrong: The guess of a reference without a parse is a slip.
    """

    spoil: float
    mend: float
    wrong: float


def odds_of(settled: tuple[int, int], parses: tuple[int, int]) -> Odds:
    """The odds by counts of guesses.

    Args:
        settled: Guesses of settled tasks: wrong ones, all.
        parses: Parses that references brought: wrong ones, all.

    >>> odds_of((0, 0), (3, 4)).spoil, odds_of((0, 0), (3, 4)).mend
    (0.0, 0.0)
    >>> round(odds_of((0, 0), (0, 40)).spoil, 2)
    0.3
    >>> round(odds_of((100, 200), (40, 40)).mend, 2)
    0.5
    """
    (wrong_settled, n_settled), (wrong_parses, n_parses) = settled, parses
    pooled = (wrong_settled + wrong_parses + PRIOR_WRONG * PRIOR_WEIGHT) / (n_settled + n_parses + PRIOR_WEIGHT)
    wrong = min(max(pooled, LEAST_WRONG), MOST_WRONG)
    if not n_parses:
        return Odds(0.0, 0.0, wrong)
    share = wrong_parses / n_parses
    aim = max(share, LEAST_WRONG)
    if n_settled >= AT_LEAST:
        of_tasks = wrong_settled / n_settled
        error = math.sqrt(pooled * (1 - pooled) * (1 / n_settled + 1 / n_parses))
        if abs(share - of_tasks) > CLEARLY * error:
            aim = max(of_tasks, LEAST_WRONG)
    spoil = (aim - share) / (1 - share) if aim > share else 0.0
    mend = (share - aim) / share if aim < share else 0.0
    return Odds(spoil, mend, wrong)


def make_guesses(wholes: Sequence[Task], *, project: Project) -> dict[int, Json]:
    """Keep the guesses of commands that were just posted; the records of all, by task id.

    Costs: 1 query, 2 more where there are references.
    """
    if given_to(project) != ONE_WORKER:
        return {}
    references = [(task, *_parse_of(task)) for task in wholes if task.is_reference]
    made: list[Guess] = []
    if references:
        odds = _odds(project, new=[is_wrong for _, _, is_wrong in references])
        for task, own, is_wrong in references:
            form = _for_reference(task, own, is_wrong=is_wrong, odds=odds)
            made.append(Guess(task_id=task.pk, record=record_of(form), parse_is_wrong=is_wrong))
    for task in wholes:
        parse = None if task.is_reference else guessed_form(task.payload)
        if parse is not None:
            made.append(Guess(task_id=task.pk, record=record_of(parse)))
    Guess.objects.bulk_create(made)
    return {guess.task_id: guess.record for guess in made}


def guess_of(task: int | None) -> Json | None:
    """The record of a command's guess; None if it has none. 1 query."""
    found: Json | None = Guess.objects.filter(task=task).values_list("record", flat=True).first()
    return found


def renew_guess(task: Task) -> None:
    """Make the guess of a reference again after its right forms were corrected, if it has one."""
    known = Guess.objects.filter(task=task)
    if task.retired_at is None and known.exists():
        parse, is_wrong = _parse_of(task)
        form = _for_reference(task, parse, is_wrong=is_wrong, odds=_odds(task.project, new=[]))
        known.update(record=record_of(form), parse_is_wrong=is_wrong)


def _right_forms(task: Task) -> list[Json]:
    return [answer[FORM] for answer in task.truth.answers]


def _parse_of(task: Task) -> tuple[Json | None, bool | None]:
    """The agent's parse of a reference, and whether it is wrong; None twice if there is no valid one."""
    parse = guessed_form(task.payload)
    return parse, None if parse is None else not any(same(parse, form) for form in _right_forms(task))


def _for_reference(task: Task, parse: Json | None, *, is_wrong: bool | None, odds: Odds) -> Json:
    """The guess of a reference; always the same for one reference under the same odds."""
    right = _right_forms(task)
    seed = f"{task.project_id}:{task.key}:{task.payload['text']}"
    drawn = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8]) / _WHOLE
    shall_be_wrong = drawn < odds.wrong
    if parse is not None:
        shall_be_wrong = drawn >= odds.mend if is_wrong else drawn < odds.spoil
        if shall_be_wrong == is_wrong:
            return parse
    return slip(right, words=len(tokenise(task.payload["text"])), seed=seed) if shall_be_wrong else right[0]


def _odds(project: Project, *, new: Sequence[bool | None]) -> Odds:
    """The odds for a project's references, with the parses of those that are new. 2 queries."""
    settled = Consensus.objects.true().filter(project=project, task__is_reference=False, task__guess__isnull=False)
    rows = settled.order_by("-updated_at").values_list("answer", "task__guess__record")[:LOOKED_AT]
    known = [(answer[FORM], record) for answer, record in rows if answer.get(FORM)]
    wrong = sum(not same(form, walk(record).form) for form, record in known)
    parses = Guess.objects.filter(task__project=project, parse_is_wrong__isnull=False, task__retired_at=None)
    found = parses.aggregate(wrong=Count("pk", filter=Q(parse_is_wrong=True)), all=Count("pk"))
    have = [one for one in new if one is not None]
    return odds_of((wrong, len(known)), (found["wrong"] + sum(have), found["all"] + len(have)))


def shows_guess(*, project: Project, worker: int, shown: Task, slot_of: Task) -> bool:
    """True if the worker is served a guess with this step. 1 query, whether it is a reference or not.

    The draw is the same whenever this worker claims this command, so giving it back brings no other draw.
    """
    if given_to(project) != ONE_WORKER:
        return False
    if shown.reserved_for_id is not None:
        return bool(shown.payload.get("with_guess"))
    wholes = {shown.part_of_id, slot_of.part_of_id}
    have = Guess.objects.filter(task__in=wholes).count()
    drawn = salted_hmac("parse.guess", f"{worker}:{shown.part_of_id}", algorithm="sha256").digest()
    is_blank = int.from_bytes(drawn[:8]) / _WHOLE < blank_share(project)
    return have == len(wholes) and not is_blank
