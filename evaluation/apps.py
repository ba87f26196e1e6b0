from datetime import timedelta

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.review import queue
        from annotation.tool_registry import register
        from evaluation import episodes, marker, preparation, uploads
        from jobs import outbox
        from jobs.recurring import every

        register(marker.marker)
        queue.register(preparation.FailedEpisodes())
        outbox.handles(episodes.PREPARE, preparation.prepare_episode, abandon=preparation.abandon)
        every(timedelta(days=1), "evaluation.forget_uploads", uploads.forget_unfinished)
