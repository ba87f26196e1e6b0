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
def test_what_is_written_is_read_again(preset: str) -> None:
    written = json.loads(json.dumps(PRESETS[preset].as_json()))
    assert read_settings(written) == PRESETS[preset]


def test_every_value_may_be_set() -> None:
    for name, value in PRESETS["default"].as_json().items():
        read_settings({name: value})


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        ({"preset": "best"}, "/preset"),
        ({"preset": ["paper"]}, "/preset"),
        ({"weights": 1}, "/weights"),
        ({"weights": {"quantity": -1}}, "/weights/quantity"),
        ({"weights": {"quantity": 0, "diversity": 0, "creativity": 0}}, "/weights"),
        ({"green": 11}, "/green"),
        ({"green": math.nan}, "/green"),
        ({"green": "6"}, "/green"),
        ({"green": True}, "/green"),
        ({"amber": 7}, "/amber"),
        ({"quantity_cap": 1}, "/quantity_cap"),
        ({"quantity_cap": 5.0}, "/quantity_cap"),
        ({"normalise": 1}, "/normalise"),
        ({"near_duplicate": 2}, "/near_duplicate"),
        ({"order_low": 0.7}, "/order_low"),
        ({"odd_low": 0.5}, "/odd_low"),
        ({"copies_low": 0.7}, "/copies_low"),
        ({"copies": 1}, "/copies"),
        ({"per_point": 0.3}, "/per_point"),
        ({"per_point": "-0.30"}, "/per_point"),
        ({"per_point": "٣"}, "/per_point"),
        ({"most": "1.001"}, "/most"),
        ({"most": "NaN"}, "/most"),
        ({"corpus": "No Slug"}, "/corpus"),
        ({"corpus": 1}, "/corpus"),
    ],
)
def test_what_cannot_be_is_pointed_at(raw: dict[str, Any], pointer: str) -> None:
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
