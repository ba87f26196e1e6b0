from datetime import timedelta

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.review import queue
        from annotation.tool_registry import register
        from evaluation import announcements, archive, episodes, marker, preparation, uploads
        from evaluation.bucket_files import copies, postings
        from evaluation.figures import rank_intervals
        from jobs import outbox
        from jobs.recurring import every

        register(marker.marker)
        queue.register(preparation.FailedEpisodes())
        outbox.handles(episodes.PREPARE, preparation.prepare_episode, abandon=preparation.abandon)
        outbox.handles(copies.COPY, copies.copy_in_background, abandon=copies.abandon)
        outbox.handles(postings.POST, postings.copy_and_post, abandon=postings.abandon)
        outbox.handles(rank_intervals.COMPUTE, rank_intervals.compute)
        every(announcements.EVERY, "evaluation.tell_of_changes", announcements.tell_of_changes)
        every(timedelta(days=1), "evaluation.forget_uploads", uploads.forget_unused)
        every(timedelta(days=1), "evaluation.delete_archived", archive.delete_unused)
