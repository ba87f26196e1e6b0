"""The page about scenes and masks says what the table says."""

import json
import re

from lib.voxels.droidlet import read_payload
from lib.voxels.scene import read_scene
from lib.voxels.table import PALETTE
from tests.support.shared_data import ROOT

PAGE = (ROOT / "docs/voxels.md").read_text()


def test_the_palette_is_told_whole() -> None:
    told = re.findall(r"(?<=\| )(\d+) \| ([^|]+) \| ([^|]+) (?=\|)", PAGE)
    assert {(int(id_), name, word) for id_, name, word in told} == {
        (row.id, row.name, row.word) for row in PALETTE.values()
    }


def test_its_examples_can_be_read() -> None:
    scene, payload = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert read_scene(scene).size == (3, 3, 3)
    assert [(one.phrase, one.voxels) for one in read_payload(payload).phrases] == [("the blue thing", [[3, 0, 0]])]
