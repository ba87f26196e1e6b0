"""Every address. Behaviour is in the apps; here it is only named."""

from django.urls import include, path

from common import health
from config import api

urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("metrics", health.metrics),
    path("api/v1/", include(api)),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]
