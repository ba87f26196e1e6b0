"""All addresses: the API, the pages of staff and workers, the admin, health checks and metrics."""

from django.urls import include, path

from web.http import health
from web.staff.admin_policy import admin_urls

urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("metrics", health.metrics),
    path("api/v1/", include("web.api.urls")),
    path("admin/", admin_urls()),
    path("", include("web.staff.urls")),
    path("", include("web.work.urls")),
]

handler400 = "web.http.problems.bad_request"
handler403 = "web.http.problems.permission_denied"
handler404 = "web.http.problems.page_not_found"
handler500 = "web.http.problems.server_error"
