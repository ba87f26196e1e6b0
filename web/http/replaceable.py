"""Resources of the API that `PUT` replaces: `GET` with an entity tag, `PUT`, and `PATCH` as a JSON merge patch.

`PATCH` merges the body into the present content and calls the same function as `PUT`, so both have the same rules.

The entity tag is a digest of what `PUT` takes: it changes with the content, and not with the progress of work. `PUT`,
`PATCH` and `DELETE` compare it with `If-Match` in the transaction that writes, with the row locked, so that of two
writers who read the same content only one succeeds.
"""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import StrictSerializer, read
from lib.canonical_json import digest, plain_json
from lib.faults import NotFound, PreconditionFailed
from lib.merge_patch import merged
from web.http.endpoints import Endpoint
from web.http.parsing import JsonParser

MERGE_PATCH = "application/merge-patch+json"
ETAG = OpenApiParameter(
    "ETag", location=OpenApiParameter.HEADER, response=True, description="The tag of the content, for `If-Match`."
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    location=OpenApiParameter.HEADER,
    description="Write only if the content still has this `ETag`; otherwise 412.",
    pattern=r'^(\*|"[^"\s]+"(, ?"[^"\s]+")*)$',
)
_TAG = re.compile(r'(?:W/)?"[^"]*"')
_Field = serializers.Field[Any, Any, Any, Any]
View = TypeVar("View", bound="type[Replaceable]")
Handler = TypeVar("Handler", bound=Callable[..., Any])


class _Archivable(Protocol):
    archived_at: datetime | None


def archived(row: _Archivable) -> dict[str, datetime]:
    """`archived_at` of a row that is archived, as a part of its answer; what is in use has no such field."""
    return {"archived_at": row.archived_at} if row.archived_at is not None else {}


class MergePatchParser(JsonParser):
    media_type = MERGE_PATCH


