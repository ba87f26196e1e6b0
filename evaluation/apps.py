from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.tools.marker import marker
        from evaluation import clips, episodes, preparation
        from jobs import outbox

        marker.clips = clips.EpisodeClips()
        outbox.handles(episodes.PREPARE, preparation.prepare_episode, abandon=preparation.abandon)
