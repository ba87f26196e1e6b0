from datetime import timedelta

from django.apps import AppConfig

from common.optional_packages import hidden, hide

# The admin and the REST framework would load psycopg for fields of PostgreSQL that no model has, also on SQLite.
hide("django.contrib.postgres")
# This module is the first of all that load the REST framework. What it does with these packages (a test client, a
# browsable API) is not used here.
with hidden("requests", "pygments", "yaml"):
    import rest_framework.compat  # noqa: F401


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
