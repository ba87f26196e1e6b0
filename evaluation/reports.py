"""Reports of suites: one file each, frozen when it is made, under the digest of its bytes."""

import hashlib
from datetime import datetime
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from audit.log import Subject, record
from common.file_storage import new_file
from evaluation.models import Report, Suite
from lib.faults import NotFound

TYPE = "text/html; charset=utf-8"


def keep_report(*, suite: Suite, inputs: dict[str, Any], content: bytes, by: str, at: datetime) -> Report:
    """Keep a report. It never changes; equal content gives the same report again. Without its row no file stays."""
    sha256 = hashlib.sha256(content).hexdigest()
    known = suite.reports.filter(sha256=sha256).first()
    if known is not None:
        return known
    report = Report(suite=suite, sha256=sha256, inputs=inputs, made_by=by, created_at=at)
    with new_file(f"reports/{report.public_id}.html", ContentFile(content)) as report.file, transaction.atomic():
        report.save()
        record(
            verb="suite.reported",
            actor=by,
            subject=Subject("suite", suite.slug),
            at=at,
            report=report.public_id,
            sha256=sha256,
            inputs=inputs,
        )
    return report


def report_of(suite: Suite, public_id: str) -> Report:
    """The report of this suite. Raises NotFound. 1 query."""
    found = suite.reports.filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def content_of(report: Report) -> bytes:
    """The bytes of the report, as they were made."""
    with default_storage.open(report.file) as file:
        return bytes(file.read())
