from datetime import timedelta

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        from jobs.recurring import every, forget_finished

        every(timedelta(days=1), "jobs.forget_finished", forget_finished)
