"""Hourly pay, compared with figures that were computed elsewhere."""

from decimal import Decimal
from typing import Any

import pytest

from lib.statistics.pay import Paid, hourly, rate


def dollars(value: object) -> Decimal:
    return Decimal(str(value))


def test_the_rates_are_those_of_the_fixture(computed: dict[str, Any]) -> None:
    known = computed["pay"]
    bases = [Paid(dollars(known["base_usd"]), seconds) for seconds in known["seconds"]]
    totals = [
        Paid(base.amount + dollars(bonus), base.seconds) for base, bonus in zip(bases, known["bonus_usd"], strict=True)
    ]
    found = hourly(bases, totals)
    assert found is not None
    assert found.n == len(known["seconds"])
    assert found.seconds == known["median_seconds"]
    assert float(found.base) == pytest.approx(known["hourly_at_median_base_only"], abs=5e-5)
    assert float(found.median) == pytest.approx(known["median_of_individual_hourly_total"], abs=5e-5)
    assert float(found.pooled) == pytest.approx(known["total_pay_over_total_time_hourly"], abs=5e-5)


def test_without_work_there_is_no_rate() -> None:
    assert hourly([], [], others=Decimal(5)) is None


def test_pay_for_no_piece_counts_in_the_pooled_rate_alone() -> None:
    work = [Paid(Decimal(1), 1800.0), Paid(Decimal(2), 1800.0)]
    found = hourly(work, work, others=Decimal("-0.50"))
    assert found is not None
    assert (found.median, found.pooled) == (Decimal("3.0000"), Decimal("2.5000"))


def test_a_rate_is_rounded_as_money_is() -> None:
    assert rate(Decimal("0.0001"), 7200.0) == Decimal("0.0001")
    assert rate(Decimal("1"), 3.0) == Decimal("1200.0000")
