from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from evaluation import tallies


def count(apps: Any, schema_editor: Any) -> None:
    """Count what there is. Running it again changes nothing."""
    tallies.recount(*(apps.get_model("evaluation", name) for name in ("EpisodeTask", "Episode", "Tally")))


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0004_forget_chosen_prefixes'),
        ('annotation', '0004_many_returns'),
        ('evaluation', '0002_unnamed_uploads'),
    ]

    operations = [
        migrations.AddField(
            model_name='episodetask',
            name='counted_as',
            field=models.CharField(blank=True, choices=[('', 'no outcome yet'), ('success', 'Success'), ('failure', 'Failure'), ('unjudgeable', 'Unjudgeable')], default='', editable=False, help_text='What the tally of the episode counts it as.', max_length=16),
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ready', models.PositiveIntegerField(default=0)),
                ('success', models.PositiveIntegerField(default=0)),
                ('failure', models.PositiveIntegerField(default=0)),
                ('unjudgeable', models.PositiveIntegerField(default=0)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agents.agent')),
                ('project', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.project')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tallies', to='evaluation.revision')),
            ],
            options={
                'verbose_name_plural': 'tallies',
                'indexes': [models.Index(fields=['revision', 'project', 'agent', 'ready', 'success', 'failure', 'unjudgeable'], name='tally_of_wording')],
                'constraints': [models.UniqueConstraint(fields=('revision', 'project', 'agent'), name='tally_once_per_project'), models.UniqueConstraint(condition=models.Q(('project', None)), fields=('revision', 'agent'), name='tally_once_of_ready'), models.CheckConstraint(condition=models.Q(models.Q(('failure', 0), ('project', None), ('success', 0), ('unjudgeable', 0)), models.Q(('project__isnull', False), ('ready', 0)), _connector='OR'), name='tally_counts_ready_or_outcomes')],
            },
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
