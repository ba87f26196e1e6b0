from datetime import timedelta

from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "events"

    def ready(self) -> None:
        from events import alarms, deliveries, log, server_alarms
        from jobs.outbox import handles
        from jobs.recurring import every

        handles(log.DELIVER, deliveries.deliver)
        handles(alarms.MAIL, alarms.mail)
        for kind in server_alarms.KINDS:
            alarms.register(kind)
        every(timedelta(minutes=1), "events.look_at_alarms", alarms.look)
        every(timedelta(minutes=1), "events.deliver_due", deliveries.each_minute)
        every(timedelta(days=1), "events.forget_old", log.forget_old)
