

import common.values
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_first_tables'),
        ('annotation', '0001_first_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Episode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(max_length=128, unique=True)),
                ('continuation', models.PositiveIntegerField()),
                ('instruction', models.TextField()),
                ('takeover_s', models.FloatField()),
                ('transcript', models.JSONField(blank=True, default=list)),
                ('step_frames', models.JSONField(blank=True, default=list)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('reference', models.JSONField(blank=True, null=True)),
                ('digest', models.CharField(editable=False, help_text='Of the data with defaults and the video.', max_length=64)),
                ('status', models.CharField(choices=[('preparing', 'Preparing'), ('ready', 'Ready'), ('failed', 'Failed')], default='preparing', max_length=16)),
                ('problem_code', models.CharField(blank=True, default='', max_length=64)),
                ('problem_detail', models.TextField(blank=True, default='')),
                ('folder', models.CharField(default=common.values.opaque_id, editable=False, max_length=64)),
                ('source', models.CharField(help_text='The video as posted.', max_length=255)),
                ('source_sha256', models.CharField(max_length=64)),
                ('trajectory', models.CharField(blank=True, default='', max_length=255)),
                ('created_at', models.DateTimeField()),
                ('ready_at', models.DateTimeField(blank=True, null=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='episodes', to='agents.agent')),
            ],
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('instruction', models.TextField()),
                ('category', models.CharField(max_length=100)),
                ('skill', models.CharField(max_length=100)),
                ('takeover_s', models.FloatField()),
                ('continuation_s', models.FloatField()),
                ('criteria', models.TextField(blank=True, default='')),
                ('prompt', models.TextField(blank=True, default='')),
                ('tags', models.JSONField(blank=True, default=list)),
                ('difficulty', models.JSONField(blank=True, null=True)),
                ('source', models.JSONField(blank=True, null=True)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Suite',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=common.values.opaque_id, editable=False, max_length=32, unique=True)),
                ('filename', models.CharField(max_length=255)),
                ('bytes', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('open', 'Open'), ('complete', 'Complete')], default='open', max_length=16)),
                ('file', models.CharField(blank=True, default='', help_text='Where the whole file is stored.', max_length=255)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='EpisodeTask',
            fields=[
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='shown', serialize=False, to='annotation.task')),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shown_in', to='evaluation.episode')),
            ],
        ),
        migrations.AddField(
            model_name='episode',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='episodes', to='evaluation.revision'),
        ),
        migrations.CreateModel(
            name='Scenario',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=128)),
                ('created_at', models.DateTimeField()),
                ('current', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='evaluation.revision')),
                ('suite', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scenarios', to='evaluation.suite')),
            ],
        ),
        migrations.AddField(
            model_name='revision',
            name='scenario',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='evaluation.scenario'),
        ),
        migrations.AddField(
            model_name='episode',
            name='scenario',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='episodes', to='evaluation.scenario'),
        ),
        migrations.CreateModel(
            name='UploadPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('etag', models.CharField(max_length=64)),
                ('file', models.CharField(max_length=255)),
                ('upload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='evaluation.upload')),
            ],
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=63)),
                ('created_at', models.DateTimeField()),
                ('revisions', models.ManyToManyField(related_name='versions', to='evaluation.revision')),
                ('suite', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='evaluation.suite')),
            ],
        ),
        migrations.CreateModel(
            name='Feed',
            fields=[
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='feed', serialize=False, to='annotation.project')),
                ('agents', models.ManyToManyField(blank=True, help_text='None: every agent.', related_name='feeds', to='agents.agent')),
                ('suite', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='feeds', to='evaluation.suite')),
                ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='feeds', to='evaluation.version')),
            ],
        ),
        migrations.CreateModel(
            name='Film',
            fields=[
                ('episode', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='film', serialize=False, to='evaluation.episode')),
                ('table', models.JSONField(help_text='Frame table, compact: exact presentation times.')),
                ('frames', models.PositiveIntegerField()),
                ('duration_s', models.FloatField()),
                ('width', models.PositiveIntegerField()),
                ('height', models.PositiveIntegerField()),
                ('codec', models.CharField(max_length=32)),
                ('proxy', models.CharField(max_length=255)),
                ('proxy_sha256', models.CharField(max_length=64)),
                ('poster', models.CharField(max_length=255)),
                ('filmstrip', models.JSONField()),
                ('prep_version', models.PositiveIntegerField()),
                ('prepared_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('frames__gte', 1)), name='film_has_frames')],
            },
        ),
        migrations.AddConstraint(
            model_name='revision',
            constraint=models.UniqueConstraint(fields=('scenario', 'digest'), name='revision_once_per_wording'),
        ),
        migrations.AddConstraint(
            model_name='revision',
            constraint=models.CheckConstraint(condition=models.Q(('takeover_s__gte', 0)), name='revision_takeover_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='revision',
            constraint=models.CheckConstraint(condition=models.Q(('continuation_s__gt', 0)), name='revision_continuation_positive'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['scenario', 'status'], name='episode_of_scenario'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.UniqueConstraint(fields=('agent', 'scenario', 'continuation'), name='episode_once_per_try'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.CheckConstraint(condition=models.Q(('takeover_s__gte', 0)), name='episode_takeover_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), models.Q(('problem_code', ''), _negated=True)), models.Q(models.Q(('status', 'failed'), _negated=True), ('problem_code', '')), _connector='OR'), name='episode_failed_has_a_problem'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ready_at__isnull', False), ('status', 'ready')), models.Q(models.Q(('status', 'ready'), _negated=True), ('ready_at', None)), _connector='OR'), name='episode_ready_has_a_time'),
        ),
        migrations.AddConstraint(
            model_name='scenario',
            constraint=models.UniqueConstraint(fields=('suite', 'key'), name='scenario_key_once_per_suite'),
        ),
        migrations.AddConstraint(
            model_name='uploadpart',
            constraint=models.UniqueConstraint(fields=('upload', 'number'), name='upload_part_once'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('suite', 'slug'), name='version_once_per_suite'),
        ),
    ]
