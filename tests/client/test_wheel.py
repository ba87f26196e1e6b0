"""The wheel of the client, installed into an empty environment."""

import subprocess
import venv
from pathlib import Path

import pytest

from tests.support.shared_data import ROOT

TRIED = """
import crosswalk_client, sys, pathlib
assert "site-packages" in crosswalk_client.__file__, crosswalk_client.__file__
assert pathlib.Path(crosswalk_client.__file__).with_name("py.typed").exists()
with crosswalk_client.Client("http://127.0.0.1:9", "key", retry=crosswalk_client.Retry(times=0)) as client:
    try:
        client.suites.get("rooms")
    except crosswalk_client.Unreachable as error:
        print(error.code)
assert not [name for name in sys.modules if name.split(".")[0] in ("django", "web", "lib")]
"""


@pytest.mark.long
def test_the_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv/bin"
    pip = [str(programs / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    # A copy, for the build writes beside its sources.
    subprocess.run(["cp", "-r", str(ROOT / "client"), str(tmp_path / "client")], check=True)
    built = subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(tmp_path / "client")],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(tmp_path.glob("crosswalk_client-*.whl"))
    installed = subprocess.run([*pip, "install", *map(str, wheels)], capture_output=True, text=True, check=False)
    if built.returncode or installed.returncode:
        said = built.stderr + installed.stderr
        if any(
            words in said for words in ("No matching distribution", "Could not find a version", "Failed to establish")
        ):
            pytest.skip("no index of packages answers here")
        raise AssertionError(said)

    def run(*words: str) -> str:
        done = subprocess.run([str(programs / words[0]), *words[1:]], capture_output=True, text=True, check=True)
        return done.stdout

    assert run("python", "-c", TRIED) == "unreachable\n"
    assert run("crosswalk", "--version").startswith("crosswalk 0.")
    assert "--fail-if-worse" in run("crosswalk", "compare", "--help")
