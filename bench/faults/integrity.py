"""`python -m bench.faults.integrity`: prints as JSON what is wrong with the rows of the server's database."""

import json
import os

import django


def found() -> list[str]:
    from annotation.models import Project
    from tests.support.crowds import check

    faults = []
    for project in Project.objects.order_by("pk"):
        try:
            check(project)
        except AssertionError as error:
            faults.append(f"{project.slug}: {error}")
    return faults


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    print(json.dumps(found()))  # noqa: T201


if __name__ == "__main__":
    main()
