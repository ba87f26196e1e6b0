"""Videos that lie in a bucket: which there are below an address, and which of them are chosen.

What the server may read in buckets belongs to no project, so only admins of all projects choose from it.
"""

from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest

from annotation.access import roles
from annotation.access.roles import Role
from evaluation.bucket_files.imports import SCHEME, BucketFile, files_below
from evaluation.bucket_files.postings import MOST_FILES, path_below
from lib.faults import FilesUnavailable, Invalid

SHOWN = 200
"""How many files the page lists at once."""
VIDEOS = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ogv", ".ts")
TICKED, ALL = "ticked", "all"


class Listed(NamedTuple):
    """A file as the page lists it; videos are ticked from the start, and later what was ticked."""

    address: str
    path: str
    bytes: int
    is_ticked: bool


class Bucket(NamedTuple):
    """The part of the page about buckets.

    Attributes:
        places: The addresses below which files may be taken; without any, the page says how to set them.
        prefix: The address that was given, "" if none was.
        after: The address after which the list begins, "" at its beginning.
        files: The files below it, `SHOWN` at most.
        following: The address after which the next ones begin, "" if there are no more.
        error: Why there are none.
        which: Whether the ticked ones are taken, or all videos.
    """

    places: list[str]
    prefix: str = ""
    after: str = ""
    files: tuple[Listed, ...] = ()
    following: str = ""
    error: str = ""
    which: str = TICKED
    most: int = MOST_FILES

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def bucket_of(request: HttpRequest) -> Bucket | None:
    """The files below the address that the request gives; None for an account that may not look into buckets."""
    if not roles.may_everywhere(request.user, Role.ADMIN):
        return None
    bucket = Bucket([f"{SCHEME}{place.removeprefix(SCHEME)}" for place in settings.S3_IMPORTS])
    prefix, after = _given(request, "prefix"), _given(request, "after")
    if not prefix or not bucket.places:
        return bucket
    bucket = bucket._replace(prefix=prefix, after=after)
    try:
        found = files_below(prefix, after=after, most=SHOWN + 1)
    except (Invalid, FilesUnavailable) as error:
        return bucket._replace(error=error.reason)
    which = ALL if request.POST.get("which") == ALL else TICKED
    ticked = {one.address for one in found if is_video(one)}
    if request.method == "POST" and which == TICKED:
        ticked = set(request.POST.getlist("file"))
    listed = tuple(
        Listed(one.address, path_below(one.address, prefix), one.bytes, one.address in ticked) for one in found
    )
    more = listed[SHOWN - 1].address if len(listed) > SHOWN else ""
    none = "" if listed else "There is no file below this address."
    return bucket._replace(files=listed[:SHOWN], following=more, error=none, which=which)


def is_video(file: BucketFile) -> bool:
    return file.address.lower().endswith(VIDEOS)


def chosen(request: HttpRequest) -> list[BucketFile]:
    """The files that the form names: those that are ticked, or all videos below the address.

    Raises:
        Forbidden: the account may not look into buckets.
        Invalid: none is chosen, too many are, or the settings do not let them be read.
        FilesUnavailable: the bucket refuses.
    """
    roles.check_everywhere(request.user, Role.ADMIN)
    prefix, after = _given(request, "prefix"), _given(request, "after")
    if request.POST.get("which") == ALL:
        found = files_below(prefix, most=MOST_FILES + 1)
        if len(found) > MOST_FILES:
            raise Invalid(f"More than {MOST_FILES:,} files lie there. Give a longer address, and take them in parts.")
        found = [file for file in found if is_video(file)]
    else:
        ticked = set(request.POST.getlist("file"))
        found = [file for file in files_below(prefix, after=after, most=SHOWN) if file.address in ticked]
    if not found:
        raise Invalid("Choose videos first.")
    return found


def _given(request: HttpRequest, name: str) -> str:
    query = request.POST if request.method == "POST" else request.GET
    return query.get(name, "").replace("\0", "").strip()
