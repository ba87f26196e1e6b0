"""An empty database for a measurement, deleted afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import django


@contextmanager
def own_database() -> Iterator[None]:
    """Set Django up on a database of its own beside the one in the environment."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.files.storage import default_storage
    from django.db import connection, connections

    from common.file_storage import FileStorage

    if isinstance(default_storage, FileStorage):
        default_storage.make_folder()
    earlier = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connections.close_all()
        connection.creation.destroy_test_db(str(earlier), verbosity=0)
