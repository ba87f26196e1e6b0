"""What tests of live sessions share: nothing is remembered from one to the next, and no connection left behind."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from interaction import commands, corpora, pool


@pytest.fixture(autouse=True)
def _trees_of_this_test() -> None:
    """A version of a tree never changes, but the next test's may have the same number."""
    commands._tree.cache_clear()


@pytest.fixture(autouse=True)
def _corpora_of_this_test() -> None:
    corpora.forget()


@pytest.fixture
def sockets(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets tests open sockets: their messages are committed by other threads."""
    run = pool._run

    def run_and_close(work: Callable[[], Any]) -> Any:
        try:
            return run(work)
        finally:
            connection.close()

    monkeypatch.setattr(pool, "_run", run_and_close)
