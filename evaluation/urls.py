"""The addresses of videos, and the staff pages that show episodes, suites and agents."""

from django.urls import path

from evaluation import media
from evaluation.staff import agents, background, episodes, overview, suites

urlpatterns = [
    path("clips/<str:signed>/<str:name>", media.clip, name="clip"),
    path("staff/", overview.overview, name="staff-overview"),
    path("staff/suites/", suites.suite_list, name="staff-suites"),
    path("staff/suites/<name:slug>/", suites.suite, name="staff-suite"),
    path("staff/suites/<name:slug>/ranking.csv", suites.ranking_csv, name="staff-ranking-csv"),
    path("staff/agents/", agents.agent_list, name="staff-agents"),
    path("staff/agents/<name:slug>/", agents.agent, name="staff-agent"),
    path("staff/episodes/", episodes.episode_list, name="staff-episodes"),
    path("staff/episodes/<external:external_id>/", episodes.episode, name="staff-episode"),
    path("staff/tasks/<int:pk>/", episodes.task, name="staff-task"),
    path("staff/tasks/<int:pk>/close/", episodes.close_task, name="staff-task-close"),
    path("staff/tasks/<int:pk>/reopen/", episodes.reopen_task, name="staff-task-reopen"),
    path("staff/jobs/", background.job_list, name="staff-jobs"),
    path("staff/jobs/<int:pk>/retry/", background.retry, name="staff-job-retry"),
]
