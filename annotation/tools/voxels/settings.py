"""Settings of a voxels project: objects are marked or named; and the two kinds of payload."""

from typing import Any

from annotation.models import Project
from annotation.tool_registry import Json
from lib.faults import Invalid

MARK, NAME = "mark", "name"
STAGES = (MARK, NAME)
STAGE, FEEDS, NEGATIVES = "stage", "feeds", "negatives"
MOST_NEGATIVES = 0.9
TOOL = "voxels"


def stage_of(project: Project) -> str:
    found: str = project.settings.get(STAGE, MARK)
    return found


def is_to_mark(payload: Json) -> bool:
    """True if an object is to be marked: only such a payload has a phrase. Otherwise an object is to be named."""
    return "phrase" in payload


def check_settings(settings: Json, project: Project | None) -> None:
    """Refuse settings that a project cannot have.

    Raises:
        Invalid: with pointers below `#/settings`.
    """
    unknown = sorted(set(settings) - {STAGE, FEEDS, NEGATIVES})
    if unknown:
        raise Invalid.at(f"#/settings/{unknown[0]}", f"A voxels project has {STAGE}, {FEEDS} and {NEGATIVES}.")
    stage = settings.get(STAGE, MARK)
    if stage not in STAGES:
        raise Invalid.at(f"#/settings/{STAGE}", f"The stage is one of {', '.join(STAGES)}.")
    if project is not None and stage_of(project) != stage and project.tasks.exists():
        raise Invalid.at(f"#/settings/{STAGE}", "This cannot change once there are tasks.")
    if stage == MARK and (FEEDS in settings or NEGATIVES in settings):
        raise Invalid.at(f"#/settings/{FEEDS}", "Only a project where objects are named feeds another.")
    _check_feeds(settings.get(FEEDS))
    share = settings.get(NEGATIVES, 0)
    if type(share) not in (int, float) or not 0 <= share <= MOST_NEGATIVES:
        raise Invalid.at(f"#/settings/{NEGATIVES}", f"This is a share from 0 to {MOST_NEGATIVES}.")
    if share and settings.get(FEEDS) is None:
        raise Invalid.at(f"#/settings/{NEGATIVES}", f"Name in {FEEDS} the project that they are mixed into.")


def _check_feeds(slug: Any) -> None:
    if slug is None:
        return
    target = Project.objects.filter(slug=slug, tool=TOOL).first() if isinstance(slug, str) else None
    if target is None or stage_of(target) != MARK:
        raise Invalid.at(f"#/settings/{FEEDS}", "There is no such project where objects are marked; put it first.")
