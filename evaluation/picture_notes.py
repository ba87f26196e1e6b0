"""The faults in a video's picture that its poster should know: where it is black, frozen or cut."""

from typing import Any

from evaluation.models import Film
from lib.video.frames import FrameTable

WORDS = {
    "black": "The picture is black for a while.",
    "frozen": "The picture stands still for a while.",
    "cut": "The picture jumps, as if the video was cut.",
}


def picture_notes(film: Film) -> dict[str, Any] | None:
    """The notes, with the black and frozen stretches and the cuts in seconds; None if they were not measured. No
    query."""
    if film.activity is None:
        return None
    table = FrameTable.from_json(film.table)

    def ends(stretch: list[int]) -> list[float]:
        first, last = stretch
        until = table.time_s(last + 1) if last + 1 < len(table) else table.duration_s
        return [round(table.time_s(first), 3), round(until, 3)]

    found = film.activity
    return {
        "notes": found["notes"],
        "black": [ends(stretch) for stretch in found["black"]],
        "frozen": [ends(stretch) for stretch in found["frozen"]],
        "cuts": [round(table.time_s(frame), 3) for frame in found["cuts"]],
    }


def words_of(film: Film | None) -> list[str]:
    """The notes as sentences; none if there is no film, or it was not measured."""
    return [WORDS[note] for note in film.activity["notes"]] if film and film.activity else []
