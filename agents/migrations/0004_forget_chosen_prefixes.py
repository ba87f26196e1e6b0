"""Remove the first characters of keys that somebody chose, and the kept answers with a token."""

from django.db import migrations
from django.db.models import Q


def forget(apps, schema_editor):
    chosen = ~Q(prefix__startswith="cw_") | Q(name="from CROSSWALK_API_KEY")
    apps.get_model("agents", "ApiKey").objects.filter(chosen).update(prefix="")
    apps.get_model("agents", "Reply").objects.filter(body__contains="cww_").delete()


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_limit_api_keys")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
