import gc

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Ends the start of every process, and registers the work that needs both `interaction` and `evaluation`."""

    name = "config"

    def ready(self) -> None:
        from config import recording_job
        from interaction import privacy as sessions_privacy
        from interaction.recordings.requests import RECORD
        from jobs import outbox
        from workforce import privacy
        from workforce.privacy import Holdings, OldText

        outbox.handles(RECORD, recording_job.record, abandon=recording_job.abandon)
        old_words = OldText(sessions_privacy.old_postings, recording_job.remove_old_words)
        privacy.register("postings", Holdings(recording_job.erase, old_texts={"episodes_of_sessions": old_words}))

        # Turned off by `config/settings.py`. No collection visits what is loaded by now.
        gc.freeze()
        gc.enable()
