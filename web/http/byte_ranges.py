"""Serving files with byte ranges (RFC 9110, section 14). Without ranges Chromium seeks every video to frame 0."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from django.core.files.storage import Storage
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from lib.faults import FilesUnavailable
from web.http.streams import streamed

CHUNK_BYTES = 256 * 1024
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)


class ByteRange(NamedTuple):
    """The positions of the first and the last byte, both included."""

    first: int
    last: int


class Unsatisfiable(Exception):
    """The requested range begins after the end of the file."""


def parse_range(header: str, size: int) -> ByteRange | None:
    """The one byte range that the header asks for, of a file of `size` bytes.

    Returns:
        None if the whole file is to be sent: there is no header, or it has another unit, several ranges or bad syntax
            (a server may ignore a header that it does not understand).

    Raises:
        Unsatisfiable: the range lies outside the file.

    >>> parse_range("bytes=0-1", 10)
    ByteRange(first=0, last=1)
    >>> parse_range("bytes=-3", 10)
    ByteRange(first=7, last=9)
    >>> parse_range("bytes=4-", 10)
    ByteRange(first=4, last=9)
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    start, end = match.groups()
    if start == "":
        length = int(end)
        if length == 0 or size == 0:
            raise Unsatisfiable
        return ByteRange(max(0, size - length), size - 1)
    first = int(start)
    last = min(int(end), size - 1) if end else size - 1
    if end and int(end) < first:
        return None
    if first >= size:
        raise Unsatisfiable
    return ByteRange(first, last)


def serve_file(
    request: HttpRequest, storage: Storage, name: str, *, content_type: str, etag: str, max_age_s: int = 3600
) -> HttpResponseBase:
    """The stored file `name`: whole (200), in part (206), unchanged (304) or out of range (416).

    Args:
        etag: A strong validator of the content, without quotes.
        max_age_s: How long the browser may cache the file. Shared caches may not.

    Raises:
        FilesUnavailable: the file is not there, or cannot be reached.
    """
    try:
        size = storage.size(name)
    except OSError as error:
        raise FilesUnavailable from error
    quoted = f'"{etag}"'
    if _names(request.headers.get("If-None-Match", ""), quoted):
        return _with_headers(HttpResponse(status=304), quoted, max_age_s)
    # Ranges are defined only for GET (RFC 9110, section 14.2).
    wanted = request.headers.get("Range", "") if request.method == "GET" else ""
    if request.headers.get("If-Range", quoted) != quoted:
        wanted = ""
    try:
        part = parse_range(wanted, size)
    except Unsatisfiable:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _with_headers(response, quoted, max_age_s)
    first, last = part or ByteRange(0, size - 1)
    length = last - first + 1
    answer: HttpResponseBase
    if request.method == "HEAD":
        answer = HttpResponse(content_type=content_type)
    else:
        pieces = _chunks(storage, name, first, length)
        answer = streamed(pieces, content_type=content_type, status=206 if part else 200, batch=1)
    answer["Content-Length"] = str(length)
    if part:
        answer["Content-Range"] = f"bytes {first}-{last}/{size}"
    return _with_headers(answer, quoted, max_age_s)


def _names(header: str, etag: str) -> bool:
    """Whether an `If-None-Match` header names this content. A weak tag is compared like a strong one."""
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return tags == ["*"] or etag in tags


def _with_headers(response: HttpResponseBase, etag: str, max_age_s: int) -> HttpResponseBase:
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = etag
    response["Cache-Control"] = f"private, max-age={max_age_s}"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _chunks(storage: Storage, name: str, first: int, length: int) -> Iterator[bytes]:
    with storage.open(name, "rb") as file:
        file.seek(first)
        while length > 0:
            chunk = file.read(min(CHUNK_BYTES, length))
            if not chunk:
                return
            length -= len(chunk)
            yield chunk
