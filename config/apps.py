from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Holds the commands that start Crosswalk, and makes the Celery app known to whoever sends a message."""

    name = "config"

    def ready(self) -> None:
        from config import celery, erasure, recordings  # noqa: F401

        erasure.register()
        recordings.register()
