from datetime import timedelta

from django.apps import AppConfig


class WorkforceConfig(AppConfig):
    name = "workforce"

    def ready(self) -> None:
        from jobs import outbox
        from jobs.recurring import every
        from workforce import privacy, retention

        outbox.handles(privacy.ERASE, privacy.erase_worker)
        holdings = privacy.Holdings(
            exports={
                "identity": privacy.export_identity,
                "consents": privacy.export_consents,
                "quizzes": privacy.export_attempts,
                "qualifications": privacy.export_grants,
                "money": privacy.export_ledger,
                "events": privacy.export_events,
            },
            old_texts={"quiz_answers": privacy.OldText(retention.old_quiz_answers, retention.remove_quiz_answers)},
            unseen=retention.unseen,
        )
        privacy.register("workforce", holdings)
        every(timedelta(days=1), "workforce.retention", retention.run)
