"""Tests of routing run the jobs themselves."""

import pytest


@pytest.fixture(autouse=True)
def _no_messages(no_messages: None) -> None:
    """No message of a job leaves."""
