

import common.values
import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('workforce', '0001_first_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=128)),
                ('payload', models.JSONField()),
                ('digest', models.CharField(editable=False, help_text='Of all that was posted, to tell a repeat.', max_length=64)),
                ('priority', models.IntegerField(default=0)),
                ('own_redundancy', models.PositiveIntegerField(blank=True, help_text="Null: the project's.", null=True)),
                ('wanted', models.PositiveIntegerField(help_text='Annotations until done.')),
                ('slots_left', models.PositiveIntegerField()),
                ('open', models.BooleanField(default=True)),
                ('status', models.CharField(choices=[('open', 'Open'), ('done', 'Done'), ('unjudgeable', 'Unjudgeable')], default='open', max_length=16)),
                ('is_reference', models.BooleanField(default=False)),
                ('shuffle', models.FloatField(editable=False, help_text='Random in 0..1: where references are drawn from.')),
                ('created_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('tool', models.CharField(help_text='The name of a registered tool.', max_length=32)),
                ('instructions', models.JSONField(default=list, help_text='Markdown pages, in order.')),
                ('redundancy', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)])),
                ('reference_rate', models.FloatField(default=0.1, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('lease_s', models.PositiveIntegerField(default=900)),
                ('limit_per_worker', models.PositiveIntegerField(blank=True, null=True)),
                ('base_pay', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True)),
                ('budget', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('spent', models.DecimalField(decimal_places=4, default=Decimal('0'), editable=False, max_digits=12)),
                ('settings', models.JSONField(blank=True, default=dict, help_text='What the tool lets a project choose.')),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('live', 'Live'), ('paused', 'Paused'), ('closed', 'Closed')], default='draft', max_length=16)),
                ('annotation_count', models.PositiveIntegerField(default=0, editable=False)),
                ('created_at', models.DateTimeField()),
                ('consent_page', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workforce.informationpage')),
            ],
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=common.values.opaque_id, editable=False, max_length=32, unique=True)),
                ('status', models.CharField(choices=[('claimed', 'Claimed'), ('submitted', 'Submitted'), ('released', 'Released'), ('reported', 'Reported'), ('expired', 'Expired')], default='claimed', max_length=16)),
                ('claimed_at', models.DateTimeField()),
                ('lease_expires_at', models.DateTimeField()),
                ('draft', models.JSONField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, choices=[('video_broken', 'Video Broken'), ('instruction_unclear', 'Instruction Unclear'), ('ambiguous', 'Ambiguous'), ('other', 'Other')], default='', max_length=32)),
                ('problem_text', models.TextField(blank=True, default='')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='workforce.worker')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.task')),
            ],
        ),
        migrations.AddField(
            model_name='task',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='annotation.project'),
        ),
        migrations.CreateModel(
            name='Enrolment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('cursor_priority', models.IntegerField(editable=False, help_text='Null: at the start.', null=True)),
                ('cursor_task', models.BigIntegerField(default=0, editable=False)),
                ('submitted', models.PositiveIntegerField(default=0)),
                ('earned', models.DecimalField(decimal_places=4, default=Decimal('0'), max_digits=12)),
                ('created_at', models.DateTimeField()),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='enrolments', to='workforce.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='enrolments', to='annotation.project')),
            ],
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=common.values.opaque_id, editable=False, max_length=32, unique=True)),
                ('number', models.PositiveIntegerField(help_text='1, 2, 3… within the project, in the order of commit.')),
                ('answer', models.JSONField()),
                ('score', models.FloatField(blank=True, null=True)),
                ('claimed_at', models.DateTimeField()),
                ('submitted_at', models.DateTimeField()),
                ('active_s', models.FloatField(blank=True, null=True)),
                ('superseded_by', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='supersedes', to='annotation.annotation')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='workforce.worker')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='annotation', to='annotation.assignment')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='annotation.task')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='annotation.project')),
            ],
        ),
        migrations.CreateModel(
            name='WorkToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('enrolment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='annotation.enrolment')),
            ],
        ),
        migrations.CreateModel(
            name='Consensus',
            fields=[
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='consensus', serialize=False, to='annotation.task')),
                ('answer', models.JSONField()),
                ('method', models.CharField(choices=[('majority', 'Majority')], max_length=32)),
                ('confidence', models.FloatField()),
                ('annotations', models.PositiveIntegerField()),
                ('settled_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'consensus',
                'constraints': [models.CheckConstraint(condition=models.Q(('confidence__gte', 0), ('confidence__lte', 1)), name='consensus_confidence_is_a_fraction')],
            },
        ),
        migrations.CreateModel(
            name='Truth',
            fields=[
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='truth', serialize=False, to='annotation.task')),
                ('answers', models.JSONField()),
                ('tolerance_s', models.FloatField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('tolerance_s', None), ('tolerance_s__gte', 0), _connector='OR'), name='truth_tolerance_not_negative')],
            },
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('status', 'claimed')), fields=['lease_expires_at'], name='assignment_lease'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('status', 'claimed')), fields=['worker'], name='assignment_held_by'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['task', 'worker'], name='assignment_of_task_and_worker'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['released', 'expired']), _negated=True), fields=('task', 'worker'), name='assignment_once_per_worker'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('status', 'claimed')), models.Q(models.Q(('status', 'claimed'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='assignment_closed_has_a_time'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'reported'), models.Q(('problem', ''), _negated=True)), models.Q(models.Q(('status', 'reported'), _negated=True), ('problem', '')), _connector='OR'), name='assignment_reported_has_a_problem'),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(models.F('project'), models.OrderBy(models.F('priority'), descending=True), models.F('id'), condition=models.Q(('is_reference', False), ('open', True)), name='task_open'),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(condition=models.Q(('is_reference', True), ('open', True)), fields=['project', 'shuffle'], name='task_open_reference'),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(fields=['project', 'is_reference', 'status'], name='task_of_project'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.UniqueConstraint(fields=('project', 'key'), name='task_key_once_per_project'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('slots_left__gte', 0)), name='task_slots_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('wanted__gte', 1)), name='task_wants_at_least_one'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('is_reference', True), ('slots_left__lte', models.F('wanted')), _connector='OR'), name='task_slots_within_wanted'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('open', False), models.Q(('slots_left__gt', 0), ('status', 'open')), _connector='OR'), name='task_open_has_a_slot'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('status', 'open')), models.Q(models.Q(('status', 'open'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='task_closed_has_a_time'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('reference_rate__gte', 0), ('reference_rate__lte', 1)), name='project_reference_rate_is_a_rate'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('redundancy__gte', 1)), name='project_redundancy_at_least_one'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('lease_s__gte', 1)), name='project_lease_at_least_a_second'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('base_pay', None), ('base_pay__gte', 0), _connector='OR'), name='project_base_pay_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('budget', None), ('budget__gte', 0), _connector='OR'), name='project_budget_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='enrolment',
            constraint=models.UniqueConstraint(fields=('project', 'worker'), name='enrolment_once_per_project'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(fields=['worker', 'project'], name='annotation_of_worker'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(fields=('project', 'number'), name='annotation_number_once_per_project'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.CheckConstraint(condition=models.Q(('score', None), models.Q(('score__gte', 0), ('score__lte', 1)), _connector='OR'), name='annotation_score_is_a_fraction'),
        ),
    ]
