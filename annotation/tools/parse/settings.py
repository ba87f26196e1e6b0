"""Who is given the steps of a command: a setting of the project."""

from annotation.models import Project

ONE_WORKER, MANY_WORKERS, EXPERTS = "one_worker", "many_workers", "experts"
GIVEN_TO = "given_to"
"""The name of the setting; experts are given the whole command at once."""


def given_to(project: Project) -> str:
    found: str = project.settings.get(GIVEN_TO, ONE_WORKER)
    return found
