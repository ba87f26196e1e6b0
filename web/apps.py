from datetime import timedelta

from django.apps import AppConfig


class WebConfig(AppConfig):
    """The pages, the API and the sockets."""

    name = "web"

    def ready(self) -> None:
        from jobs.recurring import every
        from web import holdings
        from web.api.idempotency import forget_old
        from web.http import converters

        converters.register_all()
        holdings.register()
        every(timedelta(hours=1), "agents.forget_replies", lambda at: forget_old(at=at))
