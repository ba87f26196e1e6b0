"""People reroute, merge, dismiss and reopen reports: each act is on record, and done once."""

from typing import Any

import pytest

from annotation.models import Project
from audit.models import AuditEvent
from interaction.repair import tree_and_scene
from lib.faults import Conflict, Invalid
from routing import reports
from routing.models import ErrorReport, Sending
from routing.reports import dismiss, merge, reopen
from tests.routing.test_dispatch import settle
from tests.support.builders import NOON, make_project
from tests.support.commands import (
    BUILD,
    CUBE,
    NOOP,
    a_scene,
    judged,
    make_route,
    parse_project,
    report_of,
    routed,
    run_jobs,
    sent,
    tasks_of,
    truth_of,
    voxel_project,
)

pytestmark = pytest.mark.django_db
BY = "staff:rita"
FOUND: Any = [{"phrase": "the cube", "voxels": CUBE}]


def reroute(report: ErrorReport, to: Project) -> None:
    """Send it there, as a person does on its page."""
    _, scene = tree_and_scene(report.command)
    reports.reroute(report=report, to=to, scene=scene, by=BY, at=NOON)


def verbs() -> list[str]:
    return list(AuditEvent.objects.filter(subject_kind="error_report").order_by("pk").values_list("verb", flat=True))


def state_of(report: ErrorReport) -> str:
    report.refresh_from_db()
    return report.state


# Sending elsewhere ----------------------------------------------------------------------------------------------


def test_a_person_sends_a_report_where_no_route_leads() -> None:
    to = parse_project()
    report = report_of(routed("build a cube", "task_error", form=BUILD))
    for _ in range(2):
        reroute(report, to)
    (task,) = tasks_of(to)
    assert (task.payload["text"], state_of(report)) == ("build a cube", "routed")
    row = Sending.objects.get()
    assert (row.route, row.task, row.report) == (None, task, report)
    assert verbs() == ["error_report.rerouted"]
    reroute(report_of(routed("Build a cube.")), to)
    assert tasks_of(to) == [task], "equal words are asked once"


def test_a_person_overrules_the_draw() -> None:
    to = parse_project()
    make_route(to, rate=1e-9)
    command = routed("build a cube")
    assert sent(command)[0].why_not == "not_drawn"
    reroute(report_of(command), to)
    (row,) = sent(command)
    assert (row.why_not, row.route) == ("", None)


def test_a_person_sends_a_command_with_objects_to_be_marked() -> None:
    to = voxel_project()
    reroute(report_of(routed("get the cube", "other_error", objects_found=FOUND, scene=a_scene())), to)
    assert tasks_of(to)[0].payload["phrase"] == "the cube"
    with pytest.raises(Conflict, match="named no object"):
        reroute(report_of(routed("dance", "other_error", scene=a_scene())), to)


def test_a_project_that_repairs_nothing_is_refused() -> None:
    report = report_of(routed("build a cube"))
    for to in (make_project(), voxel_project(stage="name")):
        with pytest.raises(Invalid) as refusal:
            reroute(report, to)
        assert refusal.value.faults[0].pointer == "#/project"
    assert not verbs()


@pytest.mark.parametrize(
    ("text", "more", "sentence"),
    [
        ("< br >", {}, "no command that can be annotated. It is markup"),
        ("34473", {}, "mostly no words"),
        ("[removed]", {}, "were erased"),
        ("build a cube", {"truth": NOOP}, "known already"),
        ("&nbsp;", {"fault": ""}, "not be blank"),
    ],
)
def test_a_command_that_nobody_can_or_need_annotate_is_refused(text: str, more: dict[str, Any], sentence: str) -> None:
    to = parse_project()
    command = routed(text, **more)
    with pytest.raises(Conflict, match=sentence):
        reroute(report_of(command), to)
    assert not tasks_of(to)
    assert not Sending.objects.exists()


def test_a_command_that_only_looked_unsafe_may_be_sent_by_a_person(to: Project) -> None:
    command = routed("kill all the men of snow")
    assert sent(command)[0].detail == "unsafe"
    reroute(report_of(command), to)
    assert len(tasks_of(to)) == 1


# Dismissing and merging -----------------------------------------------------------------------------------------


