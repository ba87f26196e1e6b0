"""All addresses: the API, the pages of staff and workers, the admin, health checks and metrics."""

from django.conf import settings
from django.urls import include, path

from web.monitoring import health, metrics, policy_reports
from web.staff.admin_policy import admin_urls

urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("metrics", metrics.metrics),
    path(settings.POLICY_REPORTS_PATH.removeprefix("/"), policy_reports.receive),
    path("api/v1/", include("web.api.urls")),
    path("admin/", admin_urls()),
    path("", include("web.staff.urls")),
    path("", include("web.work.urls")),
]

handler400 = "web.http.problems.bad_request"
handler403 = "web.http.problems.permission_denied"
handler404 = "web.http.problems.page_not_found"
handler500 = "web.http.problems.server_error"
