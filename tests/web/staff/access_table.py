"""Every staff address with what it answers to each kind of account.

A new address is a word of `PAGES` or a line of `FORMS`. Its key is the path, with names of `World` for what stands in
it; what is not named answers 405.
"""

from typing import NamedTuple

from annotation.access.roles import Role
from tests.web.staff.conftest import ADMIN, NAME, REVIEWER, VIEWER

WHO = ("stranger", "visitor", "newcomer", "viewer", "outsider", "reviewer", "admin", "chief")
"""Nobody; signed in but not staff; staff without a role; a viewer; an admin of another project; a reviewer and an admin
of this one; an admin of all."""
Statuses = tuple[int, int, int, int, int, int, int, int]


def in_project(role: Role, ok: int) -> Statuses:
    """For what belongs to the project: 404 for strangers to it, 403 for those whose role there is too small."""
    allowed = [ok if Role.values.index(mine) >= Role.values.index(role) else 403 for mine in (VIEWER, REVIEWER, ADMIN)]
    return (302, 403, 403, allowed[0], 404, allowed[1], allowed[2], ok)


def anywhere(role: Role, ok: int) -> Statuses:
    """For accounts that have this role in any project."""
    viewer, reviewer = in_project(role, ok)[3], in_project(role, ok)[5]
    return (302, 403, 403, viewer, ok, reviewer, ok, ok)


def everywhere(ok: int, *, stranger: int = 403) -> Statuses:
    """For admins of every project; `stranger` is what an outsider gets."""
    return (302, 403, 403, 403, stranger, 403, 403, ok)


def own(ok: int) -> Statuses:
    """For every staff account, with or without a role."""
    return (302, 403, ok, ok, ok, ok, ok, ok)


def everyone(ok: int) -> Statuses:
    return (ok,) * 8


NEVER = anywhere(VIEWER, 405)
METHODS = ("get", "post")
FORM_TYPE = "application/x-www-form-urlencoded"


class Row(NamedTuple):
    """One address: what a GET and a POST with this body answer to each of `WHO`."""

    get: Statuses = NEVER
    post: Statuses = NEVER
    body: dict[str, str] = {}


def form(post: Statuses, *, get: Statuses = NEVER, **body: str) -> Row:
    return Row(get, post, body)


PLAN = {
    "project": "lives",
    "modules": "nlu",
    "sessions": "5",
    "close_after": "9",
    "budget": "20",
    "iterations": "1",
    "seeds": "1",
    "ask": "never",
}

PAGES = {
    anywhere(VIEWER, 200): """
        . live/ search/ projects/ workers/ approvals/ suites/ suites/{suite}/ suites/{suite}/ranking.csv
        suites/{suite}/figures/ suites/{suite}/compare/ suites/{suite}/runs/ suites/{suite}/plan/
        suites/{suite}/wall/ suites/{suite}/pairs/ agents/
        agents/{agent}/ episodes/ episodes/{episode}/ agents/{agent}/health/ efficiency/ sessions/ reports/
        reports/reports.csv trees/ trees/{tree}/ trees/{tree}/try/ trees/{tree}/versions/ funnel/ review/
        review/taxonomies/ review/breakdown/ review/findings/ archived/
    """,
    in_project(VIEWER, 200): """
        suites/{suite}/reports/{suite_report}/ suites/{suite}/reports/{suite_report}/files.zip
        suites/{suite}/reports/{suite_report}/report.pdf suites/{suite}/failures/{sample}/
        projects/{slug}/ projects/{slug}/take-out/ projects/{slug}/take-out/annotations.jsonl
        projects/{slug}/quality/ projects/{slug}/effort/ projects/{slug}/instructions/versions/
        projects/{slug}/consent/ projects/{slug}/references/{reference}/
        projects/{parsing}/commands/ projects/{parsing}/commands/{command}/ projects/{parsing}/forms/
        projects/{parsing}/effort/
        projects/{parsing}/forms/download/ projects/{masks}/masks/ projects/{masks}/masks/download/
        scenes/{scene}.svg workers/{worker}/ workers/{worker}/answers/ approvals/{slug}/ sessions/{session}/
        sessions/{session}/events.json reports/{report}/ reports/{report}/picture.svg review/tasks/{task}/
        review/pauses/{pause}/
    """,
    anywhere(ADMIN, 200): """
        audit/ audit/audit.csv audit/audit.jsonl ledger/ qualifications/ qualifications/{quiz}/
        people/ people/{person}/
    """,
    everywhere(200): """
        privacy/ workers/{worker}/privacy/ workers/{worker}/privacy/data/ audit/blocked/
        agents/{agent}/history/ routes/{route}/history/ suites/{suite}/history/
        suites/{suite}/file.zip qualifications/{quiz}/history/
        learning/campaigns/{campaign}/ learning/campaigns/{campaign}/live/
        learning/ learning/trainings/{training}/ learning/trainings/{training}/live/ learning/models/{model}/
    """,
    anywhere(REVIEWER, 200): """
        privacy/texts/
    """,
    in_project(ADMIN, 200): """
        ledger/{entry}/ sessions/{session}/log.jsonl projects/{slug}/history/ projects/{slug}/doors/
    """,
}
"""The pages that only open, below `/staff/`; the overview is the dot."""

