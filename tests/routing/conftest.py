"""What tests of routing share: messages of jobs do not leave, and commands come from the test."""

from collections.abc import Iterator

import pytest

from jobs import outbox
from routing import cases
from tests.builders import make_project
from tests.routing.sources import Source, use


@pytest.fixture(autouse=True)
def _no_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test runs the jobs itself."""
    monkeypatch.setattr(outbox, "_send", lambda pk: None)


@pytest.fixture
def source(db: None) -> Iterator[Source]:
    """Where the commands of this test are."""
    before = (list(cases._find), list(cases._learn))
    found = Source(make_project("sessions"))
    use(found)
    yield found
    cases._find[:], cases._learn[:] = before
