import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_fill_trust_columns")]

    operations = [
        migrations.AlterField(
            model_name="consensus",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.project",
            ),
        ),
        migrations.AlterField(model_name="consensus", name="updated_at", field=models.DateTimeField()),
    ]
