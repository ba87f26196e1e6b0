"""Episodes as clips of the marker: their frame tables, and the video that a worker's page receives."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation.models import Project, Task
from annotation.tool_registry import Json
from annotation.tools.marker.tool import Clip, Marker
from common.data.bulk_insert import insert_rows
from evaluation.models import Episode, EpisodeTask, Film
from evaluation.video_addresses import video_address
from lib.faults import Fault, Invalid
from lib.video.frames import FrameTable


class EpisodeMarker(Marker):
    """The marker over the episodes of this app."""

    def keep_payloads(self, project: Project, payloads: Sequence[Json], *, at: datetime) -> list[Json]:
        wanted = {payload["episode"] for payload in payloads}
        found = dict(Episode.objects.listed().filter(external_id__in=wanted).values_list("external_id", "status"))
        faults = []
        for index, payload in enumerate(payloads):
            external_id = payload["episode"]
            detail = _fault_of(found.get(external_id), external_id)
            if detail:
                faults.append(Fault(f"#/tasks/{index}/payload/episode", detail))
        if faults:
            raise Invalid(faults=faults)
        return list(payloads)

    def link(self, payloads: Mapping[int, Json]) -> None:
        episodes = [payload["episode"] for payload in payloads.values()]
        ids = dict(Episode.objects.filter(external_id__in=set(episodes)).values_list("external_id", "pk"))
        insert_rows(EpisodeTask, {"task_id": list(payloads), "episode_id": [ids[name] for name in episodes]})

    def check_payload(self, payload: Json) -> None:
        episode = payload["episode"]
        status = Episode.objects.listed().filter(external_id=episode).values_list("status", flat=True).first()
        detail = _fault_of(status, episode)
        if detail:
            raise Invalid.at("#/episode", detail)

    def clip(self, episode: str) -> Clip:
        return clip_of(_film(episode))

    def present(self, task: Task, *, hold: str) -> Json:
        film = _film(task.payload["episode"])
        clip = clip_of(film)
        shown = film.episode
        return {
            "instruction": shown.instruction,
            "criteria": shown.revision.criteria,
            "takeover_s": shown.takeover_s,
            "deadline_s": min(shown.deadline_s, film.duration_s),
            "transcript": shown.transcript,
            "markable": {"first": clip.first, "last": clip.last, "never": clip.never},
            "video": video_for(film, hold=hold),
        }


marker = EpisodeMarker()


def _fault_of(status: str | None, external_id: str) -> str:
    """The reason why an episode of this status cannot get a task; None: there is no such episode."""
    if status is None:
        return f"There is no episode {external_id!r}."
    return "" if status == Episode.Status.READY else f"The episode {external_id!r} is {status}, not ready."


def _film(episode: str) -> Film:
    return Film.objects.select_related("episode__revision").get(episode__external_id=episode)


def clip_of(film: Film) -> Clip:
    """The film as the marker needs it. Its deadline is the end of the continuation, or of a video that ends earlier."""
    table = FrameTable.from_json(film.table)
    deadline_s = min(film.episode.deadline_s, film.duration_s)
    return Clip(
        time_s=table.time_s,
        frames=len(table),
        first=table.first_from(film.episode.takeover_s),
        last=table.last_until(deadline_s),
        never=table.last_before(deadline_s),
    )


def video_for(film: Film, *, hold: str) -> dict[str, Any]:
    """Signed addresses, sizes and frame table of the video. The addresses contain the hold, never the episode's id."""
    strip = film.filmstrip
    return {
        "url": video_address(hold, "video.mp4"),
        "poster_url": video_address(hold, "poster.jpg"),
        "frames": film.frames,
        "duration_s": film.duration_s,
        "width": film.width,
        "height": film.height,
        "table": {key: film.table[key] for key in ("time_base", "deltas")},
        "filmstrip": {
            "urls": [video_address(hold, f"strip-{number}.webp") for number in range(len(strip["sheets"]))],
            **{key: strip[key] for key in ("every", "columns", "rows", "width", "height")},
        },
        "activity": film.activity and {key: film.activity[key] for key in ("band", "moments")},
    }
