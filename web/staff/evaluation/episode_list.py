"""The list of episodes with their posters, states and settled answers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.models import Consensus
from evaluation.models import Episode, Suite
from evaluation.video_addresses import video_address
from web.staff.decorators import staff_only
from web.staff.evaluation.episodes import consensus_on
from web.staff.grid.columns import NEWEST, NUMBER, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond

KINDS = {"ordinary": "No references", "reference": "References only"}


class Row(NamedTuple):
    """An episode with its settled consensus, and the addresses of its poster and video; "" before it is ready."""

    episode: Episode
    consensus: Consensus | None
    poster: str
    video: str
    notes: list[str]


COLUMNS: tuple[Column[Row], ...] = (
    Column("picture", "Picture", lambda row: None),
    Column("episode", "Episode", lambda row: row.episode.external_id, is_fixed=True),
    Column("status", "Status", lambda row: row.episode.status),
    Column("consensus", "Consensus", lambda row: row.consensus.answer if row.consensus else None),
    Column("agent", "Agent", lambda row: row.episode.agent.slug),
    Column("scenario", "Scenario", lambda row: row.episode.scenario.key),
    Column("try", "Try", lambda row: row.episode.continuation, NUMBER),
    Column("length", "Length", lambda row: _length(row.episode), NUMBER),
    Column("suite", "Suite", lambda row: row.episode.scenario.suite.slug),
    Column("instruction", "Instruction", lambda row: row.episode.instruction, is_usual=False),
    Column("notes", "Picture notes", lambda row: ", ".join(row.notes)),
    Column("problem", "Problem", lambda row: row.episode.problem_code, is_usual=False),
    Column("newest", "Posted", lambda row: row.episode.created_at),
)


def _length(episode: Episode) -> float | None:
    film = getattr(episode, "film", None)
    return film.duration_s if film else None


@staff_only
@require_safe
def episode_list(request: HttpRequest) -> HttpResponseBase:
    suites, agents = Suite.objects.order_by("title", "pk"), Agent.objects.order_by("slug")
    filters = (
        text(request, "Part of the id"),
        choice(request, "suite", "Suite", "Every suite", suites.values_list("slug", "title")),
        choice(
            request, "agent", "Agent", "Every agent", ((slug, slug) for slug in agents.values_list("slug", flat=True))
        ),
        choice(request, "status", "Status", "Every status", Episode.Status.choices),
        choice(request, "kind", "Kind", "References too", KINDS.items()),
        text(request, "Scenario", "scenario"),
    )
    among = roles.projects_for(request.user)

    def made(found: list[Episode]) -> list[Row]:
        agreed = consensus_on(found, among)
        return [_row(one, agreed) for one in found]

    listing = Listing(
        name="episodes",
        what="episode",
        rows=_narrowed({one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=made,
        orders={"newest": NEWEST, "episode": by("external_id", is_descending=False)},
        filters=filters,
        cells="staff/evaluation/_episode_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "episodes"}

    return respond(request, listing, "staff/evaluation/episodes.html", more)


def _row(episode: Episode, agreed: Mapping[int, Consensus]) -> Row:
    hold = f"episode:{episode.external_id}"
    has_film = getattr(episode, "film", None) is not None
    return Row(
        episode,
        agreed.get(episode.pk),
        video_address(hold, "poster.jpg") if has_film else "",
        video_address(hold, "video.mp4") if has_film else "",
        (episode.film.activity or {}).get("notes", []) if has_film else [],
    )


def _narrowed(asked: Mapping[str, str]) -> QuerySet[Episode]:
    columns = {
        "status": "status",
        "suite": "scenario__suite__slug",
        "agent": "agent__slug",
        "scenario": "scenario__key",
        "q": "external_id__contains",
    }
    rows = Episode.objects.listed().select_related("agent", "scenario__suite", "film").defer("film__table")
    rows = rows.filter(**{column: asked[name] for name, column in columns.items() if asked[name]})
    return rows.filter(reference__isnull=asked["kind"] == "ordinary") if asked["kind"] else rows
