"""Scratch folders: what a killed process left is removed, what another process uses stays."""

import subprocess
import sys
from pathlib import Path

from lib.files.scratch import remove_abandoned, scratch_folder
from tests.support.shared_data import ROOT

HOLDS = """
import sys, time
from pathlib import Path
from lib.files.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "half.mp4").write_bytes(b"half")
    print(folder, flush=True)
    time.sleep(600)
"""


def folders(root: Path) -> list[Path]:
    return [one for one in root.iterdir() if one.is_dir()]


def test_a_folder_is_removed_at_the_end_and_after_an_error(tmp_path: Path) -> None:
    try:
        with scratch_folder(tmp_path) as folder:
            (folder / "part").write_bytes(b"part")
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert folders(tmp_path) == []


def test_what_a_killed_process_left_is_removed_and_what_is_in_use_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    with scratch_folder(tmp_path) as mine, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        left = Path(other.stdout.readline().decode().strip())
        assert remove_abandoned(tmp_path) == 0
        other.kill()
        other.wait()
        assert (left / "half.mp4").exists()
        assert remove_abandoned(tmp_path) == 1
        assert folders(tmp_path) == [mine]


def test_a_folder_whose_process_died_before_it_had_a_lock_is_removed(tmp_path: Path) -> None:
    (tmp_path / "abc").mkdir()
    assert remove_abandoned(tmp_path) == 1
