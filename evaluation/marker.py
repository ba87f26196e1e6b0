"""Episodes as clips of the marker: their frame tables, and the video that a worker's page receives."""

from typing import Any

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner

from annotation.models import Assignment, Task
from annotation.tool_registry import Json
from annotation.tools.marker import Clip, Marker
from annotation.tools.quiz_questions import is_hold_of_question, payload_held
from evaluation.models import Episode, EpisodeTask, Film
from lib.faults import Fault, Invalid, NotFound
from lib.video.frames import FrameTable

_signer = TimestampSigner(salt="crosswalk.clip")
ADDRESS_MAX_AGE_S = 24 * 3600
"""How long the signed address of a video works."""


class EpisodeMarker(Marker):
    """The marker over the episodes of this app."""

    def made(self, tasks: list[Task]) -> None:
        wanted = {task.payload["episode"] for task in tasks}
        found = {episode.external_id: episode for episode in Episode.objects.filter(external_id__in=wanted)}
        faults = []
        for index, task in enumerate(tasks):
            external_id = task.payload["episode"]
            detail = _fault_of(found.get(external_id), external_id)
            if detail:
                faults.append(Fault(f"#/tasks/{index}/payload/episode", detail))
        if faults:
            raise Invalid(faults=faults)
        EpisodeTask.objects.bulk_create(
            EpisodeTask(task=task, episode=found[task.payload["episode"]]) for task in tasks
        )

    def check_payload(self, payload: Json) -> None:
        episode = payload["episode"]
        detail = _fault_of(Episode.objects.filter(external_id=episode).first(), episode)
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


def _fault_of(episode: Episode | None, external_id: str) -> str:
    if episode is None:
        return f"There is no episode {external_id!r}."
    return (
        "" if episode.status == Episode.Status.READY else f"The episode {external_id!r} is {episode.status}, not ready."
    )


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
        "url": clip_url(hold, "video.mp4"),
        "poster_url": clip_url(hold, "poster.jpg"),
        "frames": film.frames,
        "duration_s": film.duration_s,
        "width": film.width,
        "height": film.height,
        "table": {key: film.table[key] for key in ("time_base", "deltas")},
        "filmstrip": {
            "urls": [clip_url(hold, f"strip-{number}.webp") for number in range(len(strip["sheets"]))],
            **{key: strip[key] for key in ("every", "columns", "rows", "width", "height")},
        },
    }


def clip_url(hold: str, name: str) -> str:
    """A signed address of a video file; it expires and needs no header.

    The episode's id is not in it, except where the hold is `episode:ID`, which only staff get.
    """
    return f"{settings.CLIPS_PATH}{_signer.sign(hold)}/{name}"


def film_of_address(signed: str) -> Film:
    """The film to which a signed address leads.

    Raises:
        NotFound: the signature is wrong or too old, or the hold or its film does not exist.
    """
    try:
        hold = _signer.unsign(signed, max_age=ADDRESS_MAX_AGE_S)
    except BadSignature:
        raise NotFound from None
    if hold.startswith("episode:"):
        return _found(Film.objects.filter(episode__external_id=hold.removeprefix("episode:")).first())
    if hold.startswith("task:"):
        return _found(Film.objects.filter(episode__shown_in__task_id=int(hold.removeprefix("task:"))).first())
    if is_hold_of_question(hold):
        return _found(Film.objects.filter(episode__external_id=payload_held(hold).get("episode")).first())
    assignment = Assignment.objects.filter(public_id=hold).values_list("task_id", flat=True).first()
    if assignment is None:
        raise NotFound
    return _found(Film.objects.filter(episode__shown_in__task_id=assignment).first())


def _found(film: Film | None) -> Film:
    if film is None:
        raise NotFound
    return film


def stored_file(film: Film, name: str) -> tuple[str, str, str]:
    """The film's file with this name in an address: its storage name, content type and ETag."""
    sheets = film.filmstrip["sheets"]
    files = {"video.mp4": (film.proxy, "video/mp4"), "poster.jpg": (film.poster, "image/jpeg")}
    files |= {f"strip-{number}.webp": (sheet, "image/webp") for number, sheet in enumerate(sheets)}
    if name not in files:
        raise NotFound
    stored, content_type = files[name]
    return stored, content_type, f"{film.proxy_sha256[:32]}-{name}"
