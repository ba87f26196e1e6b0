"""The episodes that were posted from a session's commands, for the session's page."""

from typing import Any

from django import template

from evaluation.suites import scenario_choices
from interaction.models import LiveCommand, Posting, Session
from interaction.recordings.requests import CONTEXT_S, MOST_CONTEXT_S

register = template.Library()


@register.inclusion_tag("staff/sessions/_session_episode.html")
def session_episodes(session: Session, may_post: bool) -> dict[str, Any]:
    """The posted episodes of a session, and a form to post more. 3 queries."""
    postings = {one.number: one for one in Posting.objects.filter(live__session=session).order_by("number")}
    texts = LiveCommand.objects.filter(session=session).order_by("seq").values_list("command__text", flat=True)
    is_open = {number: text for number, text in enumerate(texts, 1) if _may_be_asked(postings.get(number))}
    return {
        "session": session,
        "postings": list(postings.values()),
        "commands": is_open,
        "choices": scenario_choices() if may_post and is_open and session.ended_at else [],
        "may_post": may_post,
        "context_s": f"{CONTEXT_S:g}",
        "most_context_s": f"{MOST_CONTEXT_S:g}",
    }


def _may_be_asked(posting: Posting | None) -> bool:
    return posting is None or posting.status == Posting.Status.FAILED
