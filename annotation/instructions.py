"""Instructions in versions: what a worker was told when they took a task stays known."""

from datetime import datetime

from annotation.models import Project, Wording


def keep_wording(*, project: Project, by: str, at: datetime) -> Wording:
    """The version with the project's present instructions: the last one where nothing changed, else a new one.

    Locks: call with the project locked.
    """
    last = project.wordings.order_by("-number").first()
    if last is not None and last.pages == project.instructions:
        return last
    number = last.number + 1 if last else 1
    wording = Wording.objects.create(project=project, number=number, pages=project.instructions, by=by, created_at=at)
    Project.objects.filter(pk=project.pk).update(wording=wording)
    project.wording = wording
    return wording
