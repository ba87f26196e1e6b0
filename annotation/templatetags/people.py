"""What a page shows depending on who looks: the rail, a worker's name, a control that only some may use."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from annotation import roles
from annotation.models import Project
from annotation.roles import Account, Role
from annotation.staff.rail import entries_for
from workforce.models import Worker

register = template.Library()


def _looks(context: Context) -> Account:
    request: HttpRequest = context["request"]
    return request.user


@register.inclusion_tag("staff/_rail.html", takes_context=True)
def rail(context: Context) -> dict[str, Any]:
    """The rail, with what the account may open."""
    return {"shown": entries_for(_looks(context), section=context.get("section") or "")}


@register.simple_tag(takes_context=True)
def worker_name(context: Context, worker: Worker) -> str:
    """What this account may call the worker. Every staff page names workers by this tag alone."""
    return roles.name_of(_looks(context), worker)


@register.simple_tag(takes_context=True)
def has_role(context: Context) -> bool:
    """Whether the account has any role, so that staff pages open for it."""
    return roles.of(_looks(context)).has_any


@register.simple_tag(takes_context=True)
def may(context: Context, role: str, project: Project | None = None) -> bool:
    """Whether the account has the role in the project, or everywhere: `{% may "admin" project as may_change %}`.

    It only hides what would be refused; the view asks for itself.
    """
    needed = Role(role)
    if project is None:
        return roles.may_everywhere(_looks(context), needed)
    return roles.may_in(_looks(context), project, needed)
