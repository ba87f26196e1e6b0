"""`docs/stoplight.md` against the code: it has each setting with its values in both presets, and each code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from interaction.stoplight.formula import WHY_NOT
from interaction.stoplight.settings import PRESETS, read_settings

PAGE = (Path(__file__).resolve().parents[3] / "docs/stoplight.md").read_text()


def shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{one:g}" for one in value.values())
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("name", [name for name in PRESETS["default"].as_json() if name != "preset"])
def test_the_table_has_each_setting_and_its_values(name: str) -> None:
    values = [shown(PRESETS[preset].as_json()[name]) for preset in ("default", "paper")]
    assert f"| `{name}` | {values[0]} | {values[1]} |" in PAGE


@pytest.mark.parametrize("code", WHY_NOT)
def test_each_code_is_told(code: str) -> None:
    assert f"| `{code}` |" in PAGE


def test_its_example_can_be_read() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert str(read_settings(json.loads(example)).most) == "1.50"
