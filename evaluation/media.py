"""Videos, posters and filmstrips, by signed address."""

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from common.errors import NotFound
from common.ranges import serve_file
from evaluation.clips import film_behind, stored_file


@require_safe
def clip(request: HttpRequest, signed: str, name: str) -> HttpResponseBase:
    """A file of the film behind the address, with byte ranges; 404 where the signature is wrong or old."""
    try:
        stored, content_type, etag = stored_file(film_behind(signed), name)
    except NotFound as error:
        raise Http404 from error
    return serve_file(request, default_storage, stored, content_type=content_type, etag=etag)
