"""The addresses of archiving and of histories, below `/staff/`."""

from typing import Any

from django.urls import path

from web.staff.editing import archive, history

PROJECT, SUITE, EPISODE, QUALIFICATION, AGENT, ROUTE = (
    {"kind": kind} for kind in ("project", "suite", "episode", "qualification", "agent", "route")
)


urlpatterns: list[Any] = [
    path("archived/", archive.archived, name="staff-archived"),
    path("projects/<name:name>/archive/", archive.archive, PROJECT, name="staff-project-archive"),
    path("projects/<name:name>/restore/", archive.restore, PROJECT, name="staff-project-restore"),
    path("projects/<name:name>/history/", history.history, PROJECT, name="staff-project-history"),
    path("projects/<name:name>/history/<int:pk>/", history.change, PROJECT, name="staff-project-change"),
    path("suites/<name:name>/archive/", archive.archive, SUITE, name="staff-suite-archive"),
    path("suites/<name:name>/restore/", archive.restore, SUITE, name="staff-suite-restore"),
    path("suites/<name:name>/history/", history.history, SUITE, name="staff-suite-history"),
    path("suites/<name:name>/history/<int:pk>/", history.change, SUITE, name="staff-suite-change"),
    path("episodes/<external:name>/archive/", archive.archive, EPISODE, name="staff-episode-archive"),
    path("episodes/<external:name>/restore/", archive.restore, EPISODE, name="staff-episode-restore"),
    path("qualifications/<name:name>/history/", history.history, QUALIFICATION, name="staff-qualification-history"),
    path(
        "qualifications/<name:name>/history/<int:pk>/", history.change, QUALIFICATION, name="staff-qualification-change"
    ),
    path("agents/<name:name>/history/", history.history, AGENT, name="staff-agent-history"),
    path("agents/<name:name>/history/<int:pk>/", history.change, AGENT, name="staff-agent-change"),
    path("routes/<name:name>/history/", history.history, ROUTE, name="staff-route-history"),
    path("routes/<name:name>/history/<int:pk>/", history.change, ROUTE, name="staff-route-change"),
]
