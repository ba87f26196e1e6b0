"""A project with a million annotations, and all rows around them."""

import json
from typing import NamedTuple

from annotation.models import (
    Annotation,
    Assignment,
    Consensus,
    Enrolment,
    GateAction,
    Method,
    Project,
    Record,
    Task,
    Truth,
    WorkToken,
)
from audit.models import AuditEvent
from bench.bulk_rows import (
    as_json,
    first_id,
    insert,
    insert_tasks,
    literal,
    mod,
    moment,
    refresh_statistics,
    share,
    text,
)
from tests.support.builders import make_episode, make_project
from workforce.models import LedgerEntry, Worker

EACH, REDUNDANCY = 10, 5
"""Answers of each worker, one of them to a reference; answers to each ordinary task."""
GATE = {"action": "pause", "below": 0.7, "minimum_n": 10}
RULE = {**GATE, "alpha": 0.05, "beta": 0.05}
EVIDENCE = {"plan": {}, "test": "sprt", "llr": 3.1, "act_at": 2.9, "confusion": {}, "answers": []}


class Filled(NamedTuple):
    """The project, the numbers of rows, and the first ids."""

    project: Project
    annotations: int
    workers: int
    worker: int
    tasks: int
    references: int


def fill(annotations: int) -> Filled:
    project = make_project(
        redundancy=REDUNDANCY,
        reference_rate=0.1,
        gates=[GATE],
        base_pay="0.10",
        consensus_method=Method.DAWID_SKENE,
        annotation_count=annotations,
    )
    episode = make_episode().external_id
    workers = annotations // EACH
    tasks, references = workers * (EACH - 1) // REDUNDANCY, max(annotations // 1000, 20)
    worker = _workers(project, workers)
    task = first_id(Task)
    done = {"slots_left": "0", "open": "false", "status": text(Task.Status.DONE), "closed_at": moment("i")}
    insert_tasks(project, tasks, episode=episode, redundancy=REDUNDANCY, **done)
    reference = first_id(Task)
    # As everywhere here, the true outcome of a task with an even id is success.
    is_success = f"({mod(f'{reference} + i - 1', 2)} = 0)"
    insert_tasks(project, references, episode=episode, is_reference="true", truth_class=is_success)
    right = f"CASE WHEN {is_success} THEN {text(_truth('success'))} ELSE {text(_truth('failure'))} END"
    insert(Truth, references, task_id=f"{reference} + i - 1", answers=as_json(right))
    insert_tasks(project, max(tasks // 10, 500), episode=episode, redundancy=REDUNDANCY)
    _answers(project, annotations, workers, worker=worker, task=task, tasks=tasks, reference=reference, of=references)
    _consensus(project, tasks, task=task)
    _trust(project, workers, worker=worker)
    _events(annotations, project)
    refresh_statistics()
    return Filled(Project.objects.get(pk=project.pk), annotations, workers, worker, tasks, references)


def _truth(outcome: str) -> str:
    return f'[{{"outcome": "{outcome}", "time_s": null}}]'


def _workers(project: Project, number: int) -> int:
    """Inserts the workers, their enrolments and ledger entries. Returns the first id."""
    worker = first_id(Worker)
    is_blocked = f"{mod('i', 500)} = 0"
    insert(
        Worker,
        number,
        platform=text("bulk"),
        external_id=f"{text('person-')} || i",
        pseudonym=f"{text('pseudonym-')} || {mod('i * 7919', 1_000_003)}",
        status=f"CASE WHEN {is_blocked} THEN 'blocked' ELSE 'active' END",
        blocked_reason=f"CASE WHEN {is_blocked} THEN 'answers at random' ELSE '' END",
        created_at=moment("i"),
    )
    enrolment = first_id(Enrolment)
    insert(
        Enrolment,
        number,
        project_id=str(project.pk),
        worker_id=f"{worker} + i - 1",
        submitted=str(EACH),
        earned="1.0",
        created_at=moment("i"),
    )
    insert(
        WorkToken,
        number,
        enrolment_id=f"{enrolment} + i - 1",
        digest=f"{text('of the link of ')} || i",
        created_at=moment("i"),
        expires_at=moment("i + 86400 * 365 * 100"),
    )
    insert(
        LedgerEntry,
        number,
        worker_id=f"{worker} + i - 1",
        kind=text(LedgerEntry.Kind.BASE),
        reason=f"{text('base:bulk:')} || i",
        amount="1.0",
        currency="'USD'",
        at=moment("i"),
    )
    return worker


def _answers(
    project: Project, number: int, workers: int, *, worker: int, task: int, tasks: int, reference: int, of: int
) -> None:
    """Inserts answers in rounds of all workers. A tenth of each round answers a reference, every worker once."""
    who, turn = mod("i - 1", workers), f"((i - 1) / {workers})"
    is_reference = f"({turn} = {mod(who, EACH)})"
    ordinary = f"({turn} - CASE WHEN {turn} > {mod(who, EACH)} THEN 1 ELSE 0 END) * {workers} + {who}"
    on_reference, on_task = f"{reference} + {mod('i', of)}", f"{task} + {mod(ordinary, tasks)}"
    place = f"CASE WHEN {is_reference} THEN {on_reference} ELSE {on_task} END"
    assignment = first_id(Assignment)
    insert(
        Assignment,
        number,
        public_id=f"{text('hold-')} || i",
        task_id=place,
        # As after the slots of references were given back.
        slot_of_id=f"CASE WHEN {is_reference} THEN NULL ELSE {on_task} END",
        worker_id=f"{worker} + {who}",
        status=text(Assignment.Status.SUBMITTED),
        claimed_at=moment("i - 20"),
        lease_expires_at=moment("i + 900"),
        closed_at=moment("i"),
    )
    # One worker in ten answers at random, the others are right in 88 %.
    truth = f"({mod(f'({place})', 2)} = 0)"
    right = f"CASE WHEN {mod(who, 10)} = 0 THEN {share('i', 50, salt=1)} ELSE {share('i', 88, salt=2)} END"
    yes, no = (json.dumps({"outcome": outcome, "frame": 20, "time_s": 2.0}) for outcome in ("success", "failure"))
    insert(
        Annotation,
        number,
        public_id=f"{text('answer-')} || i",
        project_id=str(project.pk),
        number="i",
        assignment_id=f"{assignment} + i - 1",
        task_id=place,
        worker_id=f"{worker} + {who}",
        answer=as_json(f"CASE WHEN ({truth}) = ({right}) THEN {text(yes)} ELSE {text(no)} END"),
        score=f"CASE WHEN NOT ({is_reference}) THEN NULL WHEN ({right}) THEN 1.0 ELSE 0.0 END",
        claimed_at=moment("i - 20"),
        submitted_at=moment("i"),
        active_s=f"8.0 + {mod('i * 31', 40)} + {turn}",
    )
    reported = max(number // 2000, 5)
    insert(
        Assignment,
        reported,
        public_id=f"{text('reported-')} || i",
        task_id=f"{task} + i * 7",
        slot_of_id=f"{task} + i * 7",
        worker_id=f"{worker} + {mod('i * 13 + 5', workers)}",
        status=text(Assignment.Status.REPORTED),
        problem=text(Assignment.Problem.AMBIGUOUS),
        problem_text=text("I cannot tell."),
        claimed_at=moment("i"),
        lease_expires_at=moment("i + 900"),
        closed_at=moment("i"),
    )


def _consensus(project: Project, tasks: int, *, task: int) -> None:
    answer = '{"outcome": "success", "frame": 20, "time_s": 2.0}'
    insert(
        Consensus,
        tasks,
        task_id=f"{task} + i - 1",
        project_id=str(project.pk),
        answer=as_json(text(answer)),
        method=text(Method.DAWID_SKENE),
        confidence=f"0.5 + {mod('i * 7919', 1000)} / 2000.0",
        probability=f"0.5 + {mod('i * 7919', 1000)} / 2000.0",
        low="0.4",
        high="1.0",
        annotations=str(REDUNDANCY),
        needs_review=f"({mod('i', 50)} = 0)",
        updated_at=moment("i"),
        settled_at=moment("i"),
    )


def _trust(project: Project, workers: int, *, worker: int) -> None:
    """Inserts records in the project and over all projects, and pauses, some of them with an appeal."""
    for where in (str(project.pk), "NULL"):
        lacks = f"{mod('i', 20)} = 0"
        insert(
            Record,
            workers,
            worker_id=f"{worker} + i - 1",
            project_id=where,
            submitted=f"{EACH} + {mod('i * 17', 90)}",
            reported=mod("i * 7", 5),
            references=mod("i * 11", 60),
            balanced_accuracy=f"CASE WHEN {lacks} THEN NULL ELSE 0.4 + {mod('i * 7919', 600)} / 1000.0 END",
            low=f"CASE WHEN {lacks} THEN NULL ELSE 0.3 + {mod('i * 7907', 600)} / 1000.0 END",
            high=f"CASE WHEN {lacks} THEN NULL ELSE 1.0 END",
            agreement=f"CASE WHEN {lacks} THEN NULL ELSE 0.5 + {mod('i * 7901', 500)} / 1000.0 END",
            median_s=f"5.0 + {mod('i * 7883', 4000)} / 100.0",
            speed_z=f"{mod('i * 7879', 600)} / 100.0 - 3.0",
            moment_error_s=f"{mod('i * 7877', 300)} / 100.0",
            drift=f"{mod('i * 7873', 500)} / 100.0",
            last_at=moment("i"),
            measured_at=moment("i + 1"),
        )
    enrolment = Enrolment.objects.filter(project=project).order_by("pk").values_list("pk", flat=True)[0]
    is_appealed = f"{mod('i', 5)} = 0"
    insert(
        GateAction,
        max(workers // 1000, 5),
        enrolment_id=f"{enrolment} + i * 3",
        action=text(GateAction.Action.PAUSE),
        rule=literal(RULE),
        evidence=literal(EVIDENCE),
        at=moment("i"),
        appeal=f"CASE WHEN {is_appealed} THEN 'Please look again.' ELSE '' END",
        appealed_at=f"CASE WHEN {is_appealed} THEN {moment('i + 60')} ELSE NULL END",
    )


def _events(annotations: int, project: Project) -> None:
    insert(
        AuditEvent,
        annotations // 5,
        at=moment("i"),
        actor=f"{text('staff:person-')} || {mod('i', 30)}",
        verb=f"CASE WHEN {mod('i', 3)} = 0 THEN 'worker.blocked' ELSE 'consensus.adjudicated' END",
        subject_kind=text("worker"),
        subject=f"CAST({mod('i', 5000)} AS text)",
        project=text(project.slug),
        reason=text("We looked."),
        detail=literal({"n": 1}),
    )
