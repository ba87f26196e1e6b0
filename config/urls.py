"""Every address. Behaviour is in the apps; here it is only named."""

from django.contrib.auth.views import LoginView, LogoutView
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
    path("staff/sign-in/", LoginView.as_view(template_name="staff/sign_in.html"), name="staff-sign-in"),
    path("staff/sign-out/", LogoutView.as_view(), name="staff-sign-out"),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]

handler400 = "common.refusals.bad_request"
handler403 = "common.refusals.permission_denied"
handler404 = "common.refusals.page_not_found"
handler500 = "common.refusals.server_error"
