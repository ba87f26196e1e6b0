"""The page about scenes and masks says what the table says."""

import json
import re
from pathlib import Path

from annotation.voxels.ancestor import read_payload
from annotation.voxels.scene import read_scene
from annotation.voxels.table import PALETTE

PAGE = (Path(__file__).parents[3] / "docs/voxels.md").read_text()


def test_the_palette_is_told_whole() -> None:
    told = re.findall(r"(?<=\| )(\d+) \| ([^|]+) \| ([^|]+) (?=\|)", PAGE)
    assert {(int(id_), name, word) for id_, name, word in told} == {
        (row.id, row.name, row.word) for row in PALETTE.values()
    }


def test_its_examples_can_be_read() -> None:
    scene, payload = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert read_scene(scene).size == (3, 3, 3)
    assert [(one.phrase, one.voxels) for one in read_payload(payload).told] == [("the blue thing", [[3, 0, 0]])]
