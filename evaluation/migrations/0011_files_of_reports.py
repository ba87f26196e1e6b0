from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0010_activity_of_films")]

    operations = [
        migrations.AddField(
            model_name="report",
            name="files",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Storage name of its figures and tables as a zip file.",
                max_length=255,
            ),
        ),
    ]
