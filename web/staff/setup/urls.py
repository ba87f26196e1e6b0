"""The addresses of the pages that make and edit things, below `/staff/`."""

from django.urls import path

from web.staff.setup import checklist, new_project, project_form, trial
from web.staff.setup.material import step, video_uploads
from web.staff.setup.records import agents, candidates, copies, qualifications, suite_files, suites

urlpatterns = [
    path("new-project/", new_project.new_project, name="staff-project-new"),
    path("projects/<name:slug>/settings/", project_form.settings_page, name="staff-project-settings"),
    path("projects/<name:slug>/setup/material/", step.material, name="staff-setup-material"),
    path("projects/<name:slug>/setup/videos/begin/", video_uploads.begin_upload, name="staff-setup-upload"),
    path("projects/<name:slug>/setup/videos/", video_uploads.post_video, name="staff-setup-video"),
    path("projects/<name:slug>/setup/try/", trial.trial, name="staff-setup-try"),
    path("projects/<name:slug>/setup/try/<int:pk>/", trial.trial_task, name="staff-setup-try-task"),
    path("projects/<name:slug>/setup/try/practice/", trial.trial_practice, name="staff-setup-try-practice"),
    path("projects/<name:slug>/setup/try/parse/next/", trial.next_step, name="staff-setup-try-step"),
    path("projects/<name:slug>/setup/check/", checklist.checklist, name="staff-setup-check"),
    path("projects/<name:slug>/duplicate/", copies.duplicate_project, name="staff-project-duplicate"),
    path("new-suite/", suites.new_suite, name="staff-suite-new"),
    path("suite-from-file/", suite_files.suite_from_file, name="staff-suite-from-file"),
    path("suites/<name:slug>/file.zip", suite_files.suite_zip, name="staff-suite-file"),
    path("suites/<name:slug>/edit/", suites.edit_suite, name="staff-suite-edit"),
    path("suites/<name:slug>/duplicate/", suites.duplicate_suite, name="staff-suite-duplicate"),
    path("suites/<name:slug>/freeze/", suites.freeze_suite, name="staff-suite-freeze"),
    path("suites/<name:slug>/candidates/<int:pk>/", candidates.take_candidate, name="staff-candidate"),
    path("suites/<name:slug>/new-scenario/", suites.new_scenario, name="staff-scenario-new"),
    path("suites/<name:slug>/scenarios/<external:key>/", suites.edit_scenario, name="staff-scenario-edit"),
    path("new-agent/", agents.new_agent, name="staff-agent-new"),
    path("agents/<name:slug>/edit/", agents.edit_agent, name="staff-agent-edit"),
    path("new-qualification/", qualifications.new_qualification, name="staff-qualification-new"),
    path("qualifications/<name:slug>/edit/", qualifications.edit_qualification, name="staff-qualification-edit"),
    path("qualifications/<name:slug>/duplicate/", copies.duplicate_qualification, name="staff-qualification-duplicate"),
    path("routes/<name:slug>/duplicate/", copies.duplicate_route, name="staff-route-duplicate"),
    path("projects/<name:slug>/setup/<name:step>/", project_form.section, name="staff-setup-section"),
]
