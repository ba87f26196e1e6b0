from datetime import timedelta

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import approvals, flagged_texts, information, leases, privacy, roles, tools
        from annotation.review import queue, sources
        from annotation.staff import rail
        from annotation.tools.marker import marker
        from annotation.tools.parse import chains, parse
        from annotation.tools.questions import ToolQuestions
        from annotation.tools.voxels import voxels
        from common.staff import also_asks
        from jobs.recurring import every
        from workforce.questions import register_task_kind

        tools.register(marker)
        tools.register(parse)
        tools.register(voxels)
        register_task_kind(ToolQuestions())
        also_asks(roles.check_any_role)
        sources.register_all()
        queue.register(flagged_texts.FlaggedTexts())
        rail.count_in_rail("review", lambda user: queue.count(roles.projects_for(user)).total)
        privacy.register_all()
        self._consensus()
        every(timedelta(minutes=10), "annotation.leave_idle_chains", lambda at: chains.leave_idle(at=at))
        every(timedelta(days=1), "annotation.information", lambda at: information.renew_information(at=at))
        # Claims take back what is overdue by themselves; this is for projects that nobody claims in just now.
        every(timedelta(minutes=1), "annotation.expire_overdue", lambda at: leases.expire_overdue(at=at, limit=500))
        every(timedelta(minutes=1), "annotation.approve_overdue", lambda at: approvals.approve_overdue(at=at))
        self._trust()

    def _consensus(self) -> None:
        """What keeps every consensus true in the background."""
        from annotation import consensus, fitting, weighting
        from jobs import outbox
        from workforce import standing

        outbox.handles(consensus.FIT, fitting.run)
        outbox.handles(weighting.REWEIGH, weighting.run)
        standing.on_weighting_changed(weighting.follow)

    def _trust(self) -> None:
        """What is learnt of workers in the background."""
        from annotation import records, references
        from jobs.outbox import handles
        from jobs.recurring import every

        handles(references.RESCORE, references.rescore)
        every(timedelta(minutes=5), "annotation.measure_records", lambda at: records.measure_outdated(at=at))
