"""The worker's pages, and the staff's of projects and workers."""

from django.urls import path

from annotation.doors import entry
from annotation.staff import projects, workers

urlpatterns = [
    path("enter/<name:slug>", entry.enter, name="enter"),
    path("work/<name:slug>/", entry.work, name="work"),
    path("work/<name:slug>/consent/", entry.consent, name="work-consent"),
    path("staff/projects/", projects.project_list, name="staff-projects"),
    path("staff/projects/<name:slug>/", projects.project, name="staff-project"),
    path("staff/projects/<name:slug>/status/", projects.change_status, name="staff-project-status"),
    path("staff/projects/<name:slug>/links/", projects.make_worker_link, name="staff-project-link"),
    path("staff/workers/", workers.worker_list, name="staff-workers"),
    path("staff/workers/<int:pk>/", workers.worker, name="staff-worker"),
    path("staff/workers/<int:pk>/block/", workers.block, name="staff-worker-block"),
    path("staff/workers/<int:pk>/unblock/", workers.unblock, name="staff-worker-unblock"),
]
