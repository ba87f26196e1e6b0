

from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=64)),
                ('subject', models.CharField(help_text='The id of the object, as the handler of this kind knows it.', max_length=128)),
                ('unique_key', models.CharField(help_text='At most one unfinished job has it.', max_length=200, null=True)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=16)),
                ('due_at', models.DateTimeField(help_text='When to run; while running, when the lease ends.')),
                ('fence', models.CharField(default='', help_text='Who runs it now; a late finisher has another.', max_length=32)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('max_attempts', models.PositiveIntegerField(default=3)),
                ('progress', models.FloatField(default=0)),
                ('error', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField()),
                ('sent_at', models.DateTimeField(blank=True, help_text='When a message about it last left.', null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'running'])), fields=['due_at'], name='job_unfinished_due'), models.Index(fields=['kind', 'subject'], name='job_subject')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('unique_key',), name='job_unique_while_unfinished'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ['done', 'failed'])), models.Q(('finished_at', None), ('state__in', ['waiting', 'running'])), _connector='OR'), name='job_finished_has_a_time'), models.CheckConstraint(condition=models.Q(('progress__gte', 0), ('progress__lte', 1)), name='job_progress_is_a_fraction')],
            },
        ),
    ]
