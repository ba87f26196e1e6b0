

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True, default='')),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('prefix', models.CharField(help_text='The first characters, to tell keys apart.', max_length=12)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Reply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('credential', models.CharField(help_text='Digest of the Authorization header.', max_length=64)),
                ('key', models.CharField(max_length=255)),
                ('fingerprint', models.CharField(help_text='Digest of method, path and body.', max_length=64)),
                ('status', models.PositiveSmallIntegerField(help_text='Null while the first is still being answered.', null=True)),
                ('content_type', models.CharField(default='', max_length=100)),
                ('body', models.TextField(default='')),
                ('created_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'verbose_name_plural': 'replies',
                'constraints': [models.UniqueConstraint(fields=('credential', 'key'), name='reply_once_per_credential')],
            },
        ),
        migrations.CreateModel(
            name='Metric',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('metric', models.CharField(max_length=100)),
                ('value', models.FloatField()),
                ('n', models.PositiveIntegerField(blank=True, null=True)),
                ('standard_error', models.FloatField(blank=True, null=True)),
                ('suite', models.CharField(blank=True, default='', max_length=63)),
                ('version', models.CharField(blank=True, default='', max_length=63)),
                ('created_at', models.DateTimeField()),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='metrics', to='agents.agent')),
            ],
            options={
                'indexes': [models.Index(fields=['agent', 'metric'], name='metric_of_agent')],
                'constraints': [models.CheckConstraint(condition=models.Q(('standard_error', None), ('standard_error__gte', 0), _connector='OR'), name='metric_standard_error_not_negative')],
            },
        ),
    ]
