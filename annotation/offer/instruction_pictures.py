"""Pictures of instructions: written again from their pixels, without the data that cameras and programs add.

A job does this outside the request, since it may take seconds.
"""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from annotation.models import Picture
from common.file_storage import new_file
from jobs.outbox import LeaseGone, Running, enqueue
from lib.faults import Invalid, NotFound, TooLarge

if TYPE_CHECKING:
    from PIL import Image

PREPARE = "annotation.prepare_picture"
MOST_BYTES = 8 * 1024 * 1024
MOST_SIDE = 4096
"""Pixels; a larger picture is refused."""
SHOWN_SIDE = 1600
"""Pixels; a larger picture is made smaller, because no page shows it larger."""
MOST_FRAMES = 200


class Kind(NamedTuple):
    """The content type and the suffix of a kind of picture."""

    content_type: str
    suffix: str


KINDS = {
    "PNG": Kind("image/png", "png"),
    "JPEG": Kind("image/jpeg", "jpg"),
    "WEBP": Kind("image/webp", "webp"),
    "GIF": Kind("image/gif", "gif"),
}


def keep_picture(*, file: "UploadedFile[Any]", at: datetime) -> Picture:
    """Store the file and queue its preparation; return the picture that is there already if the file came before.

    Only the beginning of the file is read here, since a small file may stand for very many pixels.

    Raises:
        TooLarge: more bytes than a picture may have.
        Invalid: it is no PNG, JPEG, WebP or GIF, or is too wide or too high.
    """
    if file.size is None or file.size > MOST_BYTES:
        raise TooLarge(f"A picture has at most {MOST_BYTES // 1024 // 1024} MiB here. Make it smaller and try again.")
    raw = file.read()
    with _opened(raw):
        pass
    digest = hashlib.sha256(raw).hexdigest()
    known = Picture.objects.filter(digest=digest).first()
    if known is not None and known.state != Picture.State.REFUSED:
        return known
    with new_file(f"pictures/incoming/{digest}", ContentFile(raw)) as name, transaction.atomic():
        fields = {"state": Picture.State.WAITING, "problem": "", "source": name, "created_at": at}
        picture, _ = Picture.objects.update_or_create(digest=digest, defaults=fields)
        enqueue(PREPARE, digest, unique_key=f"{PREPARE}@{digest}")
    return picture


def prepare_picture(running: Running) -> None:
    """Job handler: writes the picture again from its pixels. It does nothing for a picture that does not wait."""
    picture = Picture.objects.filter(digest=running.subject, state=Picture.State.WAITING).first()
    if picture is None:
        return
    with default_storage.open(picture.source) as source:
        raw = source.read()
    try:
        content, kind, size = _made_anew(raw)
    except Invalid as refused:
        _refuse(picture, refused.faults[0].detail)
        return
    digest = picture.digest
    with new_file(f"pictures/{digest[:2]}/{digest}.{kind.suffix}", ContentFile(content)) as name:
        fields = {"file": name, "content_type": kind.content_type, "width": size[0], "height": size[1]}
        _finish(picture, state=Picture.State.READY, **fields)


def abandon(digest: str) -> None:
    """Refuse the picture when every attempt of its job has failed; staff see the job's error."""
    picture = Picture.objects.filter(digest=digest, state=Picture.State.WAITING).first()
    if picture is not None:
        _refuse(picture, "This picture could not be prepared. Save it anew in another format and try again.")


def _refuse(picture: Picture, problem: str) -> None:
    _finish(picture, state=Picture.State.REFUSED, problem=problem)


def _finish(picture: Picture, **fields: Any) -> None:
    with transaction.atomic():
        if not Picture.objects.filter(pk=picture.pk, state=Picture.State.WAITING).update(source="", **fields):
            raise LeaseGone(f"picture {picture.pk}")
        transaction.on_commit(partial(default_storage.delete, picture.source))


