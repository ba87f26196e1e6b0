"""The threat model and the table of OWASP ASVS name files and tests that exist; the table leaves nothing out."""

import re

import pytest

from tests.support.shared_data import ROOT
from tests.test_docs import CODE, DOCS

ASVS = (DOCS / "asvs.md").read_text()
PAGES = {name: (DOCS / name).read_text() for name in ("asvs.md", "threat-model.md")}
ROW = re.compile(r"^\| (\d[\d., ]*) \| [^|]+ \| ([^|]+) \| ([^|]*)\|$", re.MULTILINE)
STATES = {"met", "partly", "not met", "operator", "n/a"}
# Source: OWASP ASVS 5.0.0. In every section the requirements of levels 1 and 2 come before those of level 3.
REQUIREMENTS = """
    1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4
    5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2
    8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3
    11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5
    14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2
"""
"""How many requirements of levels 1 and 2 each section has."""


def named(text: str) -> list[str]:
    """The files and tests that the text names."""
    file = re.compile(r"[\w.-]+/|(?:Makefile|Dockerfile|pyproject\.toml|\.dockerignore)$")
    return [name for name in CODE.findall(text) if file.match(name)]


def is_there(name: str) -> bool:
    path, _, test = name.partition("::")
    found = ROOT / path
    return found.exists() and (not test or f"def {test}(" in found.read_text())


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_test_that_is_named_is_there(page: str) -> None:
    names = named(PAGES[page])
    assert len(names) > 40
    assert [name for name in names if not is_there(name)] == []


def test_every_requirement_of_levels_1_and_2_has_one_row() -> None:
    sections = (word.split(":") for word in REQUIREMENTS.split())
    wanted = [f"{section}.{number}" for section, last in sections for number in range(1, int(last) + 1)]
    assert [number for numbers, _, _ in ROW.findall(ASVS) for number in numbers.split(", ")] == wanted


def test_what_is_met_names_a_file_and_what_is_not_says_why() -> None:
    rows = [(numbers, state.strip(), evidence.strip()) for numbers, state, evidence in ROW.findall(ASVS)]
    assert {state for _, state, _ in rows} == STATES
    assert [numbers for numbers, state, evidence in rows if state == "met" and not named(evidence)] == []
    assert [numbers for numbers, state, evidence in rows if state != "operator" and not evidence] == []
