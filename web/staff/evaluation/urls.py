"""The addresses of suites, agents, episodes and background work, below `/staff/`."""

from django.urls import path

from web.staff.evaluation import (
    agent_list,
    agents,
    background,
    episode_list,
    episodes,
    job_list,
    suite_candidates,
    suite_failures,
    suite_figures,
    suite_list,
    suite_pairs,
    suite_plan,
    suite_wall,
    suites,
)
from web.staff.evaluation.report import pages as report_pages

urlpatterns = [
    path("suites/", suite_list.suite_list, name="staff-suites"),
    path("suites/<name:slug>/", suites.suite, name="staff-suite"),
    path("suites/<name:slug>/ranking.csv", suites.ranking_csv, name="staff-ranking-csv"),
    path("suites/<name:slug>/wall/", suite_wall.wall, name="staff-suite-wall"),
    path("suites/<name:slug>/figures/", suite_figures.figures, name="staff-suite-figures"),
    path("suites/<name:slug>/compare/", suite_figures.comparison, name="staff-suite-compare"),
    path("suites/<name:slug>/pairs/", suite_pairs.pairs, name="staff-suite-pairs"),
    path("suites/<name:slug>/runs/", suite_figures.runs, name="staff-suite-runs"),
    path("suites/<name:slug>/plan/", suite_plan.plan, name="staff-suite-plan"),
    path("suites/<name:slug>/candidates/", suite_candidates.candidates, name="staff-suite-candidates"),
    path(
        "suites/<name:slug>/candidates/<int:pk>/refuse/",
        suite_candidates.refuse_candidate,
        name="staff-candidate-refuse",
    ),
    path("suites/<name:slug>/failures/", suite_failures.failures, name="staff-suite-failures"),
    path("suites/<name:slug>/failures/<int:pk>/", suite_failures.sample, name="staff-suite-failures-sample"),
    path(
        "suites/<name:slug>/failures/<int:pk>/<int:failure>/code/",
        suite_failures.code_failure,
        name="staff-failure-code",
    ),
    path(
        "suites/<name:slug>/failures/<int:pk>/<int:failure>/decide/",
        suite_failures.decide_failure,
        name="staff-failure-decide",
    ),
    path("suites/<name:slug>/reports/", report_pages.report_list, name="staff-suite-reports"),
    path("suites/<name:slug>/reports/<opaque:public_id>/", report_pages.report, name="staff-suite-report"),
    path(
        "suites/<name:slug>/reports/<opaque:public_id>/report.pdf",
        report_pages.report_pdf,
        name="staff-suite-report-pdf",
    ),
    path(
        "suites/<name:slug>/reports/<opaque:public_id>/files.zip",
        report_pages.report_files,
        name="staff-suite-report-files",
    ),
    path("agents/", agent_list.agent_list, name="staff-agents"),
    path("agents/<name:slug>/", agents.agent, name="staff-agent"),
    path("episodes/", episode_list.episode_list, name="staff-episodes"),
    path("episodes/<external:external_id>/", episodes.episode, name="staff-episode"),
    path("tasks/<int:pk>/", episodes.task, name="staff-task"),
    path("tasks/<int:pk>/close/", episodes.close_task, name="staff-task-close"),
    path("tasks/<int:pk>/reopen/", episodes.reopen_task, name="staff-task-reopen"),
    path("jobs/", job_list.job_list, name="staff-jobs"),
    path("jobs/<int:pk>/retry/", background.retry, name="staff-job-retry"),
]
