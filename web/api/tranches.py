"""`/tranches/`: batches of data that models learn from, and their items as files."""

from typing import Any, cast

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import BIGGEST, IntegerField, MomentField, NoBody, SlugField, StrictSerializer, read
from learning.data import tranches
from learning.data.exports import COLUMNS, item_lines, item_rows
from learning.data.kinds import kind_of
from learning.data.tranches import MOST_AT_ONCE, TrancheBody, tranche_named
from learning.models import Tranche
from lib.extras import check_installed
from lib.files.parquet import CONTENT_TYPE, EXTRA, pieces
from lib.splits import SPLITS, Split
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.replaceable import Replaceable, replaceable

ROWS_A_GROUP = 500
SPLIT = OpenApiParameter("split", str, OpenApiParameter.PATH, enum=list(SPLITS))


class TrancheContent(StrictSerializer):
    """A tranche collects what becomes known in its project, from `opens_at` on.

    It is closed by hand, at `closes_at`, or with `close_after` items, whichever comes first.
    """

    project = SlugField()
    opens_at = MomentField(required=False, allow_null=True, default=None)
    closes_at = MomentField(required=False, allow_null=True, default=None)
    close_after = IntegerField(min_value=1, max_value=BIGGEST, required=False, allow_null=True, default=None)


class TrancheAnswer(StrictSerializer):
    module = SlugField()
    n = serializers.IntegerField()
    status = serializers.ChoiceField(choices=Tranche.Status.choices)
    project = SlugField(allow_null=True)
    opens_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)
    close_after = serializers.IntegerField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    train = serializers.IntegerField()
    valid = serializers.IntegerField()
    test = serializers.IntegerField()
    sha256 = serializers.CharField(allow_null=True)


class FirstItemsBody(StrictSerializer):
    """Of nlu `{text, form}`; of vision `{scene, phrase, voxels}`, the scene whole or by its digest."""

    items = serializers.ListField(child=serializers.DictField(), max_length=MOST_AT_ONCE)


class FirstItemsAnswer(StrictSerializer):
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class ItemLine(StrictSerializer):
    """An item with its truth: text and form of nlu; scene, phrase and voxels of vision."""

    item = serializers.CharField()
    text = serializers.CharField(required=False)
    form = serializers.DictField(required=False)
    scene = serializers.CharField(required=False)
    phrase = serializers.CharField(required=False)
    voxels = serializers.ListField(required=False)
    origin = serializers.CharField()


def show_tranche(tranche: Tranche) -> dict[str, Any]:
    return {
        "module": tranche.module,
        "n": tranche.number,
        "status": tranche.status,
        "project": tranche.project.slug if tranche.project else None,
        "opens_at": tranche.opens_at,
        "closes_at": tranche.closes_at,
        "close_after": tranche.close_after,
        "closed_at": tranche.closed_at,
        **tranches.counts_of(tranche),
        "sha256": tranche.sha256 or None,
    }


class Tranches(Endpoint):
    """All tranches, by module and number. The counts of an open one are those of now."""

    @extend_schema(operation_id="list_tranches", responses=TrancheAnswer(many=True))
    def get(self, request: Request) -> Response:
        rows = Tranche.objects.select_related("project").order_by("module", "number")
        return Response([show_tranche(one) for one in rows])


@replaceable("tranche", TrancheContent, TrancheAnswer)
class OneTranche(Replaceable):
    """One tranche by its module and number. A closed one does not change."""

    def rows(self, **names: Any) -> QuerySet[Tranche]:
        return Tranche.objects.filter(module=names["module"], number=names["n"])

    def shown(self, **names: Any) -> dict[str, Any]:
        return show_tranche(tranche_named(names["module"], names["n"]))

    def replace(self, data: Any, **names: Any) -> bool:
        kind_of(names["module"])
        body = cast(TrancheBody, read(TrancheContent, data))
        by, at = actor_of(self.request), timezone.now()
        return tranches.put_tranche(module=names["module"], number=names["n"], body=body, by=by, at=at)[1]


class FirstItems(Endpoint):
    """Put items with their truths into tranche 0."""

    commits_with_answer = False

    @extend_schema(operation_id="fill_tranche", request=FirstItemsBody, responses=FirstItemsAnswer)
    def post(self, request: Request, module: str) -> Response:
        kind_of(module)
        items = read(FirstItemsBody, request.data)["items"]
        filled = tranches.fill(module=module, items=items, by=actor_of(request), at=timezone.now())
        return Response(filled._asdict())


class CloseTranche(Endpoint):
    """Close a tranche: from now on it stays as it is, and models may learn from it."""

    commits_with_answer = False

    @extend_schema(operation_id="close_tranche", request=NoBody, responses=TrancheAnswer)
    def post(self, request: Request, module: str, n: int) -> Response:
        tranche = tranche_named(module, n)
        read(NoBody, request.data)
        closed = tranches.close_tranche(tranche=tranche, by=actor_of(request), at=timezone.now())
        return Response(show_tranche(closed))


class TrancheLines(Endpoint):
    """The items of one split of a tranche, one JSON object a line."""

    @extend_schema(operation_id="export_tranche", responses={(200, LINES): ItemLine}, parameters=[SPLIT])
    def get(self, request: Request, module: str, n: int, split: Split) -> HttpResponseBase:
        tranche = tranche_named(module, n)
        return exported(
            request._request,
            item_lines(item_rows(tranche, split)),
            what="tranche",
            by=actor_of(request),
            project=tranche.project.slug if tranche.project else "",
            content_type=LINES,
        )


class TrancheParquet(Endpoint):
    """The items of one split of a tranche as Parquet; forms are JSON in a column of text."""

    @extend_schema(
        operation_id="export_tranche_parquet", responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, parameters=[SPLIT]
    )
    def get(self, request: Request, module: str, n: int, split: Split) -> HttpResponseBase:
        check_installed(EXTRA)
        tranche = tranche_named(module, n)
        return exported(
            request._request,
            pieces(item_rows(tranche, split), COLUMNS[module], rows_a_group=ROWS_A_GROUP),
            what="tranche",
            by=actor_of(request),
            project=tranche.project.slug if tranche.project else "",
            content_type=CONTENT_TYPE,
            filename=f"{module}-{n}-{split}.parquet",
        )
