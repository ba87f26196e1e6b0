"""The packages that the lock files pin: the lists in CycloneDX, and the look-up of vulnerabilities."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.shared_data import ROOT

SAFE_PYTHON: object = {"dependencies": [{"name": "pkg", "version": "1", "vulns": []}, {"name": "x", "skip_reason": ""}]}
SAFE_FRONT_END: object = {"auditReportVersion": 2, "vulnerabilities": {}}
FLAWED_PYTHON: object = {"dependencies": [{"name": "pkg", "version": "1", "vulns": [{"id": "PYSEC-2026-1"}]}]}
FLAWED_FRONT_END: object = {
    "vulnerabilities": {
        "deep": {"via": [{"url": "https://advisories.example/GHSA-aaaa"}]},
        "shallow": {"via": ["deep"]},
    }
}
SILENT = "Not looked up for known vulnerabilities, for no service answered: "


def stub(report: object) -> str:
    """A command that prints the report, and fails as pip-audit and npm do where they find something."""
    text = report if isinstance(report, str) else json.dumps(report)
    return shlex.join([sys.executable, "-c", f"print({text!r}); raise SystemExit(1)"])


def look_up(kept: Path, python: object = SAFE_PYTHON, front_end: object = SAFE_FRONT_END) -> tuple[int, str]:
    command = ["scripts/vulnerabilities.py", "--kept", str(kept)]
    stubs = ["--python", stub(python), "--front-end", stub(front_end)]
    done = subprocess.run([sys.executable, *command, *stubs], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("python", "front_end", "code", "said"),
    [
        (SAFE_PYTHON, SAFE_FRONT_END, 0, ""),
        (FLAWED_PYTHON, SAFE_FRONT_END, 1, "pkg 1 has a known vulnerability: PYSEC-2026-1."),
        (SAFE_PYTHON, FLAWED_FRONT_END, 1, "deep has a known vulnerability: GHSA-aaaa."),
        ("", {"message": "405 Method Not Allowed"}, 0, SILENT + "the Python packages, the front end."),
        ("", SAFE_FRONT_END, 0, SILENT + "the Python packages."),
        ("", FLAWED_FRONT_END, 1, "deep has a known vulnerability: GHSA-aaaa."),
        ([], "null", 0, SILENT + "the Python packages, the front end."),
    ],
)
def test_a_known_vulnerability_fails_the_check_and_a_silent_service_does_not(
    python: object, front_end: object, code: int, said: str, tmp_path: Path
) -> None:
    returned, text = look_up(tmp_path / "kept", python, front_end)
    assert returned == code
    assert said in text
    assert "shallow" not in text
    assert (text == "") == (said == "")


def test_only_a_whole_answer_without_a_finding_is_kept_for_a_day(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    look_up(kept, python="")
    look_up(kept, python=FLAWED_PYTHON)
    assert look_up(kept, python=FLAWED_PYTHON)[0] == 1
    assert look_up(kept) == (0, "")
    assert look_up(kept, python=FLAWED_PYTHON) == (0, "")
    kept.write_text("of other lock files")
    assert look_up(kept, python=FLAWED_PYTHON)[0] == 1


@pytest.mark.long
def test_the_lists_name_what_the_lock_files_pin(tmp_path: Path) -> None:
    subprocess.run(["scripts/sbom", str(tmp_path)], cwd=ROOT, check=True)
    for part, lock in (("server", "base"), ("development", "dev")):
        pinned = re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / f"requirements/{lock}.txt").read_text(), re.MULTILINE)
        assert named(tmp_path / f"{part}.cdx.json") == set(pinned)
    packages = json.loads((ROOT / "frontend/package-lock.json").read_text())["packages"]
    front_end = {(path.rpartition("node_modules/")[2], one["version"]) for path, one in packages.items() if path}
    assert named(tmp_path / "front-end.cdx.json") == front_end


def named(path: Path) -> set[tuple[str, str]]:
    bom = json.loads(path.read_text())
    assert bom["bomFormat"] == "CycloneDX"
    return {(one["name"], one["version"]) for one in bom["components"]}
