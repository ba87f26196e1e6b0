"""The settings of a project of this tool."""

from annotation.models import Project

ONE_WORKER, MANY_WORKERS, EXPERTS = "one_worker", "many_workers", "experts"
GIVEN_TO = "given_to"
"""The name of the setting; experts get the whole command at once."""


def given_to(project: Project) -> str:
    found: str = project.settings.get(GIVEN_TO, ONE_WORKER)
    return found


BLANK_SHARE = "blank_share"
"""The name of the setting for the share of commands that start blank although there is a guess."""
USUAL_BLANK_SHARE = 0.3


def blank_share(project: Project) -> float:
    found: float = project.settings.get(BLANK_SHARE, USUAL_BLANK_SHARE)
    return found
