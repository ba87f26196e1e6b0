"""The information page that a worker reads before agreeing: the project's own text, and below it facts on this server.

The second part (`InformationPage.notes`) is written here from the project and the settings. Both parts are stored and
agreed to together, so the text that a worker agreed to stays known. If any of it changes, the page is another page, and
every worker is asked again before the next task.
"""

from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q

from annotation.models import InformationVersion, Project
from annotation.offer.experiments import base_pays
from audit.changes import changes
from audit.log import record
from common.data.values import money
from workforce.consent import page_for
from workforce.models import Consent

RULE = "rule:information"
CHECKS = (
    "**Some tasks check the work.** Their right answer is known already. They look like all the others and are paid "
    "like them. They show us where the instructions are unclear, and whose answers to rely on. If too many do not "
    "match, we may pause your work on this project; a person then looks at it, and you can ask them to look again."
)


def notes_for(*, has_checks: bool, pays: tuple[Decimal, Decimal], currency: str) -> str:
    """The server's part of an information page, in Markdown.

    Args:
        pays: The least and the most that a task may earn.
    """
    points = [CHECKS] if has_checks else []
    points += [_pay(*pays, currency), _kept(), _rights(), _whom_to_ask()]
    return "## Good to know\n\n" + "\n".join(f"- {point}" for point in points)


def notes_of(project: Project) -> str:
    """The server's part of this project's page, from the project as it is now."""
    return notes_for(has_checks=project.serves_references, pays=base_pays(project), currency=project.currency)


def _pay(least: Decimal, most: Decimal, currency: str) -> str:
    if not most:
        return "**Pay.** Nothing is counted here for single tasks; what was promised when you were invited holds."
    due = money(most, currency)
    earns = f"earns {due['amount']} {due['currency']}"
    if least != most:
        # Which of the two is not said: it would tell that not everybody has the same.
        earns = f"earns from {money(least, currency)['amount']} to {due['amount']} {due['currency']}"
    return (
        f"**Pay.** Each task that you hand in {earns}, whatever you answer. "
        "What you have earned stays yours, also if you stop. Only work that plainly was not done may be turned down; "
        "you are then told why, and can ask us to look again."
    )


def _kept() -> str:
    text, identity = settings.RETENTION_TEXT_DAYS, settings.RETENTION_IDENTITY_DAYS
    words = f"are deleted {_days(text)}" if text else "are kept as long as the project needs them"
    name = f"is deleted {_days(identity)} without a visit" if identity else "is kept until you ask us to delete it"
    return (
        "**What is kept.** Your answers with their times; whoever uses them sees a random name in place of yours. "
        f"Texts that you write to us (reports, answers in your own words) {words}. "
        f"The name or number by which you came here {name}; your answers then belong to nobody. "
        "Please write nothing that names you or others."
    )


def _days(days: int) -> str:
    return "after one day" if days == 1 else f"after {days} days"


def _rights() -> str:
    return (
        "**You decide.** You may stop at any time. On the page “Your data and consent” you can see all that is stored "
        "about you, and take your agreement back; what you did stays paid."
    )


def _whom_to_ask() -> str:
    contact = settings.CONTACT or "whoever sent you the link"
    return f"**Whom to ask**, also to have your data deleted: {contact}."


def keep_information(*, project: Project, by: str, at: datetime) -> None:
    """Add the project's present page to its list of versions, if it differs from the last.

    Locks: call with the project locked.
    """
    if project.consent_page is None:
        return
    last = project.information_versions.order_by("-number").first()
    if last is not None and last.page_id == project.consent_page_id:
        return
    InformationVersion.objects.create(
        project=project, number=last.number + 1 if last else 1, page=project.consent_page, by=by, created_at=at
    )


def renew_information(*, at: datetime) -> int:
    """Bring every project's page up to date with settings, pay and checks; return the number of changed pages.

    Called at every start and every night, because settings change without a change of the project.
    """
    changed = 0
    for pk in Project.objects.exclude(consent_page=None).values_list("pk", flat=True):
        with transaction.atomic():
            project = Project.objects.select_for_update(of=("self",)).select_related("consent_page").get(pk=pk)
            page = project.consent_page
            if page is None or page.notes == notes_of(project):
                continue
            project.consent_page = page_for(page.text, notes=notes_of(project), at=at)
            Project.objects.filter(pk=pk).update(consent_page=project.consent_page)
            keep_information(project=project, by=RULE, at=at)
            record(
                verb="project.information_renewed",
                actor=RULE,
                subject=project.audit_subject,
                project=project.slug,
                at=at,
                **changes({"page": page.pk}, {"page": project.consent_page.pk}),
            )
            changed += 1
    return changed


def versions_of(project: Project) -> "list[tuple[InformationVersion, int, int]]":
    """The project's pages, newest first, each with the numbers of consents and of withdrawn consents. 2 queries."""
    versions = list(project.information_versions.select_related("page").order_by("-number"))
    counts = {
        page: (agreed, withdrew)
        for page, agreed, withdrew in Consent.objects.filter(
            page__in=[version.page_id for version in versions], worker__enrolments__project=project
        )
        .values_list("page")
        .annotate(
            agreed=Count("worker", filter=Q(withdrawn_at=None), distinct=True),
            withdrew=Count("worker", filter=Q(withdrawn_at__isnull=False), distinct=True),
        )
    }
    return [(version, *counts.get(version.page_id, (0, 0))) for version in versions]
