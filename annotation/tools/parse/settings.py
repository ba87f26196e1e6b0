"""The project's setting for the workers who get the steps of a command."""

from annotation.models import Project

ONE_WORKER, MANY_WORKERS, EXPERTS = "one_worker", "many_workers", "experts"
GIVEN_TO = "given_to"
"""The name of the setting; experts get the whole command at once."""


def given_to(project: Project) -> str:
    found: str = project.settings.get(GIVEN_TO, ONE_WORKER)
    return found
