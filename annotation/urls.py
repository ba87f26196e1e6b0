"""The worker's pages."""

from django.urls import path

from annotation import doors

urlpatterns = [
    path("enter/<name:slug>", doors.enter, name="enter"),
    path("work/<name:slug>/", doors.work, name="work"),
    path("work/<name:slug>/consent/", doors.consent, name="consent"),
]
