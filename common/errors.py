"""The error tree, and the one handler that turns any error into RFC 9457 problem+json."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response

from common.values import escaped

logger = logging.getLogger(__name__)
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the input: where (JSON Pointer, RFC 6901) and why."""

    pointer: str
    detail: str


class CrosswalkError(Exception):
    """Anything we refuse on purpose: a status, a code for programs and a sentence for people."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "error"
    title: ClassVar[str] = "Something went wrong"
    sentence: ClassVar[str] = "Something went wrong."

    def __init__(self, sentence: str = "", *, faults: Sequence[Fault] = (), **facts: object) -> None:
        self.faults = tuple(faults)
        self.facts = facts
        self.detail = (sentence or self.sentence).format(**facts) if facts else sentence or self.sentence
        super().__init__(self.detail)


class Malformed(CrosswalkError):
    """The request cannot be read at all."""

    status, code, title = 400, "malformed", "The request cannot be read"
    sentence = "The body is not what its content type says."


class Unauthorized(CrosswalkError):
    """No credential, or one of the wrong kind."""

    status, code, title = 401, "unauthorized", "A credential is needed"
    sentence = "Send a valid credential in the Authorization header."


class Forbidden(CrosswalkError):
    """The credential is right, but does not reach this far."""

    status, code, title = 403, "forbidden", "Not allowed"
    sentence = "This credential does not allow this."


class NotFound(CrosswalkError):
    """Not there, or not yours: the two are never told apart."""

    status, code, title = 404, "not_found", "Not found"
    sentence = "There is nothing here for you."


class Conflict(CrosswalkError):
    """The request fights with what is already there."""

    status, code, title = 409, "conflict", "Conflict"
    sentence = "This does not agree with what is already there."


class TooLarge(CrosswalkError):
    """More bytes than the settings allow."""

    status, code, title = 413, "too_large", "Too large"
    sentence = "This is larger than allowed."


class Invalid(CrosswalkError):
    """The request can be read, but says something that cannot be."""

    status, code, title = 422, "invalid", "Invalid input"
    sentence = "Some of the input is not valid; see `errors`."

    @classmethod
    def at(cls, pointer: str, detail: str) -> "Invalid":
        """One fault at one place."""
        return cls(faults=[Fault(pointer, detail)])


class Reads(Protocol[T_co]):
    """Reads one value, with pointers to its faults below `pointer`."""

    def __call__(self, value: Any, *, pointer: str) -> T_co: ...


def read_each(values: Iterable[Any], read: Reads[T_co], *, pointer: str, most: int) -> list[T_co]:
    """Each of the values as it is read; they stand at `pointer`/0, /1 and so on.

    Raises:
        Invalid: with the faults of all of them, `most` at most.
    """
    found: list[T_co] = []
    faults: list[Fault] = []
    for number, value in enumerate(values):
        try:
            found.append(read(value, pointer=f"{pointer}/{number}"))
        except Invalid as error:
            faults += error.faults
        if len(faults) >= most:
            break
    if faults:
        raise Invalid(faults=faults[:most])
    return found


class UnknownField(Invalid):
    """A field that is not part of the contract: most often a slip of the pen."""

    code, title = "unknown_field", "Unknown field"
    sentence = "The input has a field that is not known here; see `errors`."


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
    429: ("too_many_requests", "Too many requests"),
    500: ("server_error", "Server error"),
    503: ("unavailable", "Unavailable"),
}


def problem(status: int, *, code: str, title: str, detail: str, faults: Sequence[Fault] = ()) -> dict[str, Any]:
    """The members of an RFC 9457 problem, ours included."""
    return {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [{"pointer": fault.pointer, "detail": fault.detail} for fault in faults],
    }


def problem_of(error: Exception) -> dict[str, Any] | None:
    """`error` as a problem; None for one that nobody foresaw."""
    match error:
        case CrosswalkError():
            return problem(error.status, code=error.code, title=error.title, detail=error.detail, faults=error.faults)
        case exceptions.ValidationError():
            faults = list(_faults(error.detail))
            known = UnknownField if any(_is_unknown(error.detail)) else Invalid
            return problem(422, code=known.code, title=known.title, detail=known.sentence, faults=faults)
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
    return None


def _plain(status: int, detail: str) -> dict[str, Any]:
    code, title = _PLAIN.get(status, _PLAIN[500])
    return problem(status, code=code, title=title, detail=detail)


def _faults(detail: Any, pointer: str = "#") -> "list[Fault]":
    """DRF's nested details as a flat list of pointers."""
    if isinstance(detail, dict):
        own = {"non_field_errors": pointer}
        return [
            f for key, value in detail.items() for f in _faults(value, own.get(str(key), f"{pointer}/{escaped(key)}"))
        ]
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        return [f for i, value in enumerate(detail) for f in _faults(value, f"{pointer}/{i}")]
    if isinstance(detail, list):
        return [Fault(pointer, str(item)) for item in detail]
    return [Fault(pointer, str(detail))]


def _is_unknown(detail: Any) -> "list[bool]":
    if isinstance(detail, dict):
        return [found for value in detail.values() for found in _is_unknown(value)]
    if isinstance(detail, list):
        return [found for value in detail for found in _is_unknown(value)]
    return [True] if getattr(detail, "code", "") == UnknownField.code else []


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error of the API leaves here as problem+json."""
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
    if body["status"] == 503:
        response["Retry-After"] = "1"
    return response


def plain_problem(status: int) -> dict[str, Any]:
    """The problem of a status where no more is known."""
    details = {400: Malformed.sentence, 403: Forbidden.sentence, 404: NotFound.sentence, 500: CrosswalkError.sentence}
    return _plain(status, details[status])


def problem_page(request: HttpRequest, body: dict[str, Any]) -> HttpResponse:
    """The same problem outside DRF (middleware, plain views)."""
    return JsonResponse(body, status=body["status"], content_type="application/problem+json")


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks (and wants problem+json) and not a person (who wants a page)."""
    return request.path.startswith("/api/")