def picture_named(digest: str) -> Picture:
    """The picture, once it is prepared. Raises NotFound. 1 query."""
    found = Picture.objects.filter(digest=digest, state=Picture.State.READY).first()
    if found is None:
        raise NotFound
    return found


@contextmanager
def _opened(raw: bytes) -> "Iterator[Image.Image]":
    """The picture, of which only the beginning is read yet.

    Raises:
        Invalid: it is no PNG, JPEG, WebP or GIF, is too wide or too high, or turns out to be damaged in the block.
    """
    # Here and below: not at the start of every process, which needs it only for a picture.
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(raw), formats=list(KINDS)) as opened:
            # Before a pixel is read: a few bytes may stand for billions of them.
            if max(opened.size) > MOST_SIDE:
                raise Invalid.at("#/picture", f"A picture has at most {MOST_SIDE} × {MOST_SIDE} pixels here.")
            yield opened
    except UnidentifiedImageError:
        raise Invalid.at("#/picture", "Choose a PNG, JPEG, WebP or GIF picture.") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        # What Pillow raises for a damaged file depends on where the damage is.
        raise Invalid.at("#/picture", "This picture is damaged or not whole. Save it anew and try again.") from None


def _made_anew(raw: bytes) -> tuple[bytes, Kind, tuple[int, int]]:
    """The picture's bytes written again from its pixels alone, its kind and its size."""
    with _opened(raw) as opened:
        # Some cameras put a second picture behind a JPEG, and Pillow then calls it MPO. Only the first one is shown.
        name = "JPEG" if opened.format == "MPO" else str(opened.format)
        number = 1 if name == "JPEG" else getattr(opened, "n_frames", 1)
        _check_frames(number, opened.size)
        frames = _frames(opened, number, kind=name)
        durations = [int(frame.info.get("duration", 0)) for frame in frames]
        loop = int(opened.info.get("loop", 0))
    out = io.BytesIO()
    first, rest = frames[0], frames[1:]
    options: dict[str, Any] = {"optimize": True} if name in {"PNG", "GIF"} else {"quality": 88}
    if rest:
        options |= {"save_all": True, "append_images": rest, "duration": durations, "loop": loop}
        if name == "GIF":
            options["disposal"] = 2  # Each frame is whole, so the one before it goes.
    first.save(out, format=name, **options)
    return out.getvalue(), KINDS[name], first.size


def _check_frames(number: int, size: tuple[int, int]) -> None:
    """Check how many frames and pixels the picture has, before the pixels are read.

    Raises:
        Invalid: it has too many.
    """
    if number > MOST_FRAMES:
        raise Invalid.at("#/picture", f"A moving picture has at most {MOST_FRAMES} frames here, and this has {number}.")
    pixels, most = number * size[0] * size[1], settings.PICTURE_MAX_PIXELS
    if pixels > most:
        raise Invalid.at(
            "#/picture",
            f"The frames of a picture have at most {most // 1_000_000} million pixels together here, and these have "
            f"{pixels // 1_000_000} million. Make it smaller, or take fewer frames.",
        )


def _frames(opened: "Image.Image", number: int, *, kind: str) -> "list[Image.Image]":
    """The first frames upright, at most `SHOWN_SIDE` wide and high, with pixels and nothing else."""
    from PIL import ImageOps, ImageSequence

    found = []
    for frame in islice(ImageSequence.Iterator(opened), number):
        upright = ImageOps.exif_transpose(frame)
        upright.thumbnail((SHOWN_SIDE, SHOWN_SIDE))
        found.append(_bare(upright, duration=int(frame.info.get("duration", 0)), kind=kind))
    return found


def _bare(image: "Image.Image", *, duration: int, kind: str) -> "Image.Image":
    """A copy that carries no Exif, comment, colour profile or text; only the time for which it is shown is kept."""
    from PIL import Image

    has_alpha = image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info
    plain = image.convert("RGBA" if has_alpha and kind != "JPEG" else "RGB")
    bare = Image.new(plain.mode, plain.size)
    bare.paste(plain)
    bare.info = {"duration": duration}
    return bare
