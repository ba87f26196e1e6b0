from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    Command, Session = apps.get_model("interaction", "Command"), apps.get_model("interaction", "Session")
    of_session = Session.objects.filter(pk=OuterRef("session"))
    Command.objects.filter(project=None).update(
        project=Subquery(of_session.values("project")[:1]),
        agent=Subquery(of_session.values("agent")[:1]),
        worker=Subquery(of_session.values("assignment__worker")[:1]),
    )
    pay = apps.get_model("annotation", "Project").objects.filter(pk=OuterRef("project")).values("base_pay")
    Session.objects.filter(base_pay=None).update(base_pay=Subquery(pay[:1]))
    from routing.wording import fault_of, plain

    changed = []
    for command in Command.objects.filter(plain_text="").only("text", "plain_text", "fault").iterator(chunk_size=1000):
        command.plain_text, command.fault = plain(command.text), fault_of(command.text)
        changed.append(command)
        if len(changed) == 1000:
            Command.objects.bulk_update(changed, ["plain_text", "fault"])
            changed = []
    Command.objects.bulk_update(changed, ["plain_text", "fault"])


def fill_accounts(apps, schema_editor):
    """What is owed for a part of a session is charged to its project."""
    Entry, Session = apps.get_model("workforce", "LedgerEntry"), apps.get_model("interaction", "Session")
    begin = "partial:session:"
    entries = Entry.objects.filter(account="", reason__startswith=begin)
    for pk, reason in list(entries.values_list("pk", "reason")):
        slug = Session.objects.filter(public_id=reason.removeprefix(begin)).values_list("project__slug", flat=True)
        Entry.objects.filter(pk=pk).update(account=slug.first() or "")


class Migration(migrations.Migration):
    dependencies = [("interaction", "0004_commands_of_any_origin_and_corpora")]
    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(fill_accounts, migrations.RunPython.noop),
    ]
