"""The staff pages of live sessions."""

from django.urls import path

from interaction.staff import efficiency, episodes, funnel, health, replay, session_list

urlpatterns = [
    path("staff/sessions/", session_list.session_list, name="staff-sessions"),
    path("staff/sessions/<opaque:public_id>/", replay.session, name="staff-session"),
    path("staff/sessions/<opaque:public_id>/events.json", replay.events_json, name="staff-session-events"),
    path("staff/sessions/<opaque:public_id>/log.jsonl", replay.log_lines, name="staff-session-log"),
    path("staff/sessions/<opaque:public_id>/end/", replay.end, name="staff-session-end"),
    path("staff/sessions/<opaque:public_id>/episodes/", episodes.post_command, name="staff-session-episodes"),
    path("staff/funnel/", funnel.funnel_page, name="staff-funnel"),
    path("staff/efficiency/", efficiency.efficiency_page, name="staff-efficiency"),
    path("staff/agents/<name:slug>/health/", health.health, name="staff-agent-health"),
]
