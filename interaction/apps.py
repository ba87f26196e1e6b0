from datetime import timedelta

from django.apps import AppConfig


class InteractionConfig(AppConfig):
    name = "interaction"

    def ready(self) -> None:
        from annotation import tool_registry
        from events import alarms
        from interaction import privacy, repair
        from interaction.agents import alarms as agent_alarms
        from interaction.project.tool import interaction
        from interaction.session import ticks
        from jobs import outbox
        from jobs.recurring import every
        from routing import dispatch

        for kind in agent_alarms.KINDS:
            alarms.register(kind)
        tool_registry.register(interaction)
        privacy.register_all()
        outbox.handles(repair.RECONSIDER, repair.reconsider)
        # Here and not in routing, since the handler reads the command's session.
        outbox.handles(dispatch.ROUTE, repair.route)
        # Every server process with sockets ticks once a second; this is for the time when no process has any.
        every(timedelta(minutes=1), "interaction.timekeeping", lambda at: ticks.tick(at=at))
