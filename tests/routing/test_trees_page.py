"""`docs/trees.md` against the code: its example is a tree, and it names each fact, comparison, outcome and question."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from routing.trees.engine import PLACES
from routing.trees.reading import read_tree
from routing.trees.shipped import DEFAULT, SHIPPED, shipped_tree
from routing.trees.tree import KNOWN_OUTCOMES, Op, Show

PAGE = (Path(__file__).resolve().parents[2] / "docs/trees.md").read_text()
ROWS = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
DRAWING = PAGE.split("```\nsilent", 1)[1].split("```")[0]


def test_the_example_is_a_tree() -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(read_tree(json.loads(example)).nodes) == 3


@pytest.mark.parametrize("word", [*PLACES, *get_args(Op), *KNOWN_OUTCOMES])
def test_every_fact_comparison_and_outcome_has_its_row(word: str) -> None:
    assert word in ROWS


@pytest.mark.parametrize("word", [*SHIPPED, *get_args(Show)])
def test_every_shipped_tree_and_every_picture_is_named(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_the_drawing_has_every_question_and_every_end_of_the_default_tree() -> None:
    tree = read_tree(shipped_tree(DEFAULT))
    drawn = re.findall(r"^(\w+)  ", f"silent{DRAWING}", re.MULTILINE)
    assert drawn == list(tree.nodes)
    ends = re.findall(r"▶ (\w+)$", DRAWING, re.MULTILINE)
    assert set(ends) - set(tree.nodes) == set(KNOWN_OUTCOMES)
