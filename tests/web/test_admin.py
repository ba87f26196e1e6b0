"""The admin: every model is there, logs are read-only, and its wider policy stays its own."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from agents.models import Agent
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
    *("Corpus", "CorpusCommand", "Installation", "Heartbeat", "ApiKey"),
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


def test_a_change_writes_only_what_changed(dora: Client) -> None:
    agent = make_agent("walker")
    page = dora.get(address(Agent, "change", agent.pk))
    assert page.status_code == 200
    body = {"slug": "walker", "name": "Walker", "description": "", "kind": "agent", "metadata": "{}"}
    assert dora.post(address(Agent, "change", agent.pk), body).status_code == 302
    agent.refresh_from_db()
    assert (agent.name, agent.created_at) == ("Walker", NOON)


def test_a_change_in_the_admin_is_on_record_with_old_and_new_values(dora: Client) -> None:
    agent = make_agent("walker")
    body = {"slug": "walker", "name": "Runner", "description": "", "kind": "agent", "metadata": "{}"}
    dora.post(address(Agent, "change", agent.pk), body)
    dora.post(address(Agent, "change", agent.pk), body)
    event = AuditEvent.objects.get(verb="agent.changed")
    assert (event.actor, event.subject) == ("staff:dora", "walker")
    assert (event.detail["before"], event.detail["after"]) == ({"name": "walker"}, {"name": "Runner"})
    dora.post(address(Agent, "add"), {**body, "slug": "other"})
    assert AuditEvent.objects.get(verb="agent.created").detail["after"]["slug"] == "other"


def test_a_deletion_in_the_admin_is_on_record(dora: Client) -> None:
    walker, runner, jumper = (make_agent(name) for name in ("walker", "runner", "jumper"))
    paul = make_staff("paul")
    assert dora.post(address(Agent, "delete", walker.pk), {"post": "yes"}).status_code == 302
    both = {"action": "delete_selected", "post": "yes", "_selected_action": [runner.pk, jumper.pk]}
    assert dora.post(address(Agent, "changelist"), both).status_code == 302
    assert dora.post(address(User, "delete", paul.pk), {"post": "yes"}).status_code == 302
    assert not Agent.objects.exists()
    events = AuditEvent.objects.filter(verb__endswith=".deleted").order_by("pk")
    told = [(event.verb, event.subject) for event in events]
    assert told[0] == ("agent.deleted", "walker")
    assert set(told[1:3]) == {("agent.deleted", "runner"), ("agent.deleted", "jumper")}
    assert told[3] == ("account.deleted", str(paul.pk))
    assert [event.detail["before"].get("name") for event in events][:1] == ["walker"]
    assert events[3].detail["before"] == {"is_active": True, "is_staff": True, "is_superuser": False}


def test_new_rights_of_an_account_are_on_record_without_its_persons_name(dora: Client) -> None:
    paul = make_staff("paul")
    body = {"username": "paul", "is_active": "on", "is_staff": "on", "is_superuser": "on", "first_name": "Paul"}
    moment = {"date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
    answer = dora.post(address(User, "change", paul.pk), body | moment)
    assert answer.status_code == 302, answer.context["errors"]
    event = AuditEvent.objects.get(verb="account.changed")
    assert (event.actor, event.subject) == ("staff:dora", str(paul.pk))
    assert (event.detail["before"], event.detail["after"]) == ({"is_superuser": False}, {"is_superuser": True})


def test_a_name_that_no_address_can_hold_is_refused(dora: Client) -> None:
    body = {"slug": "Walker", "name": "Walker", "description": "", "kind": "agent", "metadata": "{}"}
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
