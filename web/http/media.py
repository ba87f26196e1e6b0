"""Videos, posters and filmstrips, served at signed addresses."""

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from evaluation.video_addresses import film_of_address, stored_file
from lib.faults import NotFound
from web.http.byte_ranges import serve_file


@require_safe
def clip(request: HttpRequest, signed: str, name: str) -> HttpResponseBase:
    """A file of the film that the signed address names, with byte ranges. 404 if the signature is wrong or too old."""
    try:
        stored, content_type, etag = stored_file(film_of_address(signed), name)
    except NotFound as error:
        raise Http404 from error
    return serve_file(request, default_storage, stored, content_type=content_type, etag=etag)
