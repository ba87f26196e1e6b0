"""`client.episodes`: recordings of agents."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from typing_extensions import Unpack

from crosswalk_client.api.uploads import Progress, copied, upload
from crosswalk_client.calls import Mode, Resource, call, pages
from crosswalk_client.requests import Pages, Plan, Request, delete, download, get, json_of, once, path_of, post
from crosswalk_client.types import EpisodeAnswer, EpisodeDataRequest

MOST_AT_ONCE = 8 * 1024 * 1024
"""A larger video is sent in parts."""


class Episodes(Resource[Mode]):
    @pages
    def list(self) -> Pages[EpisodeAnswer]:
        return Pages(Request("GET", "episodes/"))

    @call
    def get(self, external_id: str) -> Plan[EpisodeAnswer]:
        return get(path_of("episodes", external_id))

    @call
    def archive(self, external_id: str) -> Plan[None]:
        """Hide it, take back its open tasks and leave it out of rankings; `restore` puts it back."""
        return delete(path_of("episodes", external_id))

    @call
    def restore(self, external_id: str) -> Plan[EpisodeAnswer]:
        return post(path_of("episodes", external_id, "restore"))

    @call
    def post(
        self,
        path: str | Path,
        /,
        *,
        trajectory: str | Path | None = None,
        progress: Progress | None = None,
        notes: Path | None = None,
        **data: Unpack[EpisodeDataRequest],
    ) -> Plan[EpisodeAnswer]:
        """Post a recording, in parts if it is large. Posting the same again changes nothing.

        Args:
            path: The video.
            trajectory: A file with the trajectory; the video is then sent in one piece.
            progress: Is called with the bytes sent so far and all bytes.
            notes: A file that lets a large upload go on where it was cut off; see `uploads.send`.
        """
        video = Path(path)
        if trajectory is None and video.stat().st_size > MOST_AT_ONCE:
            return _post_in_parts(video, dict(data), progress, notes)
        return _post_at_once(video, dict(data), Path(trajectory) if trajectory else None, progress)

    @call
    def post_from_bucket(
        self, address: str, /, *, progress: Progress | None = None, **data: Unpack[EpisodeDataRequest]
    ) -> Plan[EpisodeAnswer]:
        """Post a recording that lies in a bucket, as `s3://recordings/run-7/lid-0.mp4`: the server copies it.

        Only the places that the server's settings name may be read.

        Args:
            progress: Is called with the bytes copied so far and all bytes.
        """
        return _post_from_bucket(address, dict(data), progress)

    @call
    def trajectory(self, external_id: str, into: Path) -> Plan[Path]:
        """Write the trajectory, as it was posted, to a file."""
        return download(path_of("episodes", external_id, "trajectory", ends=""), into)


def _post_in_parts(
    video: Path, data: dict[str, Any], progress: Progress | None, notes: Path | None
) -> Plan[EpisodeAnswer]:
    name = yield from upload(video, progress=progress, notes=notes)
    posted: EpisodeAnswer = yield from post("episodes/", {**data, "upload": name})
    return posted


def _post_from_bucket(address: str, data: dict[str, Any], progress: Progress | None) -> Plan[EpisodeAnswer]:
    copy = yield from copied(address, progress=progress)
    posted: EpisodeAnswer = yield from post("episodes/", {**data, "upload": copy["upload"]})
    return posted


def _post_at_once(
    video: Path, data: dict[str, Any], trajectory: Path | None, progress: Progress | None
) -> Plan[EpisodeAnswer]:
    with ExitStack() as opened:
        files: dict[str, Any] = {
            "data": (None, json.dumps(data), "application/json"),
            "video": (video.name, opened.enter_context(video.open("rb"))),
        }
        if trajectory is not None:
            files["trajectory"] = (trajectory.name, opened.enter_context(trajectory.open("rb")))
        answer = yield Request("POST", "episodes/", files=files, headers=once())
    if progress is not None:
        progress(video.stat().st_size, video.stat().st_size)
    posted: EpisodeAnswer = json_of(answer)
    return posted
