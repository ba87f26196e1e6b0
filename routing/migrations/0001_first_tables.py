
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Tree',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='TreeVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='1, 2, 3 … within the tree.')),
                ('content', models.JSONField(help_text='As it was put.')),
                ('digest', models.CharField(editable=False, help_text='Of the content with every default spelled out.', max_length=64)),
                ('by', models.CharField(help_text='Who put it, as the audit log names them.', max_length=200)),
                ('created_at', models.DateTimeField()),
                ('tree', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='routing.tree')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tree', 'number'), name='tree_version_once_per_number'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='tree_version_number_from_one')],
            },
        ),
    ]
