from django.db import migrations

# The one change that passes is a redaction: the free text emptied, everything else as it was.
SAME = (
    "NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.actor = OLD.actor AND NEW.verb = OLD.verb "
    "AND NEW.subject_kind = OLD.subject_kind AND NEW.subject = OLD.subject AND NEW.project = OLD.project"
)
REDACTS = "OLD.redacted_at IS NULL AND NEW.redacted_at IS NOT NULL AND NEW.reason = ''"

POSTGRESQL = f"""
CREATE FUNCTION audit_written_once() RETURNS trigger AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND {SAME} AND {REDACTS} AND NEW.detail = '{{}}'::jsonb THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit events are written once';
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER audit_written_once BEFORE UPDATE OR DELETE ON audit_auditevent
    FOR EACH ROW EXECUTE FUNCTION audit_written_once();
"""
# SQLite empties a table by DELETE where PostgreSQL truncates, so a test's clean-up would fall to a DELETE trigger.
SQLITE = f"""
CREATE TRIGGER audit_written_once BEFORE UPDATE ON audit_auditevent
WHEN NOT ({SAME} AND {REDACTS} AND NEW.detail = '{{}}')
BEGIN
    SELECT RAISE(ABORT, 'audit events are written once');
END;
"""


def guard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
    else:
        schema_editor.execute(SQLITE)


def unguard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER audit_written_once ON audit_auditevent")
        schema_editor.execute("DROP FUNCTION audit_written_once()")
    else:
        schema_editor.execute("DROP TRIGGER audit_written_once")


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [migrations.RunPython(guard, unguard)]
