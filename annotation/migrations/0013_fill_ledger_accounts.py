"""Say of every entry that is owed for an annotation which project it is charged to."""

from typing import Any

from django.db import migrations

BATCH = 1000
BEGIN = "base:annotation:"


def fill(apps: Any, schema_editor: Any) -> None:
    """In batches, each of entries that lack it: it can be started again."""
    Entry = apps.get_model("workforce", "LedgerEntry")
    Annotation = apps.get_model("annotation", "Annotation")
    last = 0
    while True:
        lacking = Entry.objects.filter(pk__gt=last, account="", reason__startswith=BEGIN).order_by("pk")
        batch = dict(lacking.values_list("pk", "reason")[:BATCH])
        if not batch:
            return
        last = max(batch)
        named = {reason.removeprefix(BEGIN): pk for pk, reason in batch.items()}
        rows = Annotation.objects.filter(public_id__in=list(named)).values_list("public_id", "project__slug")
        by_project: dict[str, list[int]] = {}
        for public_id, slug in rows:
            by_project.setdefault(slug, []).append(named[public_id])
        for slug, entries in by_project.items():
            Entry.objects.filter(pk__in=entries).update(account=slug)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0012_approvals_and_arms"),
        ("workforce", "0006_ledger_states"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
