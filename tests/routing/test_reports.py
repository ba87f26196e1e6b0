"""What people do with a report: send it elsewhere, merge, dismiss, take up again; on record, and once."""

from typing import Any

import pytest

from audit.models import AuditEvent
from common.errors import Conflict, Invalid
from routing.models import ErrorReport, Sending
from routing.reports import dismiss, merge, reopen, reroute
from tests.builders import NOON, make_project
from tests.routing.sources import (
    BUILD,
    CUBE,
    NOOP,
    Source,
    a_scene,
    make_route,
    parse_project,
    report_of,
    run_jobs,
    sent,
    tasks_of,
    voxel_project,
)
from tests.routing.test_sending import settle

BY = "staff:rita"
FOUND: Any = [{"phrase": "the cube", "voxels": CUBE}]


def verbs() -> list[str]:
    return list(AuditEvent.objects.filter(subject_kind="error_report").order_by("pk").values_list("verb", flat=True))


def state_of(report: ErrorReport) -> str:
    report.refresh_from_db()
    return report.state


# Sending elsewhere ----------------------------------------------------------------------------------------------


def test_a_person_sends_a_report_where_no_route_leads(source: Source) -> None:
    to = parse_project()
    report = report_of(source.routed("build a cube", "task_error", form=BUILD))
    for _ in range(2):
        reroute(report=report, to=to, by=BY, at=NOON)
    (task,) = tasks_of(to)
    assert (task.payload["text"], state_of(report)) == ("build a cube", "routed")
    row = Sending.objects.get()
    assert (row.route, row.task, row.report) == (None, task, report)
    assert verbs() == ["error_report.rerouted"]


def test_a_person_overrules_the_draw(source: Source) -> None:
    to = parse_project()
    make_route(to, rate=1e-9)
    case = source.routed("build a cube")
    assert sent(case)[0].why_not == "not_drawn"
    reroute(report=report_of(case), to=to, by=BY, at=NOON)
    (row,) = sent(case)
    assert (row.why_not, row.route) == ("", None)


def test_a_person_sends_a_vision_error_to_be_marked(source: Source) -> None:
    to = voxel_project()
    case = source.routed("get the cube", "other_error", objects_found=FOUND, scene=a_scene)
    reroute(report=report_of(case), to=to, by=BY, at=NOON)
    assert tasks_of(to)[0].payload["phrase"] == "the cube"


def test_what_a_person_sends_is_a_task_that_is_there_already(source: Source) -> None:
    to = parse_project()
    reports = [report_of(source.routed(text)) for text in ("build a cube", "Build a cube.")]
    for report in reports:
        reroute(report=report, to=to, by=BY, at=NOON)
    assert len(tasks_of(to)) == 1


def test_a_project_that_repairs_nothing_is_refused(source: Source) -> None:
    report = report_of(source.routed("build a cube"))
    for to in (make_project(), voxel_project(stage="name")):
        with pytest.raises(Invalid) as refusal:
            reroute(report=report, to=to, by=BY, at=NOON)
        assert refusal.value.faults[0].pointer == "#/project"
    assert not verbs()


@pytest.mark.parametrize(
    ("text", "more", "sentence"),
    [
        ("< br >", {}, "no command that can be annotated. It is markup"),
        ("34473", {}, "mostly no words"),
        ("[removed]", {}, "were erased"),
        ("build a cube", {"truth": NOOP}, "known already"),
    ],
)
def test_what_nobody_can_or_need_answer_is_refused(
    source: Source, text: str, more: dict[str, Any], sentence: str
) -> None:
    to = parse_project()
    case = source.routed(text, **more)
    with pytest.raises(Conflict, match=sentence):
        reroute(report=report_of(case), to=to, by=BY, at=NOON)
    assert not tasks_of(to)


def test_what_only_looked_unsafe_may_be_sent_by_a_person(source: Source) -> None:
    to = parse_project()
    make_route(to)
    case = source.routed("kill all the men of snow")
    assert sent(case)[0].detail == "unsafe"
    reroute(report=report_of(case), to=to, by=BY, at=NOON)
    assert len(tasks_of(to)) == 1


def test_a_command_without_objects_cannot_be_marked(source: Source) -> None:
    case = source.routed("dance", "other_error", scene=a_scene)
    with pytest.raises(Conflict, match="named no object"):
        reroute(report=report_of(case), to=voxel_project(), by=BY, at=NOON)


