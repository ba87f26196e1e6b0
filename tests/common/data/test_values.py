"""Small values: ids, canonical JSON, money, and the sentences of errors."""

import re
from decimal import Decimal
from typing import Any

import pytest

from common.data.values import money, opaque_id
from lib.canonical_json import canonical, digest
from lib.faults import CrosswalkError, Fault, Invalid
from lib.name_patterns import OPAQUE_ID


def test_opaque_ids_are_alike_and_never_the_same() -> None:
    ids = {opaque_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(OPAQUE_ID, found) and len(found) == 23 for found in ids)
    # Otherwise about one in 64 would begin with a hyphen, which spreadsheets and command lines misread.
    assert all(found[0].isalpha() for found in ids)


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        ({"a": 1, "b": [2, {"c": 3, "d": 4}]}, {"b": [2, {"d": 4, "c": 3}], "a": 1}, True),
        ([1, 2], [2, 1], False),
        (1, True, False),
        (0, None, False),
        ("1", 1, False),
        ({"a": None}, {}, False),
        ("é", "e\u0301", False),
    ],
)
def test_two_values_are_the_same_json_or_not(one: Any, other: Any, is_equal: bool) -> None:
    assert (canonical(one) == canonical(other)) == is_equal
    assert (digest(one) == digest(other)) == is_equal


@pytest.mark.parametrize(
    ("amount", "shown"),
    [("0", "0.00"), ("0.0000", "0.00"), ("0.3", "0.30"), ("0.3000", "0.30"), ("0.0125", "0.0125"), ("1E+3", "1000.00")],
)
def test_money_has_two_places_at_least(amount: str, shown: str) -> None:
    assert money(Decimal(amount), "EUR") == {"amount": shown, "currency": "EUR"}


def test_a_sentence_has_the_facts_and_keeps_other_braces() -> None:
    assert CrosswalkError("It ended at {at}.", at="12:00").detail == "It ended at 12:00."
    assert Invalid("Use {a}.").detail == "Use {a}."
    assert Invalid(faults=[Fault("#", "no")]).faults == (Fault("#", "no"),)
