"""The move that says of old entries what they are charged to."""

from decimal import Decimal
from importlib import import_module

import pytest
from django.apps import apps

from tests.annotation.crowd import PAY, post_many
from tests.builders import NOON, annotate, claim, make_project, make_worker
from workforce.ledger import owe
from workforce.models import LedgerEntry

pytestmark = pytest.mark.django_db


def test_old_entries_are_charged_to_their_projects_whatever_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    move = import_module("annotation.migrations.0013_fill_ledger_accounts")
    monkeypatch.setattr(move, "BATCH", 2)
    for slug in ("one", "other"):
        project = make_project(slug, base_pay=PAY)
        post_many(project, 3)
        for _ in range(3):
            annotate(claim(project, make_worker()))
    expected = list(LedgerEntry.objects.order_by("pk").values_list("account", flat=True))
    assert expected == ["one"] * 3 + ["other"] * 3
    LedgerEntry.objects.update(account="")
    gift = {"kind": LedgerEntry.Kind.CORRECTION, "reason": "gift", "amount": Decimal(1), "currency": "USD"}
    owe(worker=make_worker(), at=NOON, **gift)  # type: ignore[arg-type]
    for _ in range(2):
        move.fill(apps, None)
    assert list(LedgerEntry.objects.order_by("pk").values_list("account", flat=True)) == [*expected, ""]
