from django.db import migrations


class Migration(migrations.Migration):
    # Apart from the move: PostgreSQL drops no table whose rows the same transaction has just deleted.
    dependencies = [("workforce", "0003_standing_events_to_audit_log")]

    operations = [migrations.DeleteModel(name="StandingEvent")]
