from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from evaluation.repeats import resemblances


def note(apps: Any, schema_editor: Any) -> None:
    """Note which of the continuations that are there have equal videos. Running it again changes nothing."""
    resemblances.note_earlier(*(apps.get_model("evaluation", name) for name in ("Episode", "Resemblance")))


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0012_candidates'),
    ]

    operations = [
        migrations.AddField(
            model_name='episode',
            name='trajectory_sha256',
            field=models.CharField(blank=True, default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='film',
            name='picture_hash',
            field=models.CharField(blank=True, default='', editable=False, help_text='Perceptual hashes of pictures after the takeover. Empty: prepared before they were kept.', max_length=1024),
        ),
        migrations.CreateModel(
            name='Resemblance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('identical', 'Identical'), ('near', 'Near')], max_length=16)),
                ('earlier', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='resembled_by', to='evaluation.episode')),
                ('later', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='resembles', to='evaluation.episode')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('later', 'earlier'), name='resemblance_once_per_pair'), models.CheckConstraint(condition=models.Q(('later', models.F('earlier')), _negated=True), name='resemblance_of_two')],
            },
        ),
        migrations.RunPython(note, migrations.RunPython.noop),
    ]
