"""Endpoints of the API: their base class, and the check of who calls one before it runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.views import APIView

from web.http.query_parameters import NoQuery, read_query


class Endpoint(APIView):
    """An endpoint that takes the query parameters which its handler declares with `asks`, and refuses all others.

    Attributes:
        query: The validated query parameters of the request.
        commits_with_answer: Whether a POST with an `Idempotency-Key` runs in one transaction with the keeping of its
            answer. False where the work takes long, since SQLite has one writer, or writes nothing; a repeated POST
            must then be harmless by itself.
    """

    query: dict[str, Any]
    commits_with_answer: ClassVar[bool] = True

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        handler = getattr(self, str(request.method).lower(), None)
        if handler is not None:
            self.query = read_query(getattr(handler, "query", NoQuery), request.query_params)


def admitted_endpoint(
    view: Callable[..., Any], request: HttpRequest, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> APIView:
    """The endpoint of the view function, which accepts the request's credential.

    Raises:
        CrosswalkError, APIException, Http404: as the endpoint itself would.
    """
    endpoint: APIView = view.cls(**view.initkwargs)  # type: ignore[attr-defined]
    endpoint.setup(request, *args, **kwargs)
    endpoint.request = endpoint.initialize_request(request, *args, **kwargs)
    endpoint.perform_authentication(endpoint.request)
    endpoint.check_permissions(endpoint.request)
    return endpoint
