"""The slot that each assignment takes, and the place from which tasks are drawn."""

import django.db.models.deletion
from django.db import migrations, models


def _own_slots(apps, schema_editor):
    """Until now every assignment took a slot of its own task."""
    apps.get_model("annotation", "Assignment").objects.update(slot_of=models.F("task"))
    if schema_editor.connection.vendor == "postgresql":
        # The foreign keys are checked now, for PostgreSQL alters no table that has deferred checks waiting.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0001_initial'),
        ('workforce', '0001_initial'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='task',
            name='task_open',
        ),
        migrations.RemoveField(
            model_name='enrolment',
            name='cursor_task',
        ),
        migrations.AddField(
            model_name='assignment',
            name='slot_free_at',
            field=models.DateTimeField(editable=False, help_text='When the slot is given back, after an answer to a reference or a report.', null=True),
        ),
        migrations.AddField(
            model_name='assignment',
            name='slot_of',
            field=models.ForeignKey(db_index=False, editable=False, help_text='The task whose slot is taken: the task itself, or the one in whose place a reference is shown. Null: the slot of that one was given back.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='annotation.task'),
        ),
        migrations.RunPython(_own_slots, migrations.RunPython.noop),
        migrations.AddField(
            model_name='enrolment',
            name='gates_due',
            field=models.PositiveIntegerField(editable=False, help_text='The number of answers after which the gates look next.', null=True),
        ),
        migrations.AddField(
            model_name='enrolment',
            name='reference_share',
            field=models.FloatField(editable=False, help_text="The share of the project's rates at which the references last. Null: to be computed.", null=True),
        ),
        migrations.AlterField(
            model_name='enrolment',
            name='cursor_priority',
            field=models.IntegerField(editable=False, help_text='Of the last task, whose equals come next. Null: the highest comes next.', null=True),
        ),
        migrations.AlterField(
            model_name='task',
            name='shuffle',
            field=models.FloatField(editable=False, help_text='Random in 0..1: the place from which tasks are drawn.'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['slot_of', 'worker'], name='assignment_of_slot_and_worker'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('slot_free_at__isnull', False)), fields=['slot_free_at'], name='assignment_slot_to_free'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('slot_free_at__isnull', False)), fields=['worker', 'slot_of'], name='assignment_slot_waiting'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('status__in', ['released', 'reported', 'expired'])), fields=['worker', 'closed_at'], name='assignment_returned'),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(models.F('project'), models.OrderBy(models.F('priority'), descending=True), models.F('shuffle'), condition=models.Q(('is_reference', False), ('open', True), ('reserved_for', None)), name='task_open'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['released', 'expired']), _negated=True), fields=('slot_of', 'worker'), name='assignment_one_slot_per_worker'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('slot_of__isnull', False), models.Q(models.Q(('status', 'claimed'), _negated=True), ('slot_free_at', None)), _connector='OR'), name='assignment_held_takes_a_slot'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('slot_free_at', None), ('status__in', ['submitted', 'reported']), _connector='OR'), name='assignment_slot_waits_after_its_end'),
        ),
        migrations.AddConstraint(
            model_name='enrolment',
            constraint=models.CheckConstraint(condition=models.Q(('reference_share', None), models.Q(('reference_share__gte', 0), ('reference_share__lte', 1)), _connector='OR'), name='enrolment_reference_share_is_a_share'),
        ),
    ]
