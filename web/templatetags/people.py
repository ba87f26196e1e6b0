"""Tags whose output depends on the account: the navigation, a worker's name, controls that need a role."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Project
from annotation.review.queue import Subject
from web.staff import addresses
from web.staff.navigation import groups_for, tabs_for
from workforce.models import Worker

register = template.Library()


def _account(context: Context) -> Account:
    request: HttpRequest = context["request"]
    return request.user


@register.inclusion_tag("staff/_navigation.html", takes_context=True)
def navigation(context: Context) -> dict[str, Any]:
    """The navigation, with the entries that the account may open. A page that has counted the account's whole review
    queue already has the counts in its context, as `all_waiting`."""
    section, counted = context.get("section") or "", context.get("all_waiting") or None
    return {"groups": groups_for(_account(context), section=section, waiting=counted)}


@register.inclusion_tag("staff/_tabs.html", takes_context=True)
def tabs(context: Context) -> dict[str, Any]:
    """The pages beside the present one, inside the same entry of the rail."""
    return {"tabs": tabs_for(_account(context), context.get("section") or "")}


@register.simple_tag(takes_context=True)
def worker_name(context: Context, worker: Worker) -> str:
    """The worker's name as this account may know it. Staff pages name workers by this tag alone."""
    return roles.name_of(_account(context), worker)


@register.simple_tag
def page_of(subject: Subject) -> str:
    """The page on which a subject of the review queue is decided: `{% page_of entry.item.subject %}`."""
    return addresses.page_of(subject)


@register.simple_tag(takes_context=True)
def has_role(context: Context) -> bool:
    """Whether the account has any role and may open staff pages."""
    return roles.of(_account(context)).has_any


@register.simple_tag(takes_context=True)
def may(context: Context, role: str, project: Project | None = None) -> bool:
    """Whether the account has the role in the project, or everywhere: `{% may "admin" project as may_change %}`.

    Only hides controls that would be refused; the view checks the role itself.
    """
    needed = Role(role)
    if project is None:
        return roles.may_everywhere(_account(context), needed)
    return roles.may_in(_account(context), project, needed)
