from datetime import timedelta

from django.apps import AppConfig


class InteractionConfig(AppConfig):
    name = "interaction"

    def ready(self) -> None:
        from annotation import approvals, tools
        from annotation.staff import tool_pages
        from interaction import bell, cases, paying, privacy, timekeeping, tree_uses, truths, wakeups
        from interaction.recordings import making
        from interaction.recordings import privacy as recorded_words
        from interaction.staff.session_list import command_address
        from interaction.staff.tool_page import PAGE
        from interaction.tool import interaction
        from jobs import outbox
        from jobs.recurring import every
        from routing import cases as routed
        from routing import uses
        from routing.staff import links

        tools.register(interaction)
        approvals.on_decided(paying.decided)
        routed.comes_from(cases.find, truths.learn, cases.hold)
        links.commands_are_at(command_address)
        tool_pages.register(interaction.name, PAGE)
        uses.tell_uses(tree_uses.projects_by_tree)
        wakeups.ring_with(bell.ring)
        privacy.register_all()
        recorded_words.register_all()
        outbox.handles(making.RECORD, making.record, abandon=making.abandon)
        outbox.handles(cases.RECONSIDER, cases.reconsider)
        # Every server process looks once a second; this is for the time when nobody is connected to any.
        every(timedelta(minutes=1), "interaction.timekeeping", lambda at: timekeeping.tick(at=at))
