from typing import Any

from django.db import migrations, models
from django.db.models import Exists, OuterRef


def mark_named(apps: Any, schema_editor: Any) -> None:
    """Mark the uploads whose file an episode has. Running it again changes nothing."""
    episodes = apps.get_model("evaluation", "Episode").objects.filter(source=OuterRef("file"))
    apps.get_model("evaluation", "Upload").objects.exclude(file="").filter(Exists(episodes)).update(is_named=True)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="is_named",
            field=models.BooleanField(default=False, help_text="An episode has this file; else it is deleted in time."),
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(condition=models.Q(("is_named", False)), fields=["created_at"], name="upload_unnamed"),
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(fields=["file"], name="upload_of_file"),
        ),
        migrations.RunPython(mark_named, migrations.RunPython.noop),
    ]
