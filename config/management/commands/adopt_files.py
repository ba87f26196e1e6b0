"""`manage.py adopt_files`: says that the files belong to this database, after both were put together on purpose."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from jobs import identity


class Command(BaseCommand):
    help = "Write the identity of this database into the storage of files, and so let them belong together."

    def handle(self, *args: Any, **options: Any) -> None:
        adopted = identity.adopt(at=timezone.now())
        self.stdout.write(f"The files at {identity.place()} belong to this database now ({adopted}).")
