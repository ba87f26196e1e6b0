"""The file of a linear model: an npz of plain numbers and one JSON text, read within bounds; never a pickle."""

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from lib.faults import Invalid
from lib.strict_json import parse_json

MOST_BYTES = 256 * 2**20
"""The most bytes of an artefact, before and after unpacking."""
_META = "meta.json"
_DTYPES = ("<f2", "<f4")
_MOST_MEMBERS = 16
_MOST_META = 64 * 2**20


class NotAnArtefact(Invalid):
    """A file does not hold a model of the expected kind, or was altered."""

    sentence = "This is not a model that can be read: {reason}"

    def __init__(self, reason: str) -> None:
        super().__init__(reason=reason)


def written(kind: str, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an artefact. Equal content gives equal bytes.

    Args:
        kind: Names the kind of model and the version of its parts.
        arrays: Of 16 or 32 bit floating-point numbers.
    """
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as file:
        # A ZipInfo without a time has always the same one.
        text = json.dumps({"format": kind, **meta}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        file.writestr(zipfile.ZipInfo(_META), text.encode(), compress_type=zipfile.ZIP_DEFLATED)
        for name in sorted(arrays):
            part = io.BytesIO()
            np.save(part, np.ascontiguousarray(arrays[name]), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), part.getvalue())
    return whole.getvalue()


def read(artefact: bytes, kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The JSON and the arrays of an artefact.

    Raises:
        NotAnArtefact: it is no such file, too large, or a part of it is not what its description says.
    """
    if len(artefact) > MOST_BYTES:
        raise NotAnArtefact(f"it has more than {MOST_BYTES} bytes.")
    try:
        with zipfile.ZipFile(io.BytesIO(artefact)) as file:
            members = file.infolist()
            if len(members) > _MOST_MEMBERS or sum(one.file_size for one in members) > MOST_BYTES:
                raise NotAnArtefact("it unpacks to more than is allowed.")
            # Reading a member compares its CRC, and stops at the size that was added up above.
            parts = {one.filename: file.read(one) for one in members}
    except (
        zipfile.BadZipFile,
        EOFError,
        OSError,
        RuntimeError,
        NotImplementedError,
        ValueError,
        zlib.error,
    ) as e:
        raise NotAnArtefact(f"it is not a whole npz file ({e}).") from e
    meta = _meta(parts.pop(_META, b""), kind)
    return meta, {name.removesuffix(".npy"): _array(name, part) for name, part in parts.items()}


def _meta(text: bytes, kind: str) -> dict[str, Any]:
    if len(text) > _MOST_META:
        raise NotAnArtefact("its description is too long.")
    try:
        meta = parse_json(text)
    except ValueError as error:
        raise NotAnArtefact("its description is not JSON.") from error
    if not isinstance(meta, dict) or meta.get("format") != kind:
        raise NotAnArtefact(f"its description does not say {kind}.")
    return meta


def _array(name: str, part: bytes) -> np.ndarray:
    stream = io.BytesIO(part)
    try:
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise ValueError("a version that is not read")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    except ValueError as error:
        raise NotAnArtefact(f"the array {name!r} has no header that can be read.") from error
    # Compared before anything is made of this shape: a header of a hundred bytes can name a petabyte.
    rest = memoryview(part)[stream.tell() :]
    fits = min(shape, default=0) >= 0 and math.prod(shape) * dtype.itemsize == len(rest)
    if dtype.str not in _DTYPES or by_columns or not fits:
        raise NotAnArtefact(f"the array {name!r} is not what its header says.")
    array = np.frombuffer(rest, dtype=dtype).reshape(shape)
    if not np.isfinite(array).all():
        raise NotAnArtefact(f"the array {name!r} has numbers that are not finite.")
    return array
