from django.apps import AppConfig


class RoutingConfig(AppConfig):
    name = "routing"

    def ready(self) -> None:
        from routing import privacy

        privacy.register_all()