FORMS = {
    # Lists: saved views, acts on many rows
    "views/save/": form(anywhere(VIEWER, 302), page="/staff/workers/", query="status=active", name="Active"),
    "views/{view}/remove/": form((302, 403, 403, 404, 404, 404, 404, 302)),  # another account's view is not there
    "projects/{slug}/tasks/": form(
        in_project(REVIEWER, 302), get=in_project(VIEWER, 200), act="close", which="ticked", row="{task}", reason="dark"
    ),
    # The overview, projects, workers
    "projects/{slug}/status/": form(in_project(ADMIN, 302), status="paused"),
    "projects/{slug}/doors/survey/": form(
        in_project(ADMIN, 302), get=in_project(ADMIN, 200), worker_parameter="pid", session_parameter="run"
    ),
    "projects/{slug}/let-in/": form(in_project(ADMIN, 302), panel="survey", worker="w"),
    "projects/{slug}/links/": form(in_project(ADMIN, 302), get=in_project(ADMIN, 200), act="revoke", row="{enrolment}"),
    "projects/{slug}/links/one/": form(in_project(ADMIN, 200), worker="somebody"),
    "projects/{slug}/links/many/": form(in_project(ADMIN, 200), get=in_project(ADMIN, 200), workers="ann, bob"),
    "projects/{slug}/archive/": form(in_project(ADMIN, 302), get=in_project(ADMIN, 200)),
    "projects/{slug}/restore/": form(in_project(ADMIN, 302)),
    "projects/{slug}/history/{change}/": form(in_project(ADMIN, 302), get=in_project(ADMIN, 200)),
    "suites/{suite}/candidates/": form(
        everywhere(302), get=everywhere(200), number="1", share="50", seed="1", kind="continuation"
    ),
    "suites/{suite}/candidates/{candidate}/": form(
        everywhere(302), get=everywhere(200), instruction="go", continuation_s="9"
    ),
    "suites/{suite}/candidates/{candidate}/refuse/": form(everywhere(302), reason="too dark"),
    "suites/{suite}/failures/": form(
        # A stranger to the project is told that no project judges the suite, for they see none.
        (302, 403, 403, 403, 422, 403, 302, 302),
        get=anywhere(VIEWER, 200),
        number="2",
        seed="1",
        kind="agent",
        categories="a: b\nc: d",
    ),
    "suites/{suite}/failures/{sample}/{failure}/code/": form(in_project(REVIEWER, 302), category="a: b"),
    "suites/{suite}/failures/{sample}/{failure_in_dispute}/decide/": form(in_project(ADMIN, 302), category="a: b"),
    "suites/{suite}/reports/": form(everywhere(302), get=anywhere(VIEWER, 200)),
    "suites/{suite}/archive/": form(everywhere(409), get=everywhere(200)),  # a live project takes its episodes
    "suites/{suite}/restore/": form(everywhere(302)),
    "suites/{suite}/history/{suite_change}/": form(everywhere(302), get=everywhere(200)),
    "episodes/{episode}/archive/": form(everywhere(302), get=everywhere(200)),
    "episodes/{episode}/restore/": form(everywhere(302)),
    "agents/{agent}/history/{agent_change}/": form(everywhere(409), get=everywhere(200)),  # of a title, which it lacks
    "routes/{route}/history/{route_change}/": form(everywhere(409), get=everywhere(200)),  # the same
    "qualifications/{quiz}/history/{quiz_change}/": form(everywhere(302), get=everywhere(200)),
    "projects/{slug}/instructions/": form(
        in_project(ADMIN, 302), get=in_project(ADMIN, 200), page="Watch.", based_on="1", act="save"
    ),
    "projects/{slug}/instructions/preview/": form(in_project(ADMIN, 200), page="Watch."),
    "projects/{slug}/instructions/versions/1/restore/": form(in_project(ADMIN, 302)),
    "projects/{slug}/references/": form(
        in_project(REVIEWER, 302), get=in_project(VIEWER, 200), act="retire", row="{reference}", reason="black"
    ),
    "projects/{slug}/references/import/": form(in_project(REVIEWER, 422)),  # without a file
    "projects/{slug}/references/of/{settled}/": form(
        in_project(REVIEWER, 422), get=in_project(REVIEWER, 200)
    ),  # without a yes
    "projects/{slug}/references/{reference}/correct/": form(
        in_project(REVIEWER, 302), answers='{{"outcome": "success"}}', reason="I looked again"
    ),
    "projects/{slug}/references/{reference}/retire/": form(in_project(REVIEWER, 302), reason="the video is black"),
    # Making and editing
    "new-project/": form(everywhere(302), get=everywhere(200), template="marker", title="New"),
    "projects/{slug}/settings/": form(in_project(ADMIN, 422), get=in_project(ADMIN, 200)),  # without a title
    "projects/{slug}/setup/material/": form(in_project(ADMIN, 422), get=in_project(ADMIN, 200)),  # without an agent
    "projects/{slug}/setup/videos/begin/": form(in_project(ADMIN, 422)),  # without a file
    "projects/{slug}/setup/videos/": form(in_project(ADMIN, 422)),  # without its parts
    "projects/{slug}/setup/quality/": form(in_project(ADMIN, 422), get=in_project(ADMIN, 200)),  # without numbers
    "projects/{slug}/setup/try/": form(in_project(ADMIN, 422), get=in_project(ADMIN, 200)),  # without an answer
    "projects/{slug}/setup/try/{task}/": form(NEVER, get=in_project(ADMIN, 200)),
    "projects/{slug}/setup/try/practice/": form(NEVER, get=in_project(ADMIN, 404)),  # it has none
    "projects/{slug}/setup/try/parse/next/": form(in_project(ADMIN, 422)),  # not JSON
    "projects/{slug}/setup/check/": form(in_project(ADMIN, 409), get=in_project(ADMIN, 200)),  # it is live
    "projects/{slug}/duplicate/": form(everywhere(302)),
    "new-suite/": form(everywhere(302), get=everywhere(200), title="New"),
    "suite-from-file/": form(everywhere(422), get=everywhere(200)),
    "suites/{suite}/edit/": form(everywhere(302), get=everywhere(200), title="New"),
    "suites/{suite}/duplicate/": form(everywhere(302)),
    "suites/{suite}/freeze/": form(everywhere(302), version="v1"),
    "suites/{suite}/new-scenario/": form(everywhere(302), get=everywhere(200), instruction="go", continuation_s="9"),
    "suites/{suite}/scenarios/{scenario}/": form(
        everywhere(302), get=everywhere(200), instruction="go", continuation_s="9"
    ),
    "new-agent/": form(everywhere(302), get=everywhere(200), name="New"),
    "agents/{agent}/edit/": form(everywhere(302), get=everywhere(200), name="New"),
    "new-qualification/": form(everywhere(422), get=everywhere(200)),  # without a question
    "qualifications/{quiz}/edit/": form(everywhere(422), get=everywhere(200)),  # without a title
    "qualifications/{quiz}/duplicate/": form(everywhere(302)),
    "routes/{route}/duplicate/": form(everywhere(302)),
    # Commands of the parse annotator
    "projects/{parsing}/forms/import/": form(in_project(REVIEWER, 422)),  # without a file
    "parse/check/": form(anywhere(VIEWER, 400)),  # not JSON
    # Masks of the voxel annotator
    "projects/{masks}/masks/import/": form(in_project(REVIEWER, 422)),  # without a file
    # The audit log and what is kept of persons
    "audit/verify/": form(everywhere(302)),
    "privacy/texts/{text}/": form(in_project(REVIEWER, 302), act="redact"),
    "workers/{worker}/privacy/erase/": form(everywhere(302), confirm=f"direct:{NAME}-0"),
    "workers/{worker}/block/": form(in_project(ADMIN, 302), reason="answers at random"),
    "workers/{worker}/unblock/": form(in_project(ADMIN, 302)),
    "workers/{worker}/links/{slug}/revoke/": form(in_project(ADMIN, 302)),
    "workers/{blocked}/weighting/": form(in_project(ADMIN, 302), weighting="none"),
    # Approvals and the ledger: who is paid what is for admins
    "approvals/{slug}/decide/": form(
        in_project(REVIEWER, 302), which="waiting", seen="1", act="reject", reason="cut off"
    ),
    "approvals/{slug}/overturn/": form(in_project(REVIEWER, 422), act="pay"),  # nothing chosen
    "ledger/ledger.csv": form(anywhere(ADMIN, 200), get=anywhere(ADMIN, 200), seen="owed=1"),
    "ledger/mark/": form(anywhere(ADMIN, 302), which="listed", seen="owed=1", act="sent"),
    "ledger/correct/": form(in_project(ADMIN, 422), project="marking", worker="nobody", amount="1", key="k"),
    # Qualifications: the right answers stand there, so they are for admins
    "qualifications/{quiz}/give/": form(everywhere(302), worker=f"direct:{NAME}-1"),
    "qualifications/{quiz}/grants/": form(
        everywhere(302), get=anywhere(ADMIN, 200), act="revoke", which="ticked", row="{grant}", reason="by mistake"
    ),
    # People
    "people/invite/": form(everywhere(200), role="viewer", project="*", days="7"),
    "people/invitations/{invitation}/withdraw/": form(everywhere(302)),
    "invitation/{invitation_token}/": form(everyone(422), get=everyone(200)),  # without a name
    "people/add/": form(everywhere(200), name="paula"),
    "people/{person}/role/": form(in_project(ADMIN, 302), project="marking", role="reviewer", reason=""),
    "people/{person}/role/remove/": form(in_project(ADMIN, 302), project="marking"),
    "people/{person}/switch/": form(everywhere(302), active="no"),
    # Learning
    "learning/campaigns/": form(everywhere(302), get=everywhere(200), slug="next", **PLAN),
    "learning/campaigns/{campaign}/act/": form(everywhere(302), act="start"),
    "learning/train/": form(everywhere(302), module="nlu", kind="updated", tranche="0", seeds="1"),
    "learning/tranches/nlu/0/close/": form(everywhere(302)),
    "learning/trainings/{training}/cancel/": form(everywhere(302)),
    "learning/models/{model}/act/": form(everywhere(302), act="refuse", reason="it is worse"),
    # API keys
    "keys/": form(everywhere(422), get=everywhere(200)),  # without a name
    "keys/{key}/rotate/": form(everywhere(200), overlap="24"),
    "keys/{key}/revoke/": form(everywhere(302)),
    # Webhooks
    "webhooks/": form(everywhere(422), get=everywhere(200)),  # without an address
    "webhooks/{hook}/": form(NEVER, get=everywhere(200)),
    "webhooks/{hook}/act/": form(everywhere(302), act="test"),
    "webhooks/{hook}/deliveries/{delivery}/": form(everywhere(302)),
    # What belongs to no project
    "tasks/{task}/": form(NEVER, get=in_project(VIEWER, 302)),
    "tasks/{task}/close/": form(everywhere(302, stranger=404)),
    "tasks/{task}/reopen/": form(everywhere(302, stranger=404)),
    "jobs/": form(everywhere(302), get=everywhere(200), act="retry", row="{job}"),
    "jobs/{job}/retry/": form(everywhere(302)),
    # Alarms
    "alarms/": form(everywhere(302), get=everywhere(200), kind="budget", bound="0.8", on="1"),
    # Live sessions
    "sessions/{session}/end/": form(in_project(ADMIN, 302), get=in_project(ADMIN, 200), reason="the agent hangs"),
    "sessions/{session}/episodes/": form(in_project(ADMIN, 409), command="1", scenario="sts/lift"),  # it goes on
    # Error reports and routes
    "reports/act/": form(in_project(REVIEWER, 302), act="dismiss", reason="a slip", report="{report}"),
    "reports/{report}/act/": form(in_project(REVIEWER, 302), act="dismiss", reason="a slip"),
    "routes/": form(everywhere(302), get=everywhere(200), act="stop", row="{route_id}"),
    "routes/{route}/": form(everywhere(302), get=everywhere(200), outcome="*", project="parsing", percent="50"),
    "new-route/": form(everywhere(302), get=everywhere(200), slug="new", outcome="*", project="parsing", percent="50"),
    # Decision trees
    "trees/{tree}/versions/1/restore/": form(everywhere(302)),
    "trees/{tree}/edit/": form(everywhere(200), get=everywhere(200), act="check"),
    "new-tree/": form(everywhere(200), get=everywhere(200), act="check"),
    "check-tree/": form(anywhere(VIEWER, 200)),
    # Review
    "review/next/": form(NEVER, get=anywhere(VIEWER, 302)),
    "review/tasks/{task}/decide/": form(in_project(REVIEWER, 302), act="unjudgeable", reason="the video is black"),
    "review/tasks/{task}/tags/": form(in_project(REVIEWER, 302), category="{category}"),
    "review/pauses/{pause}/decide/": form(in_project(REVIEWER, 302), act="lift", reason="an honest mistake"),
    "review/taxonomies/add/": form(everywhere(302), taxonomy="agent_failure", label="It fell over"),
    "review/taxonomies/{category}/": form(everywhere(302), act="retire"),
    # Coming in, and the own account
    "sign-in/": form(everyone(200), get=everyone(200)),
    "account/": form(own(200), get=own(200)),
    "account/password/": form(own(200), get=own(200)),
    "account/confirm/": form(own(200), get=own(200)),
    "sign-in/code/": form(everyone(302), get=everyone(302)),
    "sign-in/service/": form(everyone(405), get=everyone(404)),
    "sign-in/service/back/": form(everyone(405), get=everyone(404)),
    "sign-out/": form(everyone(302), get=everyone(405)),
    "account/confirm/code/": form(own(302), get=own(302)),
    "account/second-factor/": form(own(302), get=own(302)),
    "account/second-factor/off/": form(own(404), get=own(404)),
    "account/recovery-codes/": form(own(405), get=own(404)),
    "account/recovery-codes/new/": form(own(302), get=own(302)),
}
"""The pages that take a form."""

TABLE = {f"/staff/{path}".rstrip("."): Row(get=given) for given, paths in PAGES.items() for path in paths.split()}
TABLE |= {f"/staff/{path}": row for path, row in FORMS.items()}
