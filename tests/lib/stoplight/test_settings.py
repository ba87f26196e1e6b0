"""Settings of the light as an admin writes them."""

import json
import math
from decimal import Decimal
from typing import Any

import pytest

from lib.stoplight.settings import PRESETS, NotSettings, Weights, read_settings


@pytest.mark.parametrize("raw", [None, {}, {"preset": "default"}])
def test_nothing_said_is_the_default(raw: dict[str, Any] | None) -> None:
    assert read_settings(raw) == PRESETS["default"]


def test_a_preset_may_be_changed_in_parts() -> None:
    found = read_settings({"preset": "paper", "weights": {"quantity": 2}, "near_duplicate": 0, "per_point": "0.1"})
    assert found.weights == Weights(quantity=2.0)
    assert (found.preset, found.near_duplicate, found.per_point) == ("paper", 0.0, Decimal("0.1"))
    assert not found.normalise


@pytest.mark.parametrize("preset", PRESETS)
def test_written_settings_are_read_again(preset: str) -> None:
    written = json.loads(json.dumps(PRESETS[preset].as_json()))
    assert read_settings(written) == PRESETS[preset]


def test_every_value_may_be_set() -> None:
    for name, value in PRESETS["default"].as_json().items():
        read_settings({name: value})


WRONG: dict[str, list[Any]] = {
    "preset": ["best", ["paper"]],
    "weights": [1, {"quantity": 0, "diversity": 0, "creativity": 0}],
    "green": [11, math.nan, "6", True],
    "amber": [7],
    "quantity_cap": [1, 5.0],
    "normalise": [1],
    "near_duplicate": [2],
    "order_low": [0.7],
    "odd_low": [0.5],
    "copies_low": [0.7],
    "copies": [1],
    "per_point": [0.3, "-0.30", "٣"],
    "most": ["1.001", "NaN"],
    "corpus": ["No Slug", 1],
}


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        *(({name: value}, f"/{name}") for name, values in WRONG.items() for value in values),
        ({"weights": {"quantity": -1}}, "/weights/quantity"),
    ],
)
def test_a_wrong_value_is_pointed_at(raw: dict[str, Any], pointer: str) -> None:
    with pytest.raises(NotSettings) as refused:
        read_settings(raw)
    assert [(fault.pointer, fault.is_unknown_field) for fault in refused.value.faults] == [(pointer, False)]


def test_all_faults_are_named_and_unknown_fields_are_told_apart() -> None:
    with pytest.raises(NotSettings) as refused:
        read_settings({"color": 1, "weights": {"speed/x": 1}, "amber": -1})
    assert [(fault.pointer, fault.is_unknown_field) for fault in refused.value.faults] == [
        ("/color", True),
        ("/weights/speed~1x", True),
        ("/amber", False),
    ]


def test_settings_are_an_object() -> None:
    with pytest.raises(NotSettings):
        read_settings(["paper"])  # type: ignore[arg-type]
