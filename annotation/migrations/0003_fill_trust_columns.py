from django.db import migrations
from django.db.models import F, OuterRef, Subquery

BATCH = 1000


def fill_consensus(apps, schema_editor):
    consensus, task = apps.get_model("annotation", "Consensus"), apps.get_model("annotation", "Task")
    project = task.objects.filter(pk=OuterRef("task_id")).values("project_id")[:1]
    consensus.objects.filter(project=None).update(project_id=Subquery(project), updated_at=F("settled_at"))


def fill_truth_class(apps, schema_editor):
    """Until now only markers had references; their answers say `outcome`."""
    task, truth = apps.get_model("annotation", "Task"), apps.get_model("annotation", "Truth")
    last = 0
    while rows := list(truth.objects.filter(task_id__gt=last).order_by("task_id")[:BATCH]):
        last = rows[-1].task_id
        for outcome in ("success", "failure"):
            alike = [row.task_id for row in rows if {answer.get("outcome") for answer in row.answers} == {outcome}]
            task.objects.filter(pk__in=alike).update(truth_class=outcome == "success")


def keep_first_wording(apps, schema_editor):
    project, wording = apps.get_model("annotation", "Project"), apps.get_model("annotation", "Wording")
    for row in project.objects.filter(wording=None).iterator(chunk_size=BATCH):
        first = wording.objects.create(
            project=row, number=1, pages=row.instructions, by="system", created_at=row.created_at
        )
        project.objects.filter(pk=row.pk).update(wording=first)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_trust_and_review")]

    operations = [
        migrations.RunPython(fill_consensus, migrations.RunPython.noop),
        migrations.RunPython(fill_truth_class, migrations.RunPython.noop),
        migrations.RunPython(keep_first_wording, migrations.RunPython.noop),
    ]