class Replaceable(Endpoint):
    """One resource with content that `PUT` replaces. Decorate the subclass with `replaceable`.

    Attributes:
        body: What `PUT` takes.
        patch_body: What `PATCH` takes.
    """

    body: ClassVar[type[StrictSerializer]]
    patch_body: ClassVar[type[StrictSerializer]]

    def rows(self, **names: str) -> QuerySet[Any]:
        """The row of the resource, which is locked while it is compared and written; none if it does not exist."""
        raise NotImplementedError

    def shown(self, **names: str) -> dict[str, Any]:
        """The resource as `GET` shows it.

        Raises:
            NotFound: it does not exist.
        """
        raise NotImplementedError

    def replace(self, data: Any, **names: str) -> bool:
        """Create or replace the resource with the content of a `PUT`; returns whether it is new."""
        raise NotImplementedError

    def answer(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Return the resource as `PUT` and `PATCH` answer it."""
        return shown

    def content(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """The part of the resource that `PUT` takes."""
        return {name: shown[name] for name in self.body._declared_fields}

    def tag_of(self, shown: Mapping[str, Any]) -> str:
        """The entity tag of the resource."""
        return f'"{digest(plain_json(self.content(shown)))[:32]}"'

    def get_parsers(self) -> list[BaseParser]:
        parsers: list[BaseParser] = super().get_parsers()
        # While the OpenAPI document is made there is no request yet.
        is_patch = getattr(self.request, "method", None) == "PATCH"
        return [*parsers, MergePatchParser()] if is_patch else parsers

    def get(self, request: Request, **names: str) -> Response:
        shown = self.shown(**names)
        return Response(shown, headers={"ETag": self.tag_of(shown)})

    def put(self, request: Request, **names: str) -> Response:
        with transaction.atomic():
            self.present(**names)
            is_new = self.replace(request.data, **names)
            shown = self.shown(**names)
        created = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(self.answer(shown), status=created, headers={"ETag": self.tag_of(shown)})

    def patch(self, request: Request, **names: str) -> Response:
        with transaction.atomic():
            present = self.present(**names)
            if present is None:
                raise NotFound
            self.replace(self.patched(self.content(present), request.data), **names)
            shown = self.shown(**names)
        return Response(self.answer(shown), headers={"ETag": self.tag_of(shown)})

    def patched(self, content: dict[str, Any], patch: Any) -> dict[str, Any]:
        """The content after a merge patch. A field that null removes has null, if `PUT` takes it, else its default.

        Raises:
            Invalid: it is no patch of this content.
        """
        read(self.patch_body, patch)
        fields = self.body._declared_fields
        removed = [name for name, value in patch.items() if value is None and fields[name].allow_null]
        return {**merged(content, patch), **dict.fromkeys(removed)}

    def present(self, **names: str) -> dict[str, Any] | None:
        """The resource before it is written, its row locked; None if it does not exist, or nobody needs to know.

        Raises:
            PreconditionFailed: the request names the tag of another content in `If-Match`.

        Locks: call it in the transaction that writes.
        """
        wanted = self.request.headers.get("If-Match")
        if wanted is None and self.request.method != "PATCH":
            return None
        exists = self.rows(**names).select_for_update(of=("self",)).first() is not None
        found = self.shown(**names) if exists else None
        if wanted is not None and (found is None or not _names_tag(wanted, self.tag_of(found))):
            raise PreconditionFailed
        return found


def _names_tag(header: str, tag: str) -> bool:
    """Whether `If-Match` names this tag, by the strong comparison of RFC 9110, section 13.1.1."""
    return header.strip() == "*" or tag in _TAG.findall(header)


def replaceable(
    name: str,
    body: type[StrictSerializer],
    answer: type[StrictSerializer],
    *,
    put_answer: type[StrictSerializer] | None = None,
) -> Callable[[View], View]:
    """Declare the body and the answers of a `Replaceable`, also for the OpenAPI document.

    Args:
        name: The operations are `get_NAME`, `put_NAME` and `patch_NAME`.
        put_answer: What `PUT` and `PATCH` answer with, if it is not what `GET` answers with.
    """
    written = put_answer or answer

    def described(view: View) -> View:
        view.body, view.patch_body = body, patch_of(body)
        description = "Change parts of it: a JSON merge patch (RFC 7396), with the rules of PUT for the merged content."
        made: View = extend_schema_view(
            get=extend_schema(operation_id=f"get_{name}", responses=answer, parameters=[ETAG]),
            put=extend_schema(
                operation_id=f"put_{name}",
                request=body,
                responses={200: written, 201: written},
                parameters=[IF_MATCH, ETAG],
            ),
            patch=extend_schema(
                operation_id=f"patch_{name}",
                description=description,
                request={MERGE_PATCH: view.patch_body, "application/json": view.patch_body},
                responses=written,
                parameters=[IF_MATCH, ETAG],
            ),
        )(view)
        return made

    return described


def archives(name: str) -> Callable[[Handler], Handler]:
    """Describe a `delete` that archives a resource."""
    description = "Archive it: it is hidden from lists and offered to nobody, until it is put back with `restore/`."
    return extend_schema(
        operation_id=f"archive_{name}", description=description, parameters=[IF_MATCH], responses={204: None}
    )


@cache
def patch_of(body: type[StrictSerializer]) -> type[StrictSerializer]:
    """The shape of a merge patch of a body: no field has to be there, and null removes one that `PUT` may leave out."""
    name = f"{body.__name__.removesuffix('Serializer')}Patch"
    made: type[StrictSerializer] = type(name, (StrictSerializer,), {})
    made._declared_fields = {key: _field_of_patch(field) for key, field in body().get_fields().items()}
    return made


def _field_of_patch(field: Any) -> _Field:
    options = {key: value for key, value in field._kwargs.items() if key not in ("default", "required")}
    is_nullable = field.allow_null or not field.required
    options |= {"required": False, "allow_null": is_nullable}
    if isinstance(field, StrictSerializer):
        made: _Field = patch_of(type(field))(**options)
    elif isinstance(field, serializers.DictField) and isinstance(field.child, StrictSerializer):
        # A member that is null is removed. How many there must be is a rule for the merged content.
        child = patch_of(type(field.child))(allow_null=True)
        made = type(field)(**{**options, "child": child, "validators": []})
    else:
        if "child" in options:
            options["child"] = deepcopy(options["child"])
        made = type(field)(*field._args, **options)
    return made
