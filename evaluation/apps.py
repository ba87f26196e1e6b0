from datetime import timedelta

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.tools.marker import marker
        from evaluation import clips, episodes, preparation, uploads
        from jobs import outbox
        from jobs.recurring import every

        marker.clips = clips.EpisodeClips()
        outbox.handles(episodes.PREPARE, preparation.prepare_episode, abandon=preparation.abandon)
        every(timedelta(days=1), "evaluation.forget_uploads", uploads.forget_unfinished)
