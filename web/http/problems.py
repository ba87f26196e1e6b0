"""Every error as RFC 9457 problem+json, and the error pages of addresses outside the API."""

import sys
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response

from common.serializers import invalid_from
from common.server_faults import is_database_away, is_full
from lib.faults import (
    Conflict,
    CrosswalkError,
    DiskFull,
    Fault,
    Forbidden,
    Invalid,
    Malformed,
    NotFound,
    ServerFault,
    TooLarge,
    TooManyRequests,
    Unauthorized,
)

_PLAIN: dict[int, tuple[str, str]] = {
    400: (Malformed.code, Malformed.title),
    401: (Unauthorized.code, Unauthorized.title),
    403: (Forbidden.code, Forbidden.title),
    404: (NotFound.code, NotFound.title),
    405: ("method_not_allowed", "Method not allowed"),
    406: ("not_acceptable", "Not acceptable"),
    409: (Conflict.code, Conflict.title),
    413: (TooLarge.code, TooLarge.title),
    415: ("unsupported_media_type", "Unsupported media type"),
    422: (Invalid.code, Invalid.title),
    429: (TooManyRequests.code, TooManyRequests.title),
    500: ("server_error", "Server error"),
    503: (ServerFault.code, ServerFault.title),
}

RETRY_AFTER_S = {503: "1", 507: "60"}


def problem(status: int, *, code: str, title: str, detail: str, faults: Sequence[Fault] = ()) -> dict[str, Any]:
    """The members of an RFC 9457 problem, with our code and pointers."""
    return {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [{"pointer": fault.pointer, "detail": fault.detail} for fault in faults],
    }


def problem_of(error: Exception) -> dict[str, Any] | None:
    """The error as a problem; None for an error that nobody foresaw."""
    match error:
        case CrosswalkError():
            return problem(error.status, code=error.code, title=error.title, detail=error.detail, faults=error.faults)
        case exceptions.ValidationError():
            return problem_of(invalid_from(error))
        case exceptions.ParseError():
            return _plain(400, str(error.detail))
        case exceptions.APIException():
            return _plain(error.status_code, str(error.detail))
        case RequestDataTooBig():
            return _plain(413, TooLarge.sentence)
        case SuspiciousOperation() | MultiPartParserError():
            return _plain(400, Malformed.sentence)
        case Http404():
            return _plain(404, NotFound.sentence)
        case PermissionDenied():
            return _plain(403, Forbidden.sentence)
        case OperationalError() if "locked" in str(error):
            return _plain(503, "The server is busy. Please send the same again in a moment.")
        case _ if is_database_away(error):
            return _plain(503, "The server cannot reach its database. Please send the same again in a moment.")
        case _ if is_full(error):
            return problem_of(DiskFull())
    return None


def _plain(status: int, detail: str) -> dict[str, Any]:
    code, title = _PLAIN.get(status, _PLAIN[500])
    return problem(status, code=code, title=title, detail=detail)


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """The exception handler of DRF: every error of the API becomes problem+json here."""
    body = problem_of(error)
    if body is None:
        return None
    response = Response(body, status=body["status"], content_type="application/problem+json")
    for name in ("auth_header", "wait"):
        value = getattr(error, name, None)
        if value:
            response["WWW-Authenticate" if name == "auth_header" else "Retry-After"] = str(value)
    if body["status"] == 401 and "WWW-Authenticate" not in response:
        response["WWW-Authenticate"] = context["view"].get_authenticate_header(context["request"])
    if body["status"] in RETRY_AFTER_S:
        response["Retry-After"] = RETRY_AFTER_S[body["status"]]
    return response


def plain_problem(status: int) -> dict[str, Any]:
    """The problem for a status, where only the status is known."""
    details = {400: Malformed.sentence, 403: Forbidden.sentence, 404: NotFound.sentence, 500: CrosswalkError.sentence}
    return _plain(status, details[status])


def problem_page(request: HttpRequest, body: dict[str, Any]) -> HttpResponse:
    """The problem as a response outside DRF, for middleware and plain views."""
    return JsonResponse(body, status=body["status"], content_type="application/problem+json")


def refused(request: HttpRequest, error: CrosswalkError) -> HttpResponse:
    """The refusal as a response outside DRF, with `Retry-After` where it says how long to wait."""
    response = problem_page(request, problem_of(error) or {})
    if wait := getattr(error, "wait", None):
        response["Retry-After"] = str(wait)
    return response


def too_many(request: HttpRequest, refusal: TooManyRequests) -> HttpResponse:
    """A 429 with `Retry-After`: problem+json for the API, else a line of plain text, which costs the server little."""
    if is_api(request):
        return refused(request, refusal)
    page = HttpResponse(f"{refusal.detail}\n", status=refusal.status, content_type="text/plain")
    page["Retry-After"] = str(refusal.wait)
    return page


def is_api(request: HttpRequest) -> bool:
    """Whether the request is for the API, where errors are problem+json. All other errors are HTML pages."""
    return request.path.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_page(request, problem_of(exception) or plain_problem(400))
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_page(request, plain_problem(403))
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_page(request, plain_problem(404))
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to an error that left a view or a middleware, where Django calls this with the error in flight."""
    error = sys.exception()
    body = problem_of(error) if isinstance(error, Exception) else None
    if body is not None and body["status"] in RETRY_AFTER_S:
        return unavailable(request, body)
    if is_api(request):
        return problem_page(request, plain_problem(500))
    return defaults.server_error(request)


def unavailable(request: HttpRequest, body: dict[str, Any]) -> HttpResponse:
    """A 503 or 507 that asks to try again later: problem+json for the API, a page for people."""
    if is_api(request):
        response = problem_page(request, body)
    else:
        response = render(request, "unavailable.html", {"problem": body}, status=body["status"])
    response["Retry-After"] = RETRY_AFTER_S[body["status"]]
    return response


@csrf_exempt
def no_such_address(request: HttpRequest) -> HttpResponse:
    """The answer at every address below `/api/` that has no endpoint."""
    return problem_page(request, plain_problem(404))
