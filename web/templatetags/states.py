"""Filters that give states the CSS class of their badge."""

from collections.abc import Mapping

from django import template

register = template.Library()
_STATUS: Mapping[str, str] = {
    **dict.fromkeys(("live", "ready", "done", "active"), " badge-good"),
    **dict.fromkeys(("failed", "blocked"), " badge-bad"),
    **dict.fromkeys(("paused", "unjudgeable", "preparing"), " badge-warn"),
    **dict.fromkeys(("open", "running", "waiting"), " badge-accent"),
}
_SESSION: Mapping[str, str] = {
    "running": " badge-accent",
    **dict.fromkeys(("waiting", "expired", "left"), " badge-warn"),
    "finished": " badge-good",
    "agent_lost": " badge-bad",
}


@register.filter
def status_class(status: str) -> str:
    """The class of a project's, task's, episode's, job's or worker's status, after a space; "" for a plain badge."""
    return _STATUS.get(status, "")


@register.filter
def session_state_class(state: str) -> str:
    """The class of a session's state, after a space; "" for a plain badge."""
    return _SESSION.get(state, "")
