"""The examples of `docs/trees.md` against the code."""

import json
import re

from lib.trees.parser import read_tree
from lib.trees.shipped import DEFAULT, shipped_tree
from lib.trees.tree import KNOWN_OUTCOMES
from tests.support.shared_data import ROOT

PAGE = (ROOT / "docs/trees.md").read_text()
DRAWING = PAGE.split("```\nsilent", 1)[1].split("```")[0]


def test_the_example_is_a_tree() -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(read_tree(json.loads(example)).nodes) == 3


def test_the_drawing_has_every_question_and_every_end_of_the_default_tree() -> None:
    tree = read_tree(shipped_tree(DEFAULT))
    drawn = re.findall(r"^(\w+)  ", f"silent{DRAWING}", re.MULTILINE)
    assert drawn == list(tree.nodes)
    ends = re.findall(r"▶ (\w+)$", DRAWING, re.MULTILINE)
    assert set(ends) - set(tree.nodes) == set(KNOWN_OUTCOMES)
