"""Videos, posters and filmstrips, served at signed addresses."""

from datetime import datetime

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from common import rates
from evaluation.video_addresses import film_of_hold, hold_of_address, seconds_left, stored_file
from lib.faults import NotFound, TooManyRequests
from web.http.byte_ranges import serve_file
from web.http.problems import too_many


@require_safe
def clip(request: HttpRequest, signed: str, name: str) -> HttpResponseBase:
    """A file of the film that the signed address names, with byte ranges.

    404 if the signature is wrong or too old, or the hold has ended. 429 if the files of one hold, whatever address of
    it is used, are asked for too often. 307 to the bucket itself, where the settings let browsers read from it; that
    address works no longer than the hold is sure to last.
    """
    now = timezone.now()
    try:
        hold = hold_of_address(signed)
        _count(hold)
        stored, content_type, etag = stored_file(film_of_hold(hold, at=now), name)
    except NotFound as error:
        raise Http404 from error
    except TooManyRequests as refusal:
        return too_many(request, refusal)
    if direct := _direct_address(request, hold, stored, content_type, at=now):
        return direct
    return serve_file(request, default_storage, stored, content_type=content_type, etag=etag)


def _direct_address(
    request: HttpRequest, hold: str, stored: str, content_type: str, *, at: datetime
) -> HttpResponseBase | None:
    """The redirection to the bucket; None where the server sends the file itself, as it does for HEAD."""
    sign = getattr(default_storage, "direct_address", None)
    if not settings.S3_DIRECT_ORIGIN or sign is None or request.method != "GET":
        return None
    response = HttpResponse(status=307)
    response["Location"] = sign(stored, seconds=seconds_left(hold, at=at), content_type=content_type)
    # The next request for the same file is checked anew, and leads to a fresh address.
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _count(hold: str) -> None:
    """Count one request.

    A player sends one for each seek, and a worker who scrubs or steps through frames seeks up to 30 times a second.

    Raises:
        TooManyRequests: there were too many for this hold.
    """
    most = settings.CLIP_REQUESTS_A_MINUTE
    rates.check(rates.a_minute(most), f"clip:{hold}", refusal=f"One video may be asked for {most} times a minute.")
