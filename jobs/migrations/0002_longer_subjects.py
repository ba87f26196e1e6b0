from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_first_tables")]

    operations = [
        migrations.AlterField(
            model_name="job",
            name="subject",
            field=models.CharField(
                help_text="The id of the object, as the handler of this kind knows it.", max_length=200
            ),
        ),
    ]
