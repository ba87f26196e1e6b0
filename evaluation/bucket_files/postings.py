"""Files of a bucket that become episodes, as staff ask for on the page of a project's material: a job for each file."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Self

from django.db import transaction
from django.utils import timezone

from agents.models import Agent
from annotation.models import Project
from evaluation.bucket_files import copies
from evaluation.bucket_files.imports import BucketFile
from evaluation.episodes import post_own_video
from evaluation.models import Scenario, Upload
from jobs.models import Job
from jobs.outbox import Running, enqueue_all
from lib.faults import Conflict, CrosswalkError, Invalid

POST = "evaluation.post_copy"
"""The kind of the background job."""
MOST_FILES = 2_000
"""The most files of one order."""
MOST_TOLD = 20
"""How many refused files the page of the material names."""


class Order(NamedTuple):
    """An order to copy one file and post it as an episode. Its text is the subject of its job.

    >>> Order(1, 2, 3, 4, None).text, Order.of('[1,2,3,4,{"outcome":"success"}]').reference
    ('[1,2,3,4,null]', {'outcome': 'success'})
    """

    project: int
    scenario: int
    agent: int
    upload: int
    reference: dict[str, Any] | None

    @property
    def text(self) -> str:
        return json.dumps(self, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(*json.loads(text))


def ask(
    *,
    project: Project,
    scenario: Scenario,
    agent: Agent,
    files: Sequence[BucketFile],
    below: str,
    reference: dict[str, Any] | None,
    at: datetime,
) -> None:
    """Have these files copied and posted as tries of the agent at the scenario.

    Args:
        below: The address below which the files were chosen. Their paths below it name the episodes, for each folder
            may have a file of the same name.
        reference: The known outcome, with which the episodes become references.

    Raises:
        TooLarge: a file has more bytes than a video may have; none is copied.
        Invalid: the settings do not let a file be read; none is copied.
    """
    with transaction.atomic():
        uploads = copies.begin_copies(files, at=at)
        for upload in uploads:
            upload.filename = path_below(upload.source, below).replace("/", "-")[-255:]
        Upload.objects.bulk_update(uploads, ["filename"])
        orders = [Order(project.pk, scenario.pk, agent.pk, upload.pk, reference) for upload in uploads]
        enqueue_all(POST, [order.text for order in orders])


def path_below(address: str, below: str) -> str:
    """The path of a file below an address, which may end within the name of a file.

    >>> path_below("s3://b/runs/7/a.mp4", "s3://b/runs/"), path_below("s3://b/runs/7/a.mp4", "s3://b/runs/7/a")
    ('7/a.mp4', 'a.mp4')
    """
    return address.removeprefix(below[: below.rindex("/") + 1])


def copy_and_post(running: Running) -> None:
    """Job handler. It may run again after a crash: a file that is copied is not copied again, nor posted twice."""
    order = Order.of(running.subject)
    upload = Upload.objects.filter(pk=order.upload).first()
    scenario = Scenario.objects.select_related("suite").filter(pk=order.scenario).first()
    agent = Agent.objects.filter(pk=order.agent).first()
    if upload is None or scenario is None or agent is None:
        return
    size = max(upload.bytes, 1)
    for copied in copies.copy_files([upload], on_bytes=lambda done: running.report(done / size)):
        if copied.state == Upload.State.FAILED:
            return
        try:
            post_own_video(
                upload=copied,
                parts=[],
                suite=scenario.suite.slug,
                scenario=scenario.key,
                agent=agent.slug,
                reference=order.reference,
                at=timezone.now(),
            )
        except (Invalid, Conflict) as refusal:
            # Another attempt would be refused too. The page of the material says why.
            _refuse(copied, refusal)


def abandon(subject: str) -> None:
    """Mark the file as not taken when every attempt of its job has failed; staff see the job's error."""
    sentence = "The file could not be taken, and we could not find out why. Choose it again."
    _mark(Order.of(subject).upload, copies.CRASHED, sentence)


def try_again(job: Job) -> None:
    """Open the copy of a job that crashed again, for its handler skips a failed one. Other jobs are left alone."""
    if job.kind not in (copies.COPY, POST):
        return
    pk = int(job.subject) if job.kind == copies.COPY else Order.of(job.subject).upload
    crashed = Upload.objects.filter(pk=pk, state=Upload.State.FAILED, problem_code=copies.CRASHED)
    again = {"problem_code": "", "problem_detail": ""}
    # One that was copied already is not copied anew.
    if not crashed.exclude(file="").update(state=Upload.State.COMPLETE, **again):
        crashed.update(state=Upload.State.OPEN, **again)


def _refuse(upload: Upload, refusal: CrosswalkError) -> None:
    _mark(upload.pk, refusal.code, refusal.reasons)


def _mark(upload: int, code: str, detail: str) -> None:
    """Note why a file became no episode; a copy of it is deleted in time."""
    waiting = Upload.objects.filter(pk=upload, is_named=False).exclude(state=Upload.State.FAILED)
    waiting.update(state=Upload.State.FAILED, problem_code=code, problem_detail=detail)


class Standing(NamedTuple):
    """Where the copies for a project stand: `done` of `total` since the oldest that is not finished was asked for.

    `waits` if the bucket or the server's own files keep one of them from going on.
    """

    done: int
    total: int
    share: float
    waits: bool
    refused: list[Upload]


def standing(project: Project) -> Standing:
    """The copies for this project of the last days. 2 queries."""
    jobs = list(Job.objects.filter(kind=POST, subject__startswith=f"[{project.pk},").order_by("-pk")[: 2 * MOST_FILES])
    unfinished = [job for job in jobs if job.finished_at is None]
    first = min((job.pk for job in unfinished), default=0)
    together = [job for job in jobs if first and job.pk >= first]
    ended = [Order.of(job.subject).upload for job in jobs if job.finished_at is not None]
    refused = Upload.objects.filter(pk__in=ended, state=Upload.State.FAILED).order_by("-pk")[:MOST_TOLD]
    share = sum(1.0 if job.finished_at else job.progress for job in together) / max(len(together), 1)
    return Standing(
        done=len(together) - len(unfinished),
        total=len(together),
        share=share,
        waits=any(job.held_since for job in unfinished),
        refused=list(refused),
    )
