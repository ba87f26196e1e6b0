from datetime import timedelta

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import claims, tools
        from annotation.tools.marker import marker
        from jobs.recurring import every

        tools.register(marker)
        # Claims take back what is overdue by themselves; this is for projects that nobody claims in just now.
        every(timedelta(minutes=1), "annotation.expire_overdue", lambda at: claims.expire_overdue(at=at, limit=500))
