import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0008_records_of_enrolments'),
        ('workforce', '0005_information_notes_and_erasure'),
    ]

    operations = [
        migrations.AlterField(
            model_name='annotation',
            name='superseded_by',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='supersedes', to='annotation.annotation'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(condition=models.Q(('superseded_by__isnull', False)), fields=('superseded_by',), name='annotation_supersedes_one'),
        ),
    ]
