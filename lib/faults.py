"""The tree of errors that the code raises on purpose, each with a code for programs and a sentence for people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Fault:
    """One fault of the input: its place (JSON Pointer, RFC 6901) and a sentence."""

    pointer: str
    detail: str


def moved(faults: Iterable[Fault], pointer: str) -> list[Fault]:
    """The faults of a part, with pointers into the whole value that has the part at `pointer`."""
    return [Fault(pointer + fault.pointer.removeprefix("#"), fault.detail) for fault in faults]


class CrosswalkError(Exception):
    """An error that is raised on purpose, with an HTTP status, a code for programs and a sentence for people."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "error"
    title: ClassVar[str] = "Something went wrong"
    sentence: ClassVar[str] = "Something went wrong."

    def __init__(self, sentence: str = "", *, faults: Sequence[Fault] = (), **facts: object) -> None:
        self.faults = tuple(faults)
        self.facts = facts
        self.detail = (sentence or self.sentence).format(**facts) if facts else sentence or self.sentence
        super().__init__(self.detail)

    @property
    def reason(self) -> str:
        """The sentence of the first fault, which says more than the detail; the detail where there is no fault.

        >>> Invalid.at("#/a", "Write a number.").reason, Invalid("Too late.").reason
        ('Write a number.', 'Too late.')
        """
        return self.faults[0].detail if self.faults else self.detail

    @property
    def reasons(self) -> str:
        """The sentences of all faults; the detail where there is no fault."""
        return " ".join(fault.detail for fault in self.faults) or self.detail


class Malformed(CrosswalkError):
    """The request cannot be read at all."""

    status, code, title = 400, "malformed", "The request cannot be read"
    sentence = "The body is not what its content type says."


class Unauthorized(CrosswalkError):
    """No credential, or one of the wrong kind."""

    status, code, title = 401, "unauthorized", "A credential is needed"
    sentence = "Send a valid credential in the Authorization header."


class Forbidden(CrosswalkError):
    """The credential is valid, but does not allow this."""

    status, code, title = 403, "forbidden", "Not allowed"
    sentence = "This credential does not allow this."


class NotFound(CrosswalkError):
    """The thing does not exist or belongs to somebody else; the answer is the same for both."""

    status, code, title = 404, "not_found", "Not found"
    sentence = "There is nothing here for you."


class Conflict(CrosswalkError):
    """The request contradicts the stored state."""

    status, code, title = 409, "conflict", "Conflict"
    sentence = "This does not agree with what is already there."


class PreconditionFailed(CrosswalkError):
    """The request was written for another content than the present one."""

    status, code, title = 412, "precondition_failed", "Changed meanwhile"
    sentence = "This was changed meanwhile: it is not what `If-Match` names. Read it again, then change it."


class RequestTimeout(CrosswalkError):
    """The request arrives too slowly."""

    status, code, title = 408, "timeout", "The request came too slowly"
    sentence = "The request came too slowly."


class TooLarge(CrosswalkError):
    """The request has more bytes than the settings allow."""

    status, code, title = 413, "too_large", "Too large"
    sentence = "This is larger than allowed."


class TooManyRequests(CrosswalkError):
    """The client sends more than its limit.

    Attributes:
        wait: After how many whole seconds the client may send again, for `Retry-After`.
    """

    status, code, title = 429, "too_many_requests", "Too many requests"
    sentence = "Too many requests. Wait for {wait} seconds."

    def __init__(self, sentence: str = "", *, wait: int) -> None:
        super().__init__(sentence, wait=wait)
        self.wait = wait


class Invalid(CrosswalkError):
    """The request can be read, but its content is not valid."""

    status, code, title = 422, "invalid", "Invalid input"
    sentence = "Some of the input is not valid; see `errors`."

    @classmethod
    def at(cls, pointer: str, detail: str) -> "Invalid":
        """The error with one fault at one place."""
        return cls(faults=[Fault(pointer, detail)])

    def below(self, pointer: str) -> "Invalid":
        """The same error for the larger value that has this one at `pointer`."""
        return type(self)(faults=moved(self.faults, pointer))


class Reads(Protocol[T_co]):
    """A function that reads one value; pointers to its faults begin with `pointer`."""

    def __call__(self, value: Any, *, pointer: str) -> T_co: ...


def read_each(values: Iterable[Any], read: Reads[T_co], *, pointer: str, most: int) -> list[T_co]:
    """Read each of the values; their pointers are `pointer`/0, /1 and so on.

    Raises:
        Invalid: with the faults of all values, at most `most` of them.
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


class ServerFault(CrosswalkError):
    """The server's own machine does not allow it now; the same request may succeed later, unchanged."""

    status, code, title = 503, "unavailable", "Unavailable"
    sentence = "The server cannot do this at the moment. Please send the same again later."


class FilesUnavailable(ServerFault):
    """A stored file, or the folder of all of them, cannot be found, read or written."""

    code, title = "files_unavailable", "Files unavailable"
    sentence = "The server cannot reach its files at the moment. Nothing was saved; please send the same again later."


class DiskFull(ServerFault):
    """The disk of the server has no room for what a request would write."""

    status, code, title = 507, "disk_full", "The disk is full"
    sentence = "The server's disk is full, so nothing was saved. Please send the same again when there is room."


class ExtraMissing(CrosswalkError):
    """The server was installed without an extra that this call needs.

    Attributes:
        extra: Its name.
    """

    status, code, title = 501, "extra_missing", "Not installed"
    sentence = "This server lacks the extra {extra!r}. Install it: {command}"

    def __init__(self, sentence: str = "", *, extra: str, command: str) -> None:
        super().__init__(sentence, extra=extra, command=command)
        self.extra = extra


class UnknownField(Invalid):
    """The input has a field that the contract does not know; most often it is misspelt."""

    code, title = "unknown_field", "Unknown field"
    sentence = "The input has a field that is not known here; see `errors`."
