"""Putting the suite of a file on this server: all of it or nothing."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db import transaction

from agents.models import Agent
from agents.programs import AgentBody, put_agent
from audit.log import Subject, record
from evaluation.episodes import PostedFile, post_episode
from evaluation.models import Episode, Revision, Scenario, Suite, Upload, Version
from evaluation.suite_files.content import (
    CONTENT,
    FORMAT,
    MOST_CONTENT,
    NUMBER,
    EpisodePart,
    Named,
    SuiteContent,
    VersionPart,
    WordingPart,
    check_content,
    named,
)
from evaluation.suites import frozen_content, frozen_digest, make_present, put_suite
from evaluation.uploads import keep_whole
from lib.faults import Conflict, Invalid
from lib.files.parts import PartFile
from lib.strict_json import parse_json

_AT_ONCE = 500


class SuiteFile(NamedTuple):
    """A file whose content was checked; `file` has its videos."""

    content: SuiteContent
    file: PartFile


class Imported(NamedTuple):
    """The suite that a file was put into, and what the file has."""

    suite: Suite
    is_new: bool
    versions: list[Version]
    scenarios: int
    episodes: int


def read_suite_file(file: IO[bytes], shape: Callable[[Any], SuiteContent]) -> SuiteFile:
    """Read and check the file of a suite, with every byte of its videos.

    Args:
        shape: Gives parsed JSON its types, and refuses what has others.

    Raises:
        Invalid, TooLarge
    """
    found = PartFile(file, most_bytes=settings.SUITE_MAX_BYTES)
    if (found.about.get("format"), found.about.get("number")) != (FORMAT, NUMBER):
        raise Invalid(f"This is no file of a suite: its manifest does not say {FORMAT!r}, number {NUMBER}.")
    videos = [path for path in found.paths if path != CONTENT]
    try:
        parsed = parse_json(found.text(CONTENT, most_bytes=MOST_CONTENT))
    except ValueError as error:
        raise Invalid(f"{CONTENT} is not JSON: {error}.") from None
    content = shape(parsed)
    check_content(content, videos=set(videos))
    for path in videos:
        if path != f"media/{found.sha256_of(path)}":
            raise Invalid(f"{path} does not have the SHA-256 of its video as its name.")
        for _ in found.pieces(path):
            """Only the sum at the end counts here."""
    return SuiteFile(content, found)


def import_suite(*, slug: str, read: SuiteFile, by: str, at: datetime) -> Imported:
    """Make the suite equal to that of the file. Its other versions and all episodes stay; a repeat changes nothing.

    Raises:
        Conflict: a version or an episode of the file is here with other content, or the suite is archived.
    """
    content = read.content
    new = _unknown(content["episodes"])
    uploads = {path: _kept(read.file, path, at=at) for path in sorted({one["video"] for one in new})}
    with transaction.atomic():
        suite, is_new = put_suite(slug=slug, body=content["suite"], by=by, at=at)
        Suite.objects.select_for_update().get(pk=suite.pk)
        wordings = _put_wordings(suite, content["wordings"], at=at)
        versions = [(one, *_put_version(suite, one, wordings)) for one in content["versions"]]
        changed, left_out = _put_present(suite, [wordings[named(one)] for one in content["present"]], by=by, at=at)
        for one in content["episodes"]:
            _post(suite, one, wordings[named(one["wording"])], uploads.get(one["video"]), by=by, at=at)
        frozen = [version.slug for _, version, is_frozen in versions if is_frozen]
        if frozen or changed or left_out or new:
            record(
                verb="suite.imported",
                actor=by,
                subject=Subject("suite", slug),
                at=at,
                versions=frozen,
                changed=changed,
                left_out=left_out,
                episodes=len(new),
            )
    shown = [version for _, version, _ in versions]
    return Imported(suite, is_new, shown, len(content["present"]), len(content["episodes"]))


def _unknown(episodes: Sequence[EpisodePart]) -> list[EpisodePart]:
    """Those that were not posted yet, or whose preparation failed here. 1 query."""
    ids = [one["data"]["external_id"] for one in episodes]
    rows = Episode.objects.filter(external_id__in=ids).exclude(status=Episode.Status.FAILED)
    known = set(rows.values_list("external_id", flat=True))
    return [one for one in episodes if one["data"]["external_id"] not in known]


def _kept(file: PartFile, path: str, *, at: datetime) -> Upload:
    return keep_whole(filename=path.rpartition("/")[2], pieces=file.pieces(path), sha256=file.sha256_of(path), at=at)


def _put_wordings(suite: Suite, parts: Iterable[WordingPart], *, at: datetime) -> dict[Named, Revision]:
    """The wordings of the file by their names; those that are not there are made. 5 queries for hundreds."""
    wanted = list(parts)
    keys = dict.fromkeys(one["scenario"] for one in wanted)
    Scenario.objects.bulk_create(
        [Scenario(suite=suite, key=key, created_at=at) for key in keys], batch_size=_AT_ONCE, ignore_conflicts=True
    )
    scenarios = {one.key: one for one in suite.scenarios.all()}
    made = [
        Revision(scenario=scenarios[one["scenario"]], digest=one["sha256"], created_at=at, **one["wording"])
        for one in wanted
    ]
    Revision.objects.bulk_create(made, batch_size=_AT_ONCE, ignore_conflicts=True)
    found = Revision.objects.filter(scenario__suite=suite).select_related("scenario__suite", "scenario__current")
    return {Named(one.scenario.key, one.digest): one for one in found}


def _put_version(suite: Suite, part: VersionPart, wordings: dict[Named, Revision]) -> tuple[Version, bool]:
    """The version of the file, and whether it is new here.

    Raises:
        Conflict: a version of this name has frozen other wordings.
    """
    found = suite.versions.filter(slug=part["version"]).first()
    if found is None:
        found = Version.objects.create(suite=suite, slug=part["version"], created_at=part["frozen_at"])
        found.revisions.set([wordings[named(one)] for one in part["wordings"]])
        return found, True
    if frozen_digest(frozen_content(found)) != part["sha256"]:
        raise Conflict(f"The version {part['version']!r} is frozen here with other scenarios than in this file.")
    return found, False


def _put_present(suite: Suite, present: Sequence[Revision], *, by: str, at: datetime) -> tuple[int, list[str]]:
    """Make these the present wordings; returns how many were not, and the scenarios that are no longer present."""
    changed = sum(make_present(one.scenario, one, by=by, at=at) for one in present)
    others = suite.scenarios.exclude(current=None).exclude(pk__in=[one.scenario_id for one in present])
    left_out = sorted(others.values_list("key", flat=True))
    if left_out:
        others.update(current=None)
    return changed, left_out


def _post(suite: Suite, part: EpisodePart, wording: Revision, upload: Upload | None, *, by: str, at: datetime) -> None:
    """Post a recording as it was posted where the file comes from; its agent is made if it is not there."""
    slug = part["agent"]["slug"]
    body = {name: value for name, value in part["agent"].items() if name != "slug"}
    if not Agent.objects.filter(slug=slug).exists():
        put_agent(slug=slug, body=AgentBody(**body), by=by, at=at)  # type: ignore[typeddict-item]
    data = {**part["data"], "agent": slug, "suite": suite.slug, "scenario": wording.scenario.key}
    sha256 = part["video"].rpartition("/")[2]
    video = PostedFile(sha256, sha256, None, upload.file if upload else "")
    post_episode(data=data, video=video, trajectory=None, at=at, wording=wording)
