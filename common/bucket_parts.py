"""Files that clients send to a bucket themselves, in parts, each to a signed address (multipart uploads of S3)."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from common.bucket_storage import BucketStorage, WrongOrigin, answers


class Part(NamedTuple):
    """A part that the bucket has."""

    number: int
    etag: str
    bytes: int


def begin_parts(storage: BucketStorage, name: str) -> None:
    """Let the file `name` arrive in parts. 1 request.

    Raises:
        FilesUnavailable: the bucket refuses.
    """
    with answers("begin parts"):
        storage.client.create_multipart_upload(
            Bucket=storage.bucket_name, Key=storage.key(name), ContentType="application/octet-stream"
        )


def part_addresses(storage: BucketStorage, name: str, count: int, *, seconds: int) -> list[str]:
    """For each part the signed address to which its bytes are put. 1 request.

    Raises:
        FileNotFoundError: the upload was completed or dropped.
        FilesUnavailable: the bucket refuses.
        WrongOrigin: the addresses do not begin with `direct_origin`, so clients would not reach them.
    """
    asked = {"Bucket": storage.bucket_name, "Key": storage.key(name), "UploadId": _upload_id(storage, name)}
    found = [
        str(
            storage.signer.generate_presigned_url(
                "upload_part", Params={**asked, "PartNumber": number}, ExpiresIn=seconds
            )
        )
        for number in range(1, count + 1)
    ]
    for address in found[:1]:
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" != storage.direct_origin:
            raise WrongOrigin(f"Addresses of parts begin with '{parts.scheme}://{parts.netloc}'.")
    return found


def parts_there(storage: BucketStorage, name: str) -> list[Part]:
    """The parts that have arrived, in order. 1 request, and 1 more for each 1000 parts.

    Raises:
        FileNotFoundError: the upload was completed or dropped.
        FilesUnavailable: the bucket refuses.
    """
    asked = {"Bucket": storage.bucket_name, "Key": storage.key(name), "UploadId": _upload_id(storage, name)}
    with answers("list parts"):
        pages = storage.client.get_paginator("list_parts").paginate(**asked)
        return [
            Part(found["PartNumber"], found["ETag"].strip('"'), found["Size"])
            for page in pages
            for found in page.get("Parts", ())
        ]


def join_parts(storage: BucketStorage, name: str, parts: Sequence[Part]) -> None:
    """Make the file of its parts; from now on it is stored under its name. 2 requests.

    Raises:
        FileNotFoundError: the upload was completed or dropped.
        FilesUnavailable: the bucket refuses.
    """
    upload = _upload_id(storage, name)
    named = [{"PartNumber": part.number, "ETag": part.etag} for part in parts]
    with answers("join parts"):
        storage.client.complete_multipart_upload(
            Bucket=storage.bucket_name, Key=storage.key(name), UploadId=upload, MultipartUpload={"Parts": named}
        )


def drop_parts(storage: BucketStorage, name: str) -> None:
    """Forget the parts of a file that was not completed; nothing happens where there are none."""
    try:
        upload = _upload_id(storage, name)
    except FileNotFoundError:
        return
    with answers("drop parts"):
        storage.client.abort_multipart_upload(Bucket=storage.bucket_name, Key=storage.key(name), UploadId=upload)


def _upload_id(storage: BucketStorage, name: str) -> str:
    """The bucket's own id of the upload of this file. No row keeps it: the name of the file finds it."""
    key = storage.key(name)
    with answers("look for parts"):
        found = storage.client.list_multipart_uploads(Bucket=storage.bucket_name, Prefix=key)
    for upload in found.get("Uploads", ()):
        if upload["Key"] == key:
            return str(upload["UploadId"])
    raise FileNotFoundError("The bucket has no such upload.")
