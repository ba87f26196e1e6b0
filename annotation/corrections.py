"""Corrections: what a person adds to, or takes from, what a worker earned in a project."""

from datetime import datetime
from decimal import Decimal

from django.db import transaction

from annotation import budget
from annotation.approvals import OverBudget
from annotation.models import Enrolment, Project
from common.errors import Invalid
from workforce import ledger
from workforce.models import Worker


def correct_pay(
    *, project: Project, worker: Worker, amount: Decimal, why: str, by: str, at: datetime, key: str
) -> bool:
    """Enter a correction, and charge it to the project; False if it was entered before under its key.

    Raises:
        Invalid: the worker never worked in the project, or has not earned as much as is taken back; or the project's
            books do not hold so much.
        OverBudget: the project has no room for it.
        Conflict: another correction has this key.
    """
    with transaction.atomic():
        spent = Project.objects.select_for_update().values_list("spent", flat=True).get(pk=project.pk)
        earned = Enrolment.objects.filter(project=project, worker=worker).values_list("earned", flat=True).first()
        if earned is None:
            raise Invalid.at("#/worker", "This worker has never been in the project.")
        room = budget.room(project) if amount > 0 else None
        is_new = ledger.correct(
            worker=worker,
            account=project.slug,
            amount=amount,
            currency=project.currency,
            why=why,
            by=by,
            at=at,
            key=key,
        )
        if not is_new:
            return False
        if earned + amount < 0:
            raise Invalid.at("#/amount", f"They earned {earned:.2f} {project.currency} here; take back no more.")
        if spent + amount >= budget.HELD:
            has = f"{spent:.2f} {project.currency}"
            raise Invalid.at("#/amount", f"That is too much: {has} is spent, and books hold {budget.HELD:,} at most.")
        if room is not None and amount > room:
            raise OverBudget(needed=f"{amount:.2f}", currency=project.currency)
        budget.charge(project, {worker.pk: amount})
    return True
