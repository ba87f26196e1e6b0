"""Pictures of instructions: written again from their pixels, without the data that cameras and programs add, and stored
by content."""

import hashlib
import io
from datetime import datetime
from typing import Any, NamedTuple

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from annotation.models import Picture
from lib.faults import Invalid, NotFound, TooLarge

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
    """Store the picture, written again from its pixels; return the stored one if the same picture is there already.

    Raises:
        TooLarge: more bytes than a picture may have.
        Invalid: it is no PNG, JPEG, WebP or GIF, is damaged, or has too many pixels or frames.
    """
    if file.size is None or file.size > MOST_BYTES:
        raise TooLarge(f"A picture has at most {MOST_BYTES // 1024 // 1024} MiB here. Make it smaller and try again.")
    content, kind, size = _made_anew(file.read())
    digest = hashlib.sha256(content).hexdigest()
    known = Picture.objects.filter(digest=digest).first()
    if known is not None:
        return known
    name = default_storage.save(f"pictures/{digest[:2]}/{digest}.{kind.suffix}", ContentFile(content))
    picture, is_new = Picture.objects.get_or_create(
        digest=digest,
        defaults={
            "file": name,
            "content_type": kind.content_type,
            "width": size[0],
            "height": size[1],
            "created_at": at,
        },
    )
    if not is_new:
        default_storage.delete(name)
    return picture


def picture_named(digest: str) -> Picture:
    """The picture; 404 if there is none. 1 query."""
    found = Picture.objects.filter(digest=digest).first()
    if found is None:
        raise NotFound
    return found


def _made_anew(raw: bytes) -> tuple[bytes, Kind, tuple[int, int]]:
    """The picture's bytes written again from its pixels alone, its kind and its size."""
    try:
        with Image.open(io.BytesIO(raw), formats=list(KINDS)) as opened:
            # Before a pixel is read: a few bytes may stand for billions of them.
            if max(opened.size) > MOST_SIDE:
                raise Invalid.at("#/picture", f"A picture has at most {MOST_SIDE} × {MOST_SIDE} pixels here.")
            name = str(opened.format)
            frames = _frames(opened)
            durations = [int(frame.info.get("duration", 0)) for frame in frames]
            loop = int(opened.info.get("loop", 0))
    except UnidentifiedImageError:
        raise Invalid.at("#/picture", "Choose a PNG, JPEG, WebP or GIF picture.") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        # What Pillow raises for a damaged file depends on where the damage is.
        raise Invalid.at("#/picture", "This picture is damaged or not whole. Save it anew and try again.") from None
    out = io.BytesIO()
    first, rest = frames[0], frames[1:]
    options: dict[str, Any] = {"optimize": True} if name in {"PNG", "GIF"} else {"quality": 88}
    if rest:
        options |= {"save_all": True, "append_images": rest, "duration": durations, "loop": loop}
        if name == "GIF":
            options["disposal"] = 2  # Each frame is whole, so the one before it goes.
    first.save(out, format=name, **options)
    return out.getvalue(), KINDS[name], first.size


def _frames(opened: Image.Image) -> list[Image.Image]:
    """Every frame upright, at most `SHOWN_SIDE` wide and high, with pixels and nothing else."""
    found = []
    for number, frame in enumerate(ImageSequence.Iterator(opened)):
        if number >= MOST_FRAMES:
            raise Invalid.at("#/picture", f"A moving picture has at most {MOST_FRAMES} frames here.")
        upright = ImageOps.exif_transpose(frame)
        upright.thumbnail((SHOWN_SIDE, SHOWN_SIDE))
        found.append(_bare(upright, duration=int(frame.info.get("duration", 0)), kind=str(opened.format)))
    return found


def _bare(image: Image.Image, *, duration: int, kind: str) -> Image.Image:
    """A copy that carries no Exif, comment, colour profile or text; only the time for which it is shown is kept."""
    has_alpha = image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info
    plain = image.convert("RGBA" if has_alpha and kind != "JPEG" else "RGB")
    bare = Image.new(plain.mode, plain.size)
    bare.paste(plain)
    bare.info = {"duration": duration}
    return bare
