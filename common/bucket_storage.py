"""Files in an S3 bucket: reads of ranges, signed addresses for browsers, and its refusals as our own errors."""

import io
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from django.core.files import File
from storages.backends.s3 import S3Storage
from urllib3.exceptions import HTTPError

from lib.faults import FilesUnavailable

logger = logging.getLogger("crosswalk.files")

FIRST_WINDOW = 256 * 1024
"""How many bytes the first request after a jump asks for; each following request asks for twice as many."""
LARGEST_WINDOW = 8 * 1024 * 1024
TRIES = 4
"""How often one position of a file is asked for while answers are cut off."""
_REFUSED = (ClientError, BotoCoreError, Boto3Error)
_CUT = (HTTPClientError, BotoCoreError, HTTPError, OSError)
_CONFIG = {"connect_timeout": 5, "read_timeout": 30, "retries": {"mode": "standard", "total_max_attempts": 3}}


class WrongOrigin(Exception):
    """The bucket's addresses do not begin with the origin that the settings name."""


class BucketStorage(S3Storage):  # type: ignore[misc]  # the library has no types
    """Django's storage in a bucket. No file replaces another of the same name, and S3 checks each file by its SHA-256.

    Each method raises FileNotFoundError for a file that is not there, and FilesUnavailable where the bucket refuses or
    does not answer.
    """

    def __init__(self, *, direct_origin: str = "", **options: Any) -> None:
        """Take the options of the library.

        Args:
            direct_origin: The scheme, host and port from which browsers get files; empty: all files go through the
                server.
        """
        options.setdefault("client_config", Config(signature_version="s3v4", **_CONFIG))
        super().__init__(file_overwrite=False, object_parameters={"ChecksumAlgorithm": "SHA256"}, **options)
        self.direct_origin = direct_origin

    @cached_property
    def client(self) -> Any:
        """The client of the bucket; threads may share it."""
        session = self._create_session()
        return session.client("s3", endpoint_url=self.endpoint_url, config=self.client_config, verify=self.verify)

    @cached_property
    def signer(self) -> Any:
        """The client that signs addresses for uploads. Whoever has one sends bytes alone, so no checksum is signed."""
        plain = self.client_config.merge(Config(request_checksum_calculation="when_required"))
        return self._create_session().client("s3", endpoint_url=self.endpoint_url, config=plain, verify=self.verify)

    def key(self, name: str) -> str:
        """The key of the stored file `name`."""
        return str(self._normalize_name(name))

    def direct_address(self, name: str, *, seconds: int, content_type: str) -> str:
        """A signed address at which a browser gets the file from the bucket itself, with byte ranges; no request.

        Returns:
            "" where the settings let all files go through the server.

        Raises:
            WrongOrigin: the address does not begin with `direct_origin`, so browsers would not open it.
        """
        if not self.direct_origin:
            return ""
        asked = {
            "Bucket": self.bucket_name,
            "Key": self.key(name),
            "ResponseContentType": content_type,
            "ResponseCacheControl": f"private, max-age={seconds}",
        }
        with answers("sign"):
            address = str(self.client.generate_presigned_url("get_object", Params=asked, ExpiresIn=seconds))
        found = urlsplit(address)
        if f"{found.scheme}://{found.netloc}" != self.direct_origin:
            raise WrongOrigin(
                f"CROSSWALK_S3_DIRECT_ORIGIN is {self.direct_origin!r}, but signed addresses of the bucket "
                f"{self.bucket_name!r} begin with '{found.scheme}://{found.netloc}'."
            )
        return address

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        if mode not in {"r", "rb"}:
            raise ValueError("A stored file is saved as a whole and never written to.")
        return File(io.BufferedReader(_Ranges(self, name), FIRST_WINDOW), name)

    def _save(self, name: str, content: "File[Any]") -> str:
        with answers("save"):
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with answers("delete"):
            super().delete(name)

    def exists(self, name: str) -> bool:
        with answers("look for"):
            return bool(super().exists(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with answers("list"):
            folders, files = super().listdir(name)
            return folders, files

    def size(self, name: str) -> int:
        return int(self.head(name)["ContentLength"])

    def head(self, name: str) -> Mapping[str, Any]:
        """The size (`ContentLength`), `ETag` and checksums of a stored file. 1 request."""
        with answers("look at"):
            found: Mapping[str, Any] = self.client.head_object(Bucket=self.bucket_name, Key=self.key(name))
            return found

    def names(self, prefix: str = "", *, after: str = "") -> Iterator[tuple[str, int]]:
        """The name and size of each stored file whose name begins with the prefix, in order of their names.

        Args:
            after: Only the files behind this name.
        """
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket_name, Prefix=prefix, StartAfter=after
        )
        with answers("list"):
            for page in pages:
                for found in page.get("Contents", ()):
                    yield found["Key"], found["Size"]


class _Ranges(io.RawIOBase):
    """A stored file, read in windows, each by a request of its own; a window that is cut off is asked for again."""

    def __init__(self, storage: BucketStorage, name: str) -> None:
        self._storage, self._name = storage, name
        found = storage.head(name)
        self._size, self._etag = int(found["ContentLength"]), found["ETag"]
        self._at, self._window, self._tries = 0, FIRST_WINDOW, 0
        self._body: Any = None
        self._end = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset != self._at:
            self._drop()
            self._at, self._window = max(0, start + offset), FIRST_WINDOW
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size or not len(buffer):
            return 0
        while True:
            piece = self._piece(len(buffer))
            if piece:
                buffer[: len(piece)] = piece
                self._at += len(piece)
                self._tries = 0
                if self._at >= self._end:
                    self._drop()
                return len(piece)

    def close(self) -> None:
        self._drop()
        super().close()

    def _piece(self, most: int) -> bytes:
        """The next bytes of the file; none if the answer was cut off and is to be asked for again.

        Raises:
            FilesUnavailable: it was cut off too often, or the file has changed since it was opened.
        """
        try:
            if self._body is None:
                self._ask()
            if piece := bytes(self._body.read(min(most, self._end - self._at))):
                return piece
            cause: Exception = EOFError("the answer ended before the window")
        except _CUT as error:
            cause = error
        self._drop()
        self._tries += 1
        if self._tries >= TRIES:
            logger.error("files.cut", extra={"at": self._at, "cause": repr(cause)})
            raise FilesUnavailable from cause
        return b""

    def _ask(self) -> None:
        self._end = min(self._at + self._window, self._size)
        self._window = min(2 * self._window, LARGEST_WINDOW)
        storage = self._storage
        asked = {"Bucket": storage.bucket_name, "Key": storage.key(self._name), "IfMatch": self._etag}
        with answers("read"):
            self._body = storage.client.get_object(Range=f"bytes={self._at}-{self._end - 1}", **asked)["Body"]

    def _drop(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None


@contextmanager
def answers(act: str) -> Iterator[None]:
    """Turn the bucket's refusals into our own errors, and log what the bucket said.

    Raises:
        FileNotFoundError: the file is not there.
        FilesUnavailable: anything else.
    """
    try:
        yield
    except _REFUSED as error:
        code = reason(error)
        if code in {"404", "NoSuchKey", "NotFound"}:
            raise FileNotFoundError("The bucket has no such file.") from error
        logger.error("files.refused", extra={"act": act, "reason": code})
        raise FilesUnavailable from error


def reason(error: BaseException | None) -> str:
    """The bucket's own code for its refusal, as `AccessDenied` or `NoSuchBucket`; else the kind of the error."""
    while error is not None:
        if isinstance(error, ClientError):
            return str(error.response.get("Error", {}).get("Code", ""))
        if error.__cause__ is None and error.__context__ is None:
            return type(error).__name__
        error = error.__cause__ or error.__context__
    return ""
