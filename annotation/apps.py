from datetime import timedelta

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import claims, roles, tools
        from annotation.tools.marker import marker
        from annotation.tools.questions import ToolQuestions
        from common.staff import also_asks
        from jobs.recurring import every
        from workforce.questions import register_task_kind

        tools.register(marker)
        register_task_kind(ToolQuestions())
        also_asks(roles.check_any_role)
        # Claims take back what is overdue by themselves; this is for projects that nobody claims in just now.
        every(timedelta(minutes=1), "annotation.expire_overdue", lambda at: claims.expire_overdue(at=at, limit=500))
