from datetime import timedelta

from django.apps import AppConfig


class WorkforceConfig(AppConfig):
    name = "workforce"

    def ready(self) -> None:
        from jobs import outbox
        from jobs.recurring import every
        from workforce import privacy, retention

        outbox.handles(privacy.ERASE, privacy.erase_worker)
        privacy.register_teller("identity", privacy.tell_identity)
        privacy.register_teller("consents", privacy.tell_consents)
        privacy.register_teller("quizzes", privacy.tell_attempts)
        privacy.register_teller("qualifications", privacy.tell_grants)
        privacy.register_teller("money", privacy.tell_ledger)
        privacy.register_teller("events", privacy.tell_events)
        quiz = retention.OldText(retention.old_quiz_answers, retention.remove_quiz_answers)
        retention.register_old_text("quiz_answers", quiz)
        every(timedelta(days=1), "workforce.retention", retention.run)
