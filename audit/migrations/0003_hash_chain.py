from django.db import migrations, models
from django.db.models import Q

# Two changes pass: the place in the chain, once, and a redaction, which empties the texts and their salt.
SAME = (
    "NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.actor = OLD.actor AND NEW.verb = OLD.verb "
    "AND NEW.subject_kind = OLD.subject_kind AND NEW.subject = OLD.subject AND NEW.project = OLD.project"
)
SEALS = (
    "OLD.number IS NULL AND NEW.number IS NOT NULL AND NEW.reason = OLD.reason AND NEW.detail = OLD.detail "
    "AND COALESCE(CAST(NEW.redacted_at AS text), '') = COALESCE(CAST(OLD.redacted_at AS text), '')"
)
REDACTS = (
    "OLD.redacted_at IS NULL AND NEW.redacted_at IS NOT NULL AND NEW.reason = '' AND NEW.salt = '' "
    "AND COALESCE(NEW.number, 0) = COALESCE(OLD.number, 0) AND NEW.texts_digest = OLD.texts_digest "
    "AND NEW.digest = OLD.digest"
)

POSTGRESQL = f"""
CREATE FUNCTION audit_written_once() RETURNS trigger AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF {SAME} AND (({SEALS}) OR ({REDACTS} AND NEW.detail = '{{}}'::jsonb)) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'audit events are written once';
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER audit_written_once BEFORE UPDATE OR DELETE ON audit_auditevent
    FOR EACH ROW EXECUTE FUNCTION audit_written_once();
CREATE TRIGGER audit_never_emptied BEFORE TRUNCATE ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_written_once();
"""
REFUSAL = "BEGIN SELECT RAISE(ABORT, 'audit events are written once'); END"
SQLITE = (
    f"CREATE TRIGGER audit_written_once BEFORE UPDATE ON audit_auditevent "
    f"WHEN NOT ({SAME} AND (({SEALS}) OR ({REDACTS} AND NEW.detail = '{{}}'))) {REFUSAL}",
    f"CREATE TRIGGER audit_never_deleted BEFORE DELETE ON audit_auditevent {REFUSAL}",
    # INSERT OR REPLACE deletes the row in its way without a word to the trigger above.
    "CREATE TRIGGER audit_never_replaced BEFORE INSERT ON audit_auditevent "
    f"WHEN EXISTS (SELECT 1 FROM audit_auditevent WHERE id = NEW.id OR number = NEW.number) {REFUSAL}",
)


# No way back: a database without these triggers would take changes without a word.


def unguard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER audit_written_once ON audit_auditevent")
        schema_editor.execute("DROP FUNCTION audit_written_once()")
    else:
        schema_editor.execute("DROP TRIGGER audit_written_once")


def guard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
    else:
        for statement in SQLITE:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_written_once")]

    operations = [
        migrations.RunPython(unguard),
        migrations.AddField(
            "auditevent",
            "number",
            models.BigIntegerField(
                help_text="From 1, without gaps; empty: not sealed yet.", null=True, unique=True
            ),
        ),
        migrations.AddField("auditevent", "salt", models.CharField(blank=True, default="", max_length=32)),
        migrations.AddField("auditevent", "texts_digest", models.CharField(blank=True, default="", max_length=64)),
        migrations.AddField("auditevent", "digest", models.CharField(blank=True, default="", max_length=64)),
        migrations.AddIndex(
            "auditevent", models.Index(condition=Q(number=None), fields=["id"], name="audit_unsealed")
        ),
        migrations.CreateModel(
            name="ChainCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                (
                    "number",
                    models.BigIntegerField(help_text="Of the last event in the chain; 0: the chain is empty."),
                ),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("anchored", models.BigIntegerField(help_text="Of the last event that the anchor file names.")),
                ("unsealed", models.BigIntegerField(help_text="Events that had no place in the chain yet.")),
                ("fault_count", models.BigIntegerField()),
                ("faults", models.JSONField(help_text="The sentences of the first faults.")),
            ],
            options={"indexes": [models.Index(fields=["at"], name="chain_check_by_time")]},
        ),
        migrations.RunPython(guard),
    ]
