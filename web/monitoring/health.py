"""`/healthz` and `/readyz`, for programs that watch the server."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from jobs import health
from lib.briefly_kept import BrieflyKept

KEEP_S, PATIENCE_S = 5.0, 20.0
_missing = BrieflyKept(health.missing, keep_s=KEEP_S, patience_s=PATIENCE_S)


def alive(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process answers at all."""
    return HttpResponse("alive\n", content_type="text/plain")


def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if everything that the server needs is there, else 503 with the names of what is missing.

    The checks run at most once in `KEEP_S`, in one thread, however many ask; `answer` is missing where they hang.
    """
    missing = _missing.get()
    if missing is None:
        missing = ["answer"]
    return JsonResponse({"missing": missing}, status=503 if missing else 200)
