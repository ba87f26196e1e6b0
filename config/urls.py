"""Every address. Behaviour is in the apps; here it is only named."""

from django.urls import include, path

from common import health
from config import api
from config.admin_policy import admin_urls

urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("metrics", health.metrics),
    path("api/v1/", include(api)),
    path("admin/", admin_urls()),
    path("staff/", include("config.sign_in.urls")),
    path("", include("annotation.urls")),
    path("", include("routing.urls")),
    path("", include("evaluation.urls")),
    path("", include("interaction.urls")),
]

handler400 = "common.refusals.bad_request"
handler403 = "common.refusals.permission_denied"
handler404 = "common.refusals.page_not_found"
handler500 = "common.refusals.server_error"
