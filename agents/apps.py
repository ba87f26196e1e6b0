from datetime import timedelta

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        from agents.replies import forget_old
        from jobs.recurring import every

        every(timedelta(hours=1), "agents.forget_replies", lambda at: forget_old(at=at))
