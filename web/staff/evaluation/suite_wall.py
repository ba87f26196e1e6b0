"""The scenarios of a suite as a wall of posters that play; what to look at; coverage and difficulty by category."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.figures.counts import ScenarioCounts, read_counts
from evaluation.figures.runs import wordings_of
from evaluation.figures.scenario_notes import KINDS, Note, notes_of
from evaluation.models import Episode, Revision
from evaluation.suites import suite_named
from evaluation.video_addresses import video_address
from lib.plots.charts import row_plot
from lib.plots.intervals import Measured, interval_plot
from web.staff.decorators import chosen, paged, staff_only
from web.staff.evaluation.suite_figures import asked, menus
from web.staff.figure_files import Figure, Value, file_asked

POSTERS = 24
"""The number of posters on a page."""
LONGEST = 200
NOTES = {
    "nobody_passes": "Nobody passes",
    "does_not_separate": "Does not separate",
    "weaker_are_better": "Weaker do better",
    "raters_disagree": "Raters disagree",
}


class Poster(NamedTuple):
    """A wording of a scenario with the episode that shows it; without a ready one its addresses are ""."""

    wording: Revision
    episode: Episode | None
    poster: str
    video: str
    rate: float | None
    n: int
    notes: list[Note]


@staff_only
@require_safe
def wall(request: HttpRequest, slug: str) -> HttpResponse:
    """The scenarios in the words of the version, else in their present words; filtered.

    A scenario is shown by its own recording, else by a continuation.
    """
    suite = suite_named(slug)
    what = asked(request, suite, request.user)
    found = read_counts(**what._asdict()).by_scenario()
    wordings = wordings_of(what)
    kinds = list(wordings.values_list("scenario__key", "category", "skill"))
    categories = {key: category for key, category, _ in kinds}
    makers: dict[str, Callable[[], Figure]] = {
        "coverage": partial(coverage, categories, found),
        "categories": partial(by_category, categories, found),
    }
    file = file_asked(request, makers)
    if file is not None:
        return file
    notes = notes_of(what)
    filters = {
        "category": chosen(request, "category", sorted(set(categories.values()))),
        "skill": chosen(request, "skill", sorted({skill for _, _, skill in kinds})),
        "note": chosen(request, "note", list(KINDS)),
        "text": request.GET.get("text", "")[:LONGEST].strip(),
    }
    shown = _filtered(wordings, filters, notes).select_related("scenario").order_by("scenario__key")
    page = paged(request, shown, size=POSTERS)
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "wall",
        "asked": what,
        "figures": [(name, make()) for name, make in makers.items()],
        "page": page,
        "posters": _posters(list(page), found, notes, is_frozen=what.version is not None),
        "notes": notes,
        "filters": filters,
        "categories": sorted(set(categories.values())),
        "skills": sorted({skill for _, _, skill in kinds}),
        "kinds": list(NOTES.items()),
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_wall.html", ctx)


def _filtered(wordings: QuerySet[Revision], filters: dict[str, str], notes: Sequence[Note]) -> QuerySet[Revision]:
    if filters["category"]:
        wordings = wordings.filter(category=filters["category"])
    if filters["skill"]:
        wordings = wordings.filter(skill=filters["skill"])
    if filters["note"]:
        wordings = wordings.filter(scenario__key__in=[one.scenario for one in notes if one.kind == filters["note"]])
    if filters["text"]:
        text = filters["text"]
        wordings = wordings.filter(Q(scenario__key__icontains=text) | Q(instruction__icontains=text))
    return wordings


def _posters(
    wordings: list[Revision], found: ScenarioCounts, notes: Sequence[Note], *, is_frozen: bool
) -> list[Poster]:
    """2 queries. A frozen wording is shown by its own continuations, a present one by any of its scenario."""
    own = {one.pk: one.media["episode"] for one in wordings if one.media}
    same = Q(revision=OuterRef("pk")) if is_frozen else Q(scenario=OuterRef("scenario"))
    first = Episode.objects.ready().filter(same).order_by("pk").values("pk")[:1]
    tried = dict(
        Revision.objects.filter(pk__in=[one.pk for one in wordings])
        .annotate(first=Subquery(first))
        .values_list("pk", "first")
    )
    rows = Episode.objects.ready().filter(Q(pk__in=tried.values()) | Q(external_id__in=own.values()))
    episodes = {key: one for one in rows.select_related("film") for key in (one.pk, one.external_id)}
    of_scenario = defaultdict(list)
    for note in notes:
        of_scenario[note.scenario].append(note)
    at = {key: place for place, key in enumerate(found.scenarios)}
    hits, n = found.successes.sum(axis=0), found.n.sum(axis=0)

    def poster(one: Revision) -> Poster:
        key = one.scenario.key
        shown = episodes.get(own.get(one.pk, "")) or episodes.get(tried[one.pk] or 0)
        hold = f"episode:{shown.external_id}" if shown else ""
        size = int(n[at[key]]) if key in at else 0
        return Poster(
            one,
            shown,
            video_address(hold, "poster.jpg") if hold else "",
            video_address(hold, "video.mp4") if hold else "",
            float(hits[at[key]]) / size if size else None,
            size,
            of_scenario[key],
        )

    return [poster(one) for one in wordings]


def _by_category(categories: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, category in sorted(categories.items()):
        found[category].append(key)
    return dict(sorted(found.items()))


def coverage(categories: dict[str, str], found: ScenarioCounts) -> Figure:
    """How many scenarios each category has, and how many of their continuations were judged."""
    judged = dict(zip(found.scenarios, found.n.sum(axis=0).tolist(), strict=True))
    rows: list[list[Value]] = [
        [category, len(keys), int(sum(judged.get(key, 0) for key in keys)), sum(not judged.get(key) for key in keys)]
        for category, keys in _by_category(categories).items()
    ]
    plot = row_plot([(str(name), int(str(n)), f"{n} ({judged} judged)") for name, n, judged, _ in rows])
    return Figure(
        "Scenarios of each category",
        "In brackets: judged continuations of all agents.",
        plot,
        ["category", "scenarios", "judged", "scenarios_without_judged"],
        rows,
    )


def by_category(categories: dict[str, str], found: ScenarioCounts) -> Figure:
    """The difficulty of each category: the mean rate of its scenarios, and its hardest and easiest scenario."""
    hits, n = found.successes.sum(axis=0), found.n.sum(axis=0)
    rates = {key: float(k / size) for key, k, size in zip(found.scenarios, hits, n, strict=True) if size}
    measured: list[Measured] = []
    for category, keys in _by_category(categories).items():
        known = [rates[key] for key in keys if key in rates]
        if known:
            measured.append(Measured(category, sum(known) / len(known), min(known), max(known)))
    return Figure(
        "Success by category",
        "Dot: the mean over the scenarios, all agents together. Line: from the hardest scenario to the easiest.",
        interval_plot(measured),
        ["category", "mean", "hardest", "easiest"],
        [[one.label, one.value, one.low, one.high] for one in measured],
    )
