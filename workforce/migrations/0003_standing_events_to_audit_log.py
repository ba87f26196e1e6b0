from django.db import migrations


def actor_of(by):
    """`key NAME` was a pipeline's key, anything else a person's user name."""
    kind, _, name = by.partition(" ")
    return f"key:{name}" if kind == "key" and name else f"staff:{by}"


def move(apps, schema_editor):
    """In batches, oldest first; a second run finds nothing left to move."""
    old, event = apps.get_model("workforce", "StandingEvent"), apps.get_model("audit", "AuditEvent")
    while rows := list(old.objects.order_by("pk")[:1000]):
        event.objects.bulk_create(
            event(
                at=row.at,
                actor=actor_of(row.by),
                verb=f"worker.{row.kind}",
                subject_kind="worker",
                subject=str(row.worker_id),
                reason=row.reason,
            )
            for row in rows
        )
        old.objects.filter(pk__in=[row.pk for row in rows]).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("workforce", "0002_qualifications_and_weighting"),
        ("audit", "0001_first_tables"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
    ]
