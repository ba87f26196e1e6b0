"""A bucket for tests, behind a line that can refuse, cut and corrupt answers.

It lies on moto's server, in a process of its own, and again on the server that `CROSSWALK_TEST_S3` names, as in
`127.0.0.1:8333`; the key there is `test`, its secret too. moto looks at no signature, so the line refuses signed
addresses that have expired, as S3 does; a real server does so itself.
"""

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.files.base import ContentFile
from django.test import override_settings

from common.bucket_storage import BucketStorage
from evaluation.bucket_files import imports

BUCKET = "crosswalk-files"
_REFUSAL = "<?xml version='1.0'?><Error><Code>{code}</Code><Message>{code}</Message></Error>"


@dataclass
class Line:
    """The line to the bucket, with its faults.

    Attributes:
        address: Where the bucket is reached through this line.
        refusal: Status and code with which every request is answered; None: requests pass.
        cuts: How many answers from now on break off.
        kept: Which part of its bytes an answer that breaks off still brings.
        corrupts: Whether a byte of each file that is sent to the bucket is changed on its way.
        seen: Method, path and `Range` header of each request.
    """

    address: str = ""
    refusal: tuple[int, str] | None = None
    cuts: int = 0
    kept: float = 0.5
    corrupts: bool = False
    seen: list[tuple[str, str, str]] = field(default_factory=list)

    def storage(self, bucket: str = BUCKET, **options: Any) -> BucketStorage:
        """The storage in the bucket, over this line."""
        return BucketStorage(**self.options(bucket), **options)

    def options(self, bucket: str = BUCKET) -> dict[str, str]:
        known = {"access_key": "test", "secret_key": "test", "region_name": "us-east-1"}
        return {"bucket_name": bucket, "endpoint_url": self.address, **known}

    def asked(self, method: str) -> list[tuple[str, str]]:
        """Path and `Range` header of the requests of this method."""
        return [(path, wanted) for used, path, wanted in self.seen if used == method]


MOTO, NAMED = "moto", "CROSSWALK_TEST_S3"
SERVERS = (MOTO, NAMED)


@contextmanager
def bucket_server(kind: str = MOTO) -> Iterator[str]:
    """A server for buckets, one of `SERVERS`; yields its address. Skips the test where none is named."""
    if kind == NAMED:
        if not os.environ.get(NAMED):
            pytest.skip(f"{NAMED} names no second S3 server")
        yield os.environ[NAMED]
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port, process)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        assert process.poll() is None, "moto does not start: run `make` to install what requirements/dev.txt pins"
        with suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/moto-api/")
            connection.getresponse().read()
            return
        time.sleep(0.05)
    raise AssertionError("moto does not answer")


@contextmanager
def line_to(server: str) -> Iterator[Line]:
    """A line to an empty bucket on the server."""
    line = Line()
    through = ThreadingHTTPServer(("127.0.0.1", 0), _handler(line, server))
    line.address = f"http://127.0.0.1:{through.server_address[1]}"
    thread = threading.Thread(target=through.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        if server == os.environ.get(NAMED):
            _empty(line.storage().client)
        else:
            _ask(server, "POST", "/moto-api/reset", b"", {})
        line.storage().client.create_bucket(Bucket=BUCKET)
        line.seen.clear()
        yield line
    finally:
        through.shutdown()
        through.server_close()
        thread.join()


def _empty(client: Any) -> None:
    """Remove the bucket with all that it has, if it is there."""
    if BUCKET not in [one["Name"] for one in client.list_buckets()["Buckets"]]:
        return
    for upload in client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ()):
        client.abort_multipart_upload(Bucket=BUCKET, Key=upload["Key"], UploadId=upload["UploadId"])
    while found := client.list_objects_v2(Bucket=BUCKET).get("Contents"):
        for one in found:
            client.delete_object(Bucket=BUCKET, Key=one["Key"])
    client.delete_bucket(Bucket=BUCKET)


def _ask(server: str, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, Any, bytes]:
    connection = http.client.HTTPConnection(server, timeout=20)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()
    finally:
        connection.close()


def has_expired(path: str) -> bool:
    """Whether the signed address of this path is too old (Signature Version 4)."""
    query = parse_qs(urlsplit(path).query)
    if "X-Amz-Expires" not in query:
        return False
    began = datetime.strptime(query["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return datetime.now(UTC) >= began + timedelta(seconds=int(query["X-Amz-Expires"][0]))


def _handler(line: Line, server: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            line.seen.append((self.command, self.path, self.headers.get("Range", "")))
            is_too_late = server != os.environ.get(NAMED) and has_expired(self.path)
            refusal = (403, "AccessDenied") if is_too_late else line.refusal
            if refusal:
                self.answer(refusal[0], [], _REFUSAL.format(code=refusal[1]).encode())
                return
            if line.corrupts and self.command == "PUT" and body:
                body = bytes([body[0] ^ 1]) + body[1:]
            self.answer(*_ask(server, self.command, self.path, body, dict(self.headers)))

        def answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response_only(status)
            length = str(len(body))
            for name, value in headers:
                if name.lower() == "content-length" and self.command == "HEAD":
                    length = value
                elif name.lower() not in {"content-length", "connection", "transfer-encoding"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", length)
            self.end_headers()
            if line.cuts and self.command == "GET" and len(body) > 1000:
                line.cuts -= 1
                self.wfile.write(body[: int(len(body) * line.kept)])
                self.close_connection = True
            elif self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = pass_on  # noqa: N815

        def log_message(self, *args: Any) -> None:
            pass

    return Handler


class OneRecording:
    """Stands for a bucket with one file, where nothing but its being there matters."""

    def __init__(self, bucket: str) -> None:
        self._kept = ("lid-0.mp4", b"a recording")

    def names(self, prefix: str, *, after: str) -> Iterator[tuple[str, int]]:
        name, content = self._kept
        if name.startswith(prefix) and name > after:
            yield name, len(content)

    def key(self, name: str) -> str:
        return name

    def head(self, name: str) -> dict[str, Any]:
        if name != self._kept[0]:
            raise FileNotFoundError(name)
        return {"ContentLength": len(self._kept[1]), "ETag": '"e1"'}

    def open(self, name: str, mode: str) -> "ContentFile[bytes]":
        if name != self._kept[0]:
            raise FileNotFoundError(name)
        return ContentFile(self._kept[1])


@contextmanager
def one_recording() -> Iterator[None]:
    """Let the server read a bucket `recordings` with one file."""
    with mock.patch.object(imports, "_storage", OneRecording), override_settings(S3_IMPORTS=["recordings"]):
        yield