def test_what_the_tool_refuses_leaves_nothing(source: Source) -> None:
    case = source.routed("build a cube")
    source.cases[case.project.pk, case.command] = type(case)(**{**vars(case), "text": "a " * 301})
    with pytest.raises(Conflict, match="at most 300 words"):
        reroute(report=report_of(case), to=parse_project(), by=BY, at=NOON)
    assert not Sending.objects.exists()


# Dismissing and merging -----------------------------------------------------------------------------------------


def test_a_report_is_dismissed_for_a_reason(source: Source) -> None:
    report = report_of(source.routed("build a cube"))
    for _ in range(2):
        dismiss(report=report, reason=" a joke ", by=BY, at=NOON)
    assert (state_of(report), report.why_dismissed) == ("dismissed", "a joke")
    assert verbs() == ["error_report.dismissed"]
    assert AuditEvent.objects.get(verb="error_report.dismissed").reason == "a joke"
    with pytest.raises(Conflict, match="a joke"):
        dismiss(report=report, reason="another", by=BY, at=NOON)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001])
def test_a_reason_is_needed(source: Source, reason: str) -> None:
    report = report_of(source.routed("build a cube"))
    with pytest.raises(Invalid) as refusal:
        dismiss(report=report, reason=reason, by=BY, at=NOON)
    assert refusal.value.faults[0].pointer == "#/reason"
    assert state_of(report) == "new"


def test_what_is_dismissed_before_it_is_routed_goes_nowhere(source: Source) -> None:
    to = parse_project()
    make_route(to)
    case = source.judge("build a cube")
    dismiss(report=report_of(case), reason="a joke", by=BY, at=NOON)
    run_jobs()
    assert not tasks_of(to)
    with pytest.raises(Conflict, match="Take it up again"):
        reroute(report=report_of(case), to=to, by=BY, at=NOON)


def test_an_answer_counts_though_the_report_was_dismissed(source: Source) -> None:
    to = parse_project()
    make_route(to)
    case = source.routed("build a cube")
    dismiss(report=report_of(case), reason="a joke", by=BY, at=NOON)
    settle(tasks_of(to)[0], {"form": NOOP})
    assert (source.told, report_of(case).state) == ([(case.command, NOOP)], "dismissed")
    reopen(report=report_of(case), by=BY, at=NOON)
    assert report_of(case).state == "annotated"


def test_what_a_route_did_not_draw_is_offered_to_it_again(source: Source) -> None:
    to = parse_project()
    make_route(to, "nlu_error", slug="r", rate=0.0000001)
    case = source.routed("build a cube")
    assert [one.why_not for one in sent(case)] == ["not_drawn"]
    dismiss(report=report_of(case), reason="later", by=BY, at=NOON)
    make_route(to, "nlu_error", slug="r", rate=1.0)
    reopen(report=report_of(case), by=BY, at=NOON)
    run_jobs()
    assert len(tasks_of(to)) == 1
    assert state_of(report_of(case)) == "routed"


def test_what_is_taken_up_again_goes_where_routes_lead_now(source: Source) -> None:
    case = source.routed("build a cube")
    dismiss(report=report_of(case), reason="a joke", by=BY, at=NOON)
    to = parse_project()
    make_route(to)
    for _ in range(2):
        reopen(report=report_of(case), by=BY, at=NOON)
    assert (report_of(case).state, report_of(case).why_dismissed) == ("new", "")
    run_jobs()
    assert (report_of(case).state, len(tasks_of(to))) == ("routed", 1)
    assert verbs() == ["error_report.dismissed", "error_report.reopened"]


def test_reports_of_the_same_are_merged_into_one(source: Source) -> None:
    first, second, third = (report_of(source.routed(text)) for text in ("dance", "please dance", "dance now"))
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


def test_no_merge_runs_in_a_circle(source: Source) -> None:
    one, other = report_of(source.routed("dance")), report_of(source.routed("please dance"))
    with pytest.raises(Conflict, match="itself"):
        merge(report=one, into=one, by=BY, at=NOON)
    merge(report=one, into=other, by=BY, at=NOON)
    with pytest.raises(Conflict, match="dismissed or merged itself"):
        merge(report=other, into=one, by=BY, at=NOON)


def test_what_is_dismissed_is_not_merged(source: Source) -> None:
    one, other = report_of(source.routed("dance")), report_of(source.routed("please dance"))
    dismiss(report=one, reason="a joke", by=BY, at=NOON)
    for pair in ((one, other), (other, one)):
        with pytest.raises(Conflict):
            merge(report=pair[0], into=pair[1], by=BY, at=NOON)
    assert state_of(other) == "new"