def test_a_report_is_dismissed_for_a_reason() -> None:
    report = report_of(routed("build a cube"))
    for _ in range(2):
        dismiss(report=report, reason=" a joke ", by=BY, at=NOON)
    assert (state_of(report), report.why_dismissed) == ("dismissed", "a joke")
    assert verbs() == ["error_report.dismissed"]
    assert AuditEvent.objects.get(verb="error_report.dismissed").reason == "a joke"
    with pytest.raises(Conflict, match="a joke"):
        dismiss(report=report, reason="another", by=BY, at=NOON)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001])
def test_a_reason_is_needed(reason: str) -> None:
    report = report_of(routed("build a cube"))
    with pytest.raises(Invalid) as refusal:
        dismiss(report=report, reason=reason, by=BY, at=NOON)
    assert refusal.value.faults[0].pointer == "#/reason"
    assert state_of(report) == "new"


def test_a_report_that_is_dismissed_before_it_is_routed_goes_nowhere(to: Project) -> None:
    command = judged("build a cube")
    dismiss(report=report_of(command), reason="a joke", by=BY, at=NOON)
    run_jobs()
    assert not tasks_of(to)
    with pytest.raises(Conflict, match="Take it up again"):
        reroute(report_of(command), to)


def test_an_answer_counts_though_the_report_was_dismissed(to: Project) -> None:
    command = routed("build a cube")
    dismiss(report=report_of(command), reason="a joke", by=BY, at=NOON)
    settle(tasks_of(to)[0], {"form": NOOP})
    assert (truth_of(command), report_of(command).state) == (NOOP, "dismissed")
    reopen(report=report_of(command), by=BY, at=NOON)
    assert report_of(command).state == "annotated"


def test_a_reopened_report_is_offered_again_to_a_route_that_did_not_draw_it() -> None:
    to = parse_project()
    make_route(to, "nlu_error", slug="r", rate=0.0000001)
    command = routed("build a cube")
    assert [one.why_not for one in sent(command)] == ["not_drawn"]
    dismiss(report=report_of(command), reason="later", by=BY, at=NOON)
    make_route(to, "nlu_error", slug="r", rate=1.0)
    reopen(report=report_of(command), by=BY, at=NOON)
    run_jobs()
    assert len(tasks_of(to)) == 1
    assert state_of(report_of(command)) == "routed"


def test_a_reopened_report_goes_where_routes_lead_now() -> None:
    command = routed("build a cube")
    dismiss(report=report_of(command), reason="a joke", by=BY, at=NOON)
    to = parse_project()
    make_route(to)
    for _ in range(2):
        reopen(report=report_of(command), by=BY, at=NOON)
    assert (report_of(command).state, report_of(command).why_dismissed) == ("new", "")
    run_jobs()
    assert (report_of(command).state, len(tasks_of(to))) == ("routed", 1)
    assert verbs() == ["error_report.dismissed", "error_report.reopened"]


def test_reports_of_the_same_are_merged_into_one() -> None:
    first, second, third = (report_of(routed(text)) for text in ("dance", "please dance", "dance now"))
    for _ in range(2):
        merge(report=third, into=second, by=BY, at=NOON)
    merge(report=second, into=first, by=BY, at=NOON)
    for report in (second, third):
        assert state_of(report) == "dismissed"
        assert report.merged_into == first, "what was merged goes along"
        assert report.why_dismissed == f"Merged into {first.public_id}."
    assert verbs() == ["error_report.merged", "error_report.merged"]
    reopen(report=third, by=BY, at=NOON)
    assert (state_of(third), third.merged_into) == ("new", None)


def test_no_report_is_merged_with_itself_in_a_circle_or_with_a_dismissed_one() -> None:
    one, other, third = (report_of(routed(text)) for text in ("dance", "please dance", "dance now"))
    dismiss(report=third, reason="a joke", by=BY, at=NOON)
    for report, into, why in (
        (one, one, "itself"),
        (one, third, "dismissed or merged itself"),
        (third, one, "dismissed"),
    ):
        with pytest.raises(Conflict, match=why):
            merge(report=report, into=into, by=BY, at=NOON)
    assert state_of(one) == "new"
    merge(report=one, into=other, by=BY, at=NOON)
    with pytest.raises(Conflict, match="dismissed or merged itself"):
        merge(report=other, into=one, by=BY, at=NOON)
