from datetime import timedelta

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.review import queue
        from annotation.tools.marker import marker
        from evaluation import clips, episodes, failures, preparation, uploads
        from jobs import outbox
        from jobs.recurring import every

        marker.clips = clips.EpisodeClips()
        queue.register(failures.FailedEpisodes())
        outbox.handles(episodes.PREPARE, preparation.prepare_episode, abandon=preparation.abandon)
        every(timedelta(days=1), "evaluation.forget_uploads", uploads.forget_unfinished)
