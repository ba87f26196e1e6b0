"""Which projects ask a tree: told by the apps above, which alone know where a project names its tree."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from annotation.models import Project

Uses = Callable[[Sequence[str]], Mapping[str, Sequence[Project]]]
"""The live projects that ask each of these trees, by the tree's slug. It may take one query."""
_tellers: list[Uses] = []


def tell_uses(teller: Uses) -> None:
    """Let a kind of project be named beside its trees. Register in `AppConfig.ready`."""
    if teller not in _tellers:
        _tellers.append(teller)


def uses_of(slugs: Iterable[str]) -> dict[str, list[Project]]:
    """The live projects that ask each tree, by title. 1 query for each teller."""
    wanted = list(slugs)
    found: dict[str, dict[int, Project]] = {slug: {} for slug in wanted}
    for teller in _tellers:
        for slug, projects in teller(wanted).items():
            found[slug] |= {project.pk: project for project in projects}
    return {slug: sorted(projects.values(), key=lambda project: project.title) for slug, projects in found.items()}
