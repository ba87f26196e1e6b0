"""The admin: every model is there, logs are read-only, keys are shown once, and its wider policy stays its own."""

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from agents.keys import find_key
from agents.models import Agent, ApiKey
from annotation.access.roles import Role
from annotation.models import Membership, Project, Task
from audit.models import AuditEvent
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    client_of,
    make_agent,
    make_project,
    make_staff,
    make_task,
    make_worker,
)
from tests.support.pages import assert_flat
from workforce.models import Worker

OURS = [
    model
    for app in (
        "agents",
        "annotation",
        "commands",
        "routing",
        "interaction",
        "evaluation",
        "audit",
        "jobs",
        "workforce",
    )
    for model in apps.get_app_config(app).get_models()
]
LOGS = [
    *("Annotation", "AuditEvent", "Assignment", "Consensus", "Job", "LedgerEntry", "Reply", "Record", "GateAction"),
    *("TreeVersion", "Session", "Event", "Command", "LiveCommand", "AgentProcess", "ErrorReport", "Route", "Sending"),
    *("Corpus", "CorpusCommand"),
]


def address(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_model_is_listed_and_searched(model: type[Model], dora: Client) -> None:
    assert admin.site.is_registered(model)
    assert dora.get(address(model, "changelist"), {"q": "a"}).status_code == 200
    assert admin.site.get_model_admin(model).search_fields


def test_each_row_opens(dora: Client, alice: Worker) -> None:
    project = make_project(base_pay="0.10")
    make_task(project)
    make_task(project, truth="success")
    annotate(claim(project, alice))
    opened = 0
    for model in OURS:
        for row in model._default_manager.all()[:1]:
            assert dora.get(address(model, "change", row.pk)).status_code == 200, model
            opened += 1
    assert opened > 12


@pytest.mark.parametrize("name", LOGS)
def test_logs_are_read_only(name: str, dora: Client) -> None:
    model = next(model for model in OURS if model.__name__ == name)
    its = admin.site.get_model_admin(model)
    request = dora.get("/admin/").wsgi_request
    assert its.has_view_permission(request)
    assert not its.has_add_permission(request)
    assert not its.has_change_permission(request)
    assert not its.has_delete_permission(request)
    assert dora.get(address(model, "add")).status_code == 403


def test_the_admin_is_for_superusers(dora: Client) -> None:
    assert Client().get("/admin/")["Location"].startswith("/admin/login/")
    assert dora.get("/admin/").status_code == 200
    ada = client_of(make_staff("ada", Role.ADMIN))
    for path in ("/admin/", address(Worker, "changelist"), address(Membership, "changelist")):
        refusal = ada.get(path, follow=True)
        assert refusal.status_code == 403
        assert "for superusers" in refusal.content.decode()


def test_a_key_is_made_and_shown_once(dora: Client) -> None:
    answer = dora.post(address(ApiKey, "add"), {"name": "nightly", "scopes": ["read", "write"]}, follow=True)
    made = re.search(r"cw_[\w-]+", answer.content.decode())
    assert made is not None
    found = find_key(made[0], at=NOON)
    assert found is not None
    assert (found.name, found.scopes) == ("nightly", ["read", "write"])
    assert made[0] not in dora.get(address(ApiKey, "changelist")).content.decode()


def test_a_revoked_key_is_known_no_more(dora: Client) -> None:
    dora.post(address(ApiKey, "add"), {"name": "nightly", "scopes": ["read"]})
    key = ApiKey.objects.get()
    dora.post(address(ApiKey, "changelist"), {"action": "revoke", "_selected_action": [key.pk]})
    assert not ApiKey.objects.usable().exists()


def test_a_change_writes_only_what_changed(dora: Client) -> None:
    agent = make_agent("walker")
    page = dora.get(address(Agent, "change", agent.pk))
    assert page.status_code == 200
    body = {"slug": "walker", "name": "Walker", "description": "", "metadata": "{}"}
    assert dora.post(address(Agent, "change", agent.pk), body).status_code == 302
    agent.refresh_from_db()
    assert (agent.name, agent.created_at) == ("Walker", NOON)


def test_a_name_that_no_address_can_hold_is_refused(dora: Client) -> None:
    body = {"slug": "Walker", "name": "Walker", "description": "", "metadata": "{}"}
    assert dora.post(address(Agent, "add"), body).status_code == 200
    assert not Agent.objects.exists()
    assert dora.post(address(Agent, "add"), {**body, "slug": "walker"}).status_code == 302
    assert Agent.objects.get().created_at is not None


def test_a_projects_counters_cannot_be_changed(dora: Client, alice: Worker) -> None:
    project = make_project()
    make_task(project)
    annotate(claim(project, alice))
    body = {
        "title": "Another title",
        "instructions": '["Mark it."]',
        "reference_rate": "0.2",
        "lease_s": "600",
        "status": "paused",
        "annotation_count": "99",
        "redundancy": "7",
    }
    assert dora.post(address(Project, "change", project.pk), body).status_code == 302
    project.refresh_from_db()
    assert (project.title, project.status, project.lease_s) == ("Another title", "paused", 600)
    assert (project.annotation_count, project.redundancy) == (1, 1)


def test_tasks_are_closed_and_reopened(dora: Client) -> None:
    task = make_task()
    dora.post(address(Task, "changelist"), {"action": "close_as_unjudgeable", "_selected_action": [task.pk]})
    task.refresh_from_db()
    assert task.status == "unjudgeable"
    dora.post(address(Task, "changelist"), {"action": "reopen", "_selected_action": [task.pk]})
    task.refresh_from_db()
    assert (task.status, task.open) == ("open", True)


def test_workers_are_unblocked_on_record(dora: Client, charlie: Worker) -> None:
    dora.post(address(Worker, "changelist"), {"action": "unblock", "_selected_action": [charlie.pk]})
    charlie.refresh_from_db()
    assert charlie.status == "active"
    assert AuditEvent.objects.get().actor == "staff:dora"


def test_only_the_admin_has_the_wider_policy(dora: Client) -> None:
    policies = {path: dora.get(path)["Content-Security-Policy"] for path in ("/admin/", "/admin/agents/agent/")}
    policies["refused"] = Client().get("/admin/login/")["Content-Security-Policy"]
    for policy in policies.values():
        assert "script-src 'self' 'unsafe-inline' 'unsafe-eval'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "connect-src 'self'" in policy
    for path in ("/staff/", "/staff/sign-in/"):
        assert "unsafe" not in dora.get(path)["Content-Security-Policy"]


@pytest.mark.parametrize("model", [Task, Worker], ids=lambda model: model.__name__)
def test_lists_cost_the_same_for_2_and_6(model: type[Model], dora: Client) -> None:
    project = make_project()

    def more() -> None:
        make_task(project)
        annotate(claim(project, make_worker()))

    assert_flat(dora, address(model, "changelist"), more)
