"""`/healthz`, `/readyz` and `/metrics`, for programs that watch the server."""

from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest


def alive(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process answers at all."""
    return HttpResponse("alive\n", content_type="text/plain")


def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database, its migrations and the files are all right, else 503 with the names of the others."""
    missing = [
        name
        for name, check in {"database": _database, "migrations": _migrations, "files": _files}.items()
        if not check()
    ]
    return JsonResponse({"missing": missing}, status=503 if missing else 200)


def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics, in the format of Prometheus."""
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


def _database() -> bool:
    return _answers(connection.ensure_connection)


def _migrations() -> bool:
    def pending() -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise LookupError("migrations wait")

    return _answers(pending)


def _files() -> bool:
    return _answers(lambda: default_storage.exists("readyz"))


def _answers(check: object) -> bool:
    try:
        check()  # type: ignore[operator]
    except Exception:
        return False
    return True
