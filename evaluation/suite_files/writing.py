"""Writing the file of a suite: its content as JSON, and the videos that its scenarios name."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.core.files.storage import default_storage

from agents.programs import AgentBody
from evaluation.models import Episode, Revision, Suite, Version
from evaluation.suite_files.content import CONTENT, FORMAT, NUMBER
from evaluation.suites import SuiteBody, frozen_digest, wording_of
from lib.canonical_json import canonical
from lib.faults import FilesUnavailable
from lib.files.parts import CHUNK, Part, zipped

_DATA = (
    "external_id",
    "continuation",
    "instruction",
    "takeover_s",
    "transcript",
    "step_frames",
    "metadata",
    "reference",
)


def suite_file(suite: Suite) -> Iterator[bytes]:
    """The bytes of the suite's file, piece by piece. An equal suite gives equal bytes. 4 queries, and 1 a version.

    Raises:
        FilesUnavailable: at once, if a video is not where it should be.
    """
    return zipped(_parts(suite), about={"format": FORMAT, "number": NUMBER, "suite": suite.slug})


def _parts(suite: Suite) -> list[Part]:
    versions = list(suite.versions.order_by("pk"))
    frozen = [list(one.revisions.select_related("scenario")) for one in versions]
    present = list(Revision.objects.filter(pk__in=_present(suite)).select_related("scenario"))
    used = {one.pk: one for revisions in (*frozen, present) for one in revisions}
    episodes = _recordings(suite, used.values())
    used |= {one.revision.pk: one.revision for one in episodes}
    content = {
        "suite": {name: getattr(suite, name) for name in SuiteBody.__annotations__},
        "wordings": [{**_name(one), "wording": wording_of(one)} for one in _sorted(used.values())],
        "present": [_name(one) for one in _sorted(present)],
        "versions": [_version(one, _sorted(theirs)) for one, theirs in zip(versions, frozen, strict=True)],
        "episodes": [_episode(one) for one in episodes],
    }
    videos = {_path(one): one for one in episodes}
    return [Part.of_text(CONTENT, canonical(content)), *(_video(path, one) for path, one in sorted(videos.items()))]


def _present(suite: Suite) -> Any:
    return suite.scenarios.exclude(current=None).values("current")


def _sorted(revisions: Iterable[Revision]) -> list[Revision]:
    return sorted(revisions, key=lambda one: (one.scenario.key, one.digest))


def _recordings(suite: Suite, wordings: Iterable[Revision]) -> list[Episode]:
    """The episodes of this suite that these wordings name as their recordings, by id. 1 query."""
    ids = {one.media["episode"] for one in wordings if one.media}
    rows = Episode.objects.listed().filter(scenario__suite=suite, external_id__in=ids)
    rows = rows.exclude(status=Episode.Status.FAILED).select_related("agent", "revision__scenario")
    return sorted(rows, key=lambda one: one.external_id)


def _name(one: Revision) -> dict[str, str]:
    return {"scenario": one.scenario.key, "sha256": one.digest}


def _version(one: Version, frozen: Sequence[Revision]) -> dict[str, Any]:
    return {
        "version": one.slug,
        "sha256": frozen_digest((each.scenario.key, each.digest) for each in frozen),
        "frozen_at": one.created_at.isoformat(),
        "wordings": [_name(each) for each in frozen],
    }


def _episode(one: Episode) -> dict[str, Any]:
    return {
        "data": {name: getattr(one, name) for name in _DATA},
        "agent": {"slug": one.agent.slug, **{name: getattr(one.agent, name) for name in AgentBody.__annotations__}},
        "wording": _name(one.revision),
        "video": _path(one),
    }


def _path(episode: Episode) -> str:
    return f"media/{episode.source_sha256}"


def _video(path: str, episode: Episode) -> Part:
    try:
        size = default_storage.size(episode.source)
    except OSError as error:
        raise FilesUnavailable from error
    return Part(path, size, episode.source_sha256, _pieces(episode.source))


def _pieces(name: str) -> Iterator[bytes]:
    with default_storage.open(name, "rb") as file:
        yield from file.chunks(CHUNK)
