"""`docs/stoplight.md` against the code: its example, and the values of the settings in both presets."""

import json
import re
from typing import Any

import pytest

from lib.stoplight.settings import PRESETS, read_settings
from tests.support.shared_data import ROOT

PAGE = (ROOT / "docs/stoplight.md").read_text()


def shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{one:g}" for one in value.values())
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("name", [name for name in PRESETS["default"].as_json() if name != "preset"])
def test_the_table_has_each_setting_and_its_values(name: str) -> None:
    values = [shown(PRESETS[preset].as_json()[name]) for preset in ("default", "paper")]
    assert f"| `{name}` | {values[0]} | {values[1]} |" in PAGE


def test_its_example_can_be_read() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert str(read_settings(json.loads(example)).most) == "1.50"
