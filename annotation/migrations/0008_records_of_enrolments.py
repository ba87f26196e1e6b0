from datetime import UTC, datetime

from django.db import migrations
from django.db.models import Max, Sum

BATCH = 1000
NEVER = datetime(2000, 1, 1, tzinfo=UTC)


def begin_records(apps, schema_editor):
    """A record for each enrolment and each worker who has one; the background measures those who handed in."""
    enrolment_model, record_model = apps.get_model("annotation", "Enrolment"), apps.get_model("annotation", "Record")
    annotation_model = apps.get_model("annotation", "Annotation")
    last = 0
    while workers := list(
        enrolment_model.objects.filter(worker_id__gt=last)
        .order_by("worker_id")
        .values_list("worker_id", flat=True)
        .distinct()[:BATCH]
    ):
        last = workers[-1]
        have = set(record_model.objects.filter(worker__in=workers).values_list("worker_id", "project_id"))
        handed_in = annotation_model.objects.filter(worker__in=workers).values_list("worker_id", "project_id")
        last_at = {(worker, project): at for worker, project, at in handed_in.annotate(Max("submitted_at"))}
        last_anywhere = dict(
            annotation_model.objects.filter(worker__in=workers).values_list("worker_id").annotate(Max("submitted_at"))
        )
        totals = enrolment_model.objects.filter(worker__in=workers).values_list("worker_id").annotate(Sum("submitted"))
        rows = [
            (worker, project, submitted, last_at.get((worker, project)))
            for worker, project, submitted in enrolment_model.objects.filter(worker__in=workers).values_list(
                "worker_id", "project_id", "submitted"
            )
        ]
        rows += [(worker, None, submitted, last_anywhere.get(worker)) for worker, submitted in totals]
        record_model.objects.bulk_create(
            record_model(worker_id=worker, project_id=project, submitted=submitted, last_at=at, measured_at=NEVER)
            for worker, project, submitted, at in rows
            if (worker, project) not in have
        )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_records_by_index_and_questioned_gates")]

    operations = [migrations.RunPython(begin_records, migrations.RunPython.noop, elidable=True)]
