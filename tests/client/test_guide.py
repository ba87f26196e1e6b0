"""The guide for agent authors says what the client does."""

import inspect

from crosswalk_client import example_agent
from crosswalk_client.conformance.bodies import SHAPES
from crosswalk_client.conformance.checks import CHECKS
from crosswalk_client.session import Session
from tests.support.shared_data import ROOT

GUIDE = (ROOT / "docs" / "agents.md").read_text()


def test_the_guide_shows_the_example_agent_as_it_is() -> None:
    assert inspect.getsource(example_agent.serve).strip() in GUIDE


def test_the_guide_lists_every_check_in_order() -> None:
    rows = [line.split("|")[1].strip() for line in GUIDE.splitlines() if line.startswith("| `")]
    assert rows[rows.index("`hello`") :][: len(CHECKS)] == [f"`{name}`" for name in CHECKS]


def test_the_guide_names_every_message_of_an_agent() -> None:
    assert all(f"`{kind}`" in GUIDE or f"`{kind}(" in GUIDE for kind in SHAPES)


def test_the_session_has_a_way_to_send_every_message_of_an_agent() -> None:
    assert set(SHAPES) <= set(dir(Session))
