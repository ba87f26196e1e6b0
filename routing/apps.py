from django.apps import AppConfig


class RoutingConfig(AppConfig):
    name = "routing"

    def ready(self) -> None:
        from annotation.settling import on_settled, on_unsettled
        from jobs import outbox
        from routing import privacy, sending

        outbox.handles(sending.ROUTE, sending.run)
        on_settled(sending.settled)
        on_unsettled(sending.unsettled)
        privacy.register_all()
