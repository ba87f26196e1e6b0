"""The errors of the API as exceptions, each with the status, the code and the pointers that the server sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple


class Fault(NamedTuple):
    """One fault of what was sent: its place (JSON Pointer) and a sentence."""

    pointer: str
    detail: str


class CrosswalkError(Exception):
    """A call failed.

    Attributes:
        status: The HTTP status; 0 where no answer came.
        code: The server's code for programs; they are stable.
        detail: A sentence for people.
        errors: What is wrong where.
        request_id: Names the request in the server's log; "" where no answer came.
        retry_after_s: After how many seconds the server may be asked again, where it says so.
    """

    status: int = 0
    default_code: ClassVar[str] = "error"

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str = "",
        errors: tuple[Fault, ...] = (),
        request_id: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        self.detail = detail
        self.status = type(self).status if status is None else status
        self.code = code or self.default_code
        self.errors = errors
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        super().__init__(detail)

    def __str__(self) -> str:
        """The sentence, with each fault and the request's id.

        >>> print(Invalid("Not valid.", code="invalid", errors=(Fault("#/name", "Too long."),), request_id="q1"))
        Not valid. (422 invalid, request q1)
          #/name: Too long.
        """
        facts = " ".join(str(one) for one in (self.status or "", self.code) if one)
        facts += f", request {self.request_id}" if self.request_id else ""
        faults = "".join(f"\n  {fault.pointer}: {fault.detail}" for fault in self.errors)
        return f"{self.detail} ({facts}){faults}"


class NoAddress(CrosswalkError):
    """The address of the server or the key is not known."""

    default_code = "no_address"


class BadAnswer(CrosswalkError):
    """The answer is none of Crosswalk's: most often another server, or a proxy, answers at this address."""

    default_code = "bad_answer"


class Malformed(CrosswalkError):
    status = 400


class Unauthorized(CrosswalkError):
    """The key is missing, unknown, revoked or expired."""

    status = 401


class Forbidden(CrosswalkError):
    """The key lacks the scope."""

    status = 403


class NotFound(CrosswalkError):
    """The thing is not there, or is outside of what the key may see."""

    status = 404


class Conflict(CrosswalkError):
    """Other content is there under this name."""

    status = 409


class PreconditionFailed(CrosswalkError):
    """The thing has changed since it was read (`If-Match`)."""

    status = 412


class TooLarge(CrosswalkError):
    status = 413


class Invalid(CrosswalkError):
    """The request is not valid; `errors` says what is wrong where."""

    status = 422


class UnknownField(Invalid):
    """A field or a query parameter that the server does not know."""

    default_code = "unknown_field"


class TooManyRequests(CrosswalkError):
    status = 429


class ServerError(CrosswalkError):
    """A fault of the server's own; its log has it under `request_id`."""

    status = 500


class NotInstalled(CrosswalkError):
    """The server lacks an optional part that this call needs; `detail` names it."""

    status = 501


class Unavailable(CrosswalkError):
    """The server cannot do this now. The library has repeated the call where that is harmless."""

    status = 503


class Unreachable(Unavailable):
    """No answer came: the line, the address or the server."""

    status = 0
    default_code = "unreachable"


BY_STATUS: Mapping[int, type[CrosswalkError]] = {
    **{kind.status: kind for kind in (Malformed, Unauthorized, Forbidden, NotFound, Conflict, PreconditionFailed)},
    **{kind.status: kind for kind in (TooLarge, Invalid, TooManyRequests, ServerError, NotInstalled, Unavailable)},
    **dict.fromkeys((502, 504, 507), Unavailable),
}


def error_from(status: int, body: bytes, *, request_id: str = "", retry_after_s: float | None = None) -> CrosswalkError:
    """The exception for an answer that refuses.

    >>> error_from(404, b'{"code": "not_found", "detail": "There is nothing here for you.", "errors": []}')
    NotFound('There is nothing here for you.')
    """
    problem = _problem(body)
    if problem is None:
        kind = BY_STATUS.get(status, BadAnswer)
        return kind(f"The server answered {status} without an explanation.", status=status, request_id=request_id)
    code = str(problem["code"])
    kind = UnknownField if code == UnknownField.default_code else BY_STATUS.get(status, CrosswalkError)
    faults = problem.get("errors") or []
    return kind(
        str(problem.get("detail", "")),
        status=status,
        code=code,
        errors=tuple(Fault(str(one.get("pointer", "")), str(one.get("detail", ""))) for one in faults),
        request_id=request_id,
        retry_after_s=retry_after_s,
    )


def _problem(body: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "code" in found else None
