from datetime import timedelta

from django.apps import AppConfig


class LearningConfig(AppConfig):
    name = "learning"

    def ready(self) -> None:
        from jobs import outbox
        from jobs.recurring import every
        from learning import privacy
        from learning.campaigns import acts, replays, steps
        from learning.data import kinds, tranches
        from learning.data.commands import Commands
        from learning.data.objects import Objects
        from learning.training import external, runs, turns

        kinds.register(Commands())
        kinds.register(Objects())
        privacy.register()
        outbox.handles(tranches.CLOSE, tranches.close_if_due)
        every(timedelta(minutes=1), "learning.closing", tranches.ask_for_closing)
        outbox.handles(turns.TRAIN, runs.train, abandon=runs.abandon)
        outbox.handles(external.TEST, external.tests_of_handed_in)
        every(timedelta(minutes=1), "learning.training", turns.keep_training)
        outbox.handles(acts.ADVANCE, steps.advance)
        every(timedelta(minutes=1), "learning.campaigns", steps.ask_for_steps)
        outbox.handles(replays.REPLAY, replays.play, abandon=replays.abandon)
        every(timedelta(minutes=1), "learning.replays", replays.keep_playing)
