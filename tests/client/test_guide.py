"""The guide for agent authors says what the client does."""

import inspect
from pathlib import Path

from client import example_agent
from client.conformance.bodies import SHAPES
from client.conformance.checks import CHECKS
from client.session import Session

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text()


def test_the_guide_shows_the_example_agent_as_it_is() -> None:
    assert inspect.getsource(example_agent.serve).strip() in GUIDE


def test_the_guide_lists_every_check_in_order() -> None:
    rows = [f"| `{name}` | {inspect.getdoc(check)} |" for name, check in CHECKS.items()]
    assert "\n".join(rows) in GUIDE


def test_the_guide_names_every_message_of_an_agent() -> None:
    assert all(f"`{kind}`" in GUIDE or f"`{kind}(" in GUIDE for kind in SHAPES)


def test_the_session_has_a_way_to_send_every_message_of_an_agent() -> None:
    assert set(SHAPES) <= set(dir(Session))
