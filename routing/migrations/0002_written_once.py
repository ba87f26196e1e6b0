from django.db import migrations

POSTGRESQL = """
CREATE FUNCTION tree_version_written_once() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'versions of trees are written once';
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER tree_version_written_once BEFORE UPDATE ON routing_treeversion
    FOR EACH ROW EXECUTE FUNCTION tree_version_written_once();
"""
SQLITE = """
CREATE TRIGGER tree_version_written_once BEFORE UPDATE ON routing_treeversion
BEGIN
    SELECT RAISE(ABORT, 'versions of trees are written once');
END;
"""


def guard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
    else:
        schema_editor.execute(SQLITE)


def unguard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER tree_version_written_once ON routing_treeversion")
        schema_editor.execute("DROP FUNCTION tree_version_written_once()")
    else:
        schema_editor.execute("DROP TRIGGER tree_version_written_once")


class Migration(migrations.Migration):
    dependencies = [("routing", "0001_initial")]

    operations = [migrations.RunPython(guard, unguard)]
