

import common.values
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='InformationPage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(help_text='Markdown.')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('platform', models.SlugField(max_length=63)),
                ('external_id', models.CharField(max_length=128)),
                ('pseudonym', models.CharField(default=common.values.opaque_id, editable=False, max_length=32, unique=True)),
                ('status', models.CharField(choices=[('active', 'Active'), ('blocked', 'Blocked')], default='active', max_length=16)),
                ('blocked_reason', models.TextField(blank=True, default='')),
                ('is_simulated', models.BooleanField(default=False, help_text='A program that stands in for a person (demo, tests).')),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('platform', 'external_id'), name='worker_once_per_platform'), models.CheckConstraint(condition=models.Q(models.Q(('blocked_reason', ''), ('status', 'active')), models.Q(('status', 'blocked'), models.Q(('blocked_reason', ''), _negated=True)), _connector='OR'), name='worker_blocked_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='StandingEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('blocked', 'Blocked'), ('unblocked', 'Unblocked')], max_length=16)),
                ('reason', models.TextField(default='')),
                ('by', models.CharField(help_text='The person or the key that did it.', max_length=200)),
                ('at', models.DateTimeField()),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standing_events', to='workforce.worker')),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('base', 'Base'), ('bonus', 'Bonus'), ('partial', 'Partial'), ('correction', 'Correction')], max_length=16)),
                ('reason', models.CharField(help_text='What it is for, as `base:annotation:ID`; paid once.', max_length=200)),
                ('amount', models.DecimalField(decimal_places=4, max_digits=12)),
                ('currency', models.CharField(max_length=3)),
                ('at', models.DateTimeField()),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='workforce.worker')),
            ],
            options={
                'verbose_name_plural': 'ledger entries',
                'indexes': [models.Index(fields=['worker', 'at'], name='ledger_of_worker')],
                'constraints': [models.UniqueConstraint(fields=('worker', 'reason'), name='ledger_entry_once_per_reason')],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('given_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('page', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='workforce.informationpage')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consents', to='workforce.worker')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('worker', 'page'), name='consent_standing_once')],
            },
        ),
    ]
