"""Tests of routing run the jobs themselves."""

import pytest

from annotation.models import Project
from tests.support.commands import make_route, parse_project


@pytest.fixture(autouse=True)
def _no_messages(no_messages: None) -> None:
    """No message of a job leaves."""


@pytest.fixture
def to(db: None) -> Project:
    """A parse project to which every valid command is routed."""
    project = parse_project()
    make_route(project)
    return project
