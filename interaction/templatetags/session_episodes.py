"""A session's commands as episodes, on its page."""

from typing import Any

from django import template

from interaction.models import Command, Posting, Session
from interaction.recordings.asking import CONTEXT_S, MOST_CONTEXT_S
from interaction.recordings.posting import poster

register = template.Library()


@register.inclusion_tag("staff/_session_episode.html")
def session_episodes(session: Session, may_post: bool) -> dict[str, Any]:
    """What was posted of it, and a form to post more. 3 queries."""
    postings = {one.number: one for one in Posting.objects.filter(command__session=session).order_by("number")}
    texts = Command.objects.filter(session=session).order_by("seq").values_list("text", flat=True)
    is_open = {number: text for number, text in enumerate(texts, 1) if _may_be_asked(postings.get(number))}
    return {
        "session": session,
        "postings": list(postings.values()),
        "commands": is_open,
        "choices": poster().choices() if may_post and is_open and session.ended_at else [],
        "may_post": may_post,
        "context_s": f"{CONTEXT_S:g}",
        "most_context_s": f"{MOST_CONTEXT_S:g}",
    }


def _may_be_asked(posting: Posting | None) -> bool:
    return posting is None or posting.status == Posting.Status.FAILED
