"""Reports of suites: one page each, frozen when it is made, under the digest of its bytes; and its files as one zip.

The PDF is drawn from the frozen page whenever somebody asks for it, so that older reports have one too.
"""

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.fields.json import KT

from annotation.models import Project
from audit.log import Subject, record
from common.file_storage import new_file
from evaluation.models import Report, Suite
from lib.faults import NotFound

TYPE = "text/html; charset=utf-8"
FILES_TYPE = "application/zip"
PDF_TYPE = "application/pdf"


def keep_report(
    *,
    suite: Suite,
    inputs: dict[str, Any],
    content: bytes,
    files: Callable[[], Iterator[bytes]],
    by: str,
    at: datetime,
) -> Report:
    """Keep a report. It never changes; equal content gives the same report again. Without its row no file stays.

    Args:
        files: The zip file of the report's figures and tables; it is made for a new report alone.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    known = suite.reports.filter(sha256=sha256).first()
    if known is not None:
        return known
    report = Report(suite=suite, sha256=sha256, inputs=inputs, made_by=by, created_at=at)
    name = f"reports/{report.public_id}"
    try:
        with (
            new_file(f"{name}.html", ContentFile(content)) as report.file,
            new_file(f"{name}.zip", ContentFile(b"".join(files()))) as report.files,
            transaction.atomic(),
        ):
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
    except IntegrityError:
        # Another request has made the same report meanwhile.
        return suite.reports.get(sha256=sha256)
    return report


def report_of(suite: Suite, public_id: str, *, among: QuerySet[Project]) -> Report:
    """The report of this suite, if `reports_of` has it. Raises NotFound. 1 query."""
    found = reports_of(suite, among=among).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def reports_of(suite: Suite, *, among: QuerySet[Project]) -> QuerySet[Report]:
    """The reports of this suite, newest first: those without a project, and those that these projects judged."""
    # As text, for PostgreSQL compares no JSON with a slug; but a text that is missing would be a key that is missing.
    theirs = Q(inputs__project=None) | Q(judged_in__in=among.values_list("slug", flat=True))
    return suite.reports.alias(judged_in=KT("inputs__project")).filter(theirs).order_by("-created_at", "-pk")


def files_of(report: Report) -> bytes:
    """The zip file of the report's figures and tables, as they were made.

    Raises:
        NotFound: the report is older than such files.
    """
    if not report.files:
        raise NotFound
    with default_storage.open(report.files) as file:
        return bytes(file.read())


def content_of(report: Report) -> bytes:
    """The bytes of the report, as they were made."""
    with default_storage.open(report.file) as file:
        return bytes(file.read())


def pdf_of(report: Report) -> bytes:
    """The page of the report as a PDF file; the same bytes each time. Costs: about a second."""
    # ReportLab takes long to import, and few requests need it.
    from lib.printing.pages import printed

    return printed(content_of(report).decode())
