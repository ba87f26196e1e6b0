from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_review_queue'),
        ('workforce', '0005_information_notes_and_erasure'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_balanced_accuracy',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_low',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_references',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_submitted',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_agreement',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_median_s',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_drift',
        ),
        migrations.RemoveIndex(
            model_name='record',
            name='record_by_last_at',
        ),
        migrations.AddField(
            model_name='gateaction',
            name='questioned_at',
            field=models.DateTimeField(help_text='When a reference in its evidence was corrected or retired; null once a person looked.', null=True),
        ),
        migrations.AlterField(
            model_name='gateaction',
            name='seen_at',
            field=models.DateTimeField(help_text='When the worker closed the warning, or the word of a lift.', null=True),
        ),
        migrations.AlterField(
            model_name='record',
            name='measured_at',
            field=models.DateTimeField(help_text='When all of it was; what references say is always up to date.'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(condition=models.Q(('score__isnull', False)), fields=['worker', 'project', 'number'], name='annotation_scored'),
        ),
        migrations.AddIndex(
            model_name='gateaction',
            index=models.Index(condition=models.Q(('questioned_at__isnull', False)), fields=['questioned_at'], name='gate_action_questioned'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'balanced_accuracy', 'id'], name='record_by_balanced_accuracy'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'low', 'id'], name='record_by_low'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'references', 'id'], name='record_by_references'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'submitted', 'id'], name='record_by_submitted'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'reported', 'id'], name='record_by_reported'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'agreement', 'id'], name='record_by_agreement'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'median_s', 'id'], name='record_by_median_s'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'speed_z', 'id'], name='record_by_speed_z'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'moment_error_s', 'id'], name='record_by_moment_error_s'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'drift', 'id'], name='record_by_drift'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'last_at', 'id'], name='record_by_last_at'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(fields=['project', 'id'], name='record_by_beginning'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(condition=models.Q(('last_at__gt', models.F('measured_at'))), fields=['measured_at'], name='record_outdated'),
        ),
    ]
