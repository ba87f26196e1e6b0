"""A real server is broken under load: nothing that it acknowledged is lost or there twice.

`python -m bench.faults` is the long form of this, with more faults and more operations.
"""

import os
from pathlib import Path
from tempfile import gettempdir

import pytest

from bench.faults.runs import Result, run

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(300)]
OPERATIONS, MOST_S = 250, 60
FAULTS = ("kill -9 of web", "kill -9 of worker", "kill -9 of keeper", "network cut before the server")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """On SQLite, or on PostgreSQL and Redis of the run's own where the tests run with these two."""
    has_both = bool(os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"))
    folder = tmp_path_factory.mktemp("faults")
    # PostgreSQL runs under another account, which must get to its folder.
    for parent in (folder, *folder.parents):
        if parent == Path(gettempdir()):
            break
        parent.chmod(parent.stat().st_mode | 0o011)
    chosen = [*FAULTS, *["disk full"] * (os.geteuid() == 0)]
    return run(
        folder,
        "postgresql" if has_both else "sqlite",
        operations=OPERATIONS,
        seed=20261123,
        chosen=chosen,
        most_s=MOST_S,
    )


def test_every_fault_came_and_the_server_went_on(result: Result) -> None:
    assert {name for name, row in result.rows.items() if not row.times} == set()
    assert min(kind.acknowledged for kind in result.kinds) > 0


def test_nothing_that_was_acknowledged_is_lost(result: Result) -> None:
    assert {kind.name: kind.lost for kind in result.kinds if kind.lost} == {}


def test_nothing_is_there_twice(result: Result) -> None:
    assert {kind.name: kind.doubled for kind in result.kinds if kind.doubled} == {}


def test_no_answer_was_wrong_and_the_database_is_intact(result: Result) -> None:
    assert result.faults == []
