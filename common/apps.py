from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "common"

    def ready(self) -> None:
        from django.db.models import CharField

        from common.data.among import Among

        CharField.register_lookup(Among)
