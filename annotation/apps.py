from datetime import timedelta

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import flagged_texts, privacy, tool_registry
        from annotation.consensus import consensus, rater_fit, reweighing
        from annotation.offer import information_page, instruction_pictures
        from annotation.pay import approvals
        from annotation.projects import alarms as project_alarms
        from annotation.projects import archive
        from annotation.quality import worker_records
        from annotation.references import references
        from annotation.review import queue_sources
        from annotation.tools.parse import chains
        from annotation.tools.parse.tool import parse
        from annotation.tools.practice import PRACTICE, check_practice
        from annotation.tools.quiz_questions import TaskQuestions
        from annotation.tools.voxels.tool import voxels
        from annotation.work import leases
        from events import alarms
        from jobs.outbox import handles
        from jobs.recurring import every
        from workforce import blocking, questions
        from workforce.signals import attempt_finished

        for kind in project_alarms.KINDS:
            alarms.register(kind)
        tool_registry.register(parse)
        tool_registry.register(voxels)
        tool_registry.register_shared_setting(PRACTICE, check_practice)
        questions.register_kind(questions.TASK, TaskQuestions())
        attempt_finished.connect(flagged_texts.flag_attempt)
        queue_sources.register_all()
        privacy.register()
        handles(consensus.FIT, rater_fit.run)
        handles(blocking.REWEIGH, reweighing.run)
        handles(references.RESCORE, references.rescore)
        handles(
            instruction_pictures.PREPARE, instruction_pictures.prepare_picture, abandon=instruction_pictures.abandon
        )
        # Claims take back overdue holds themselves; this is for projects in which nobody claims just now.
        every(timedelta(minutes=1), "annotation.expire_overdue", lambda at: leases.expire_overdue(at=at, limit=500))
        every(timedelta(minutes=1), "annotation.free_slots", lambda at: leases.free_slots(at=at))
        every(timedelta(minutes=1), "annotation.approve_overdue", lambda at: approvals.approve_overdue(at=at))
        every(timedelta(minutes=5), "annotation.measure_records", lambda at: worker_records.measure_outdated(at=at))
        every(timedelta(minutes=10), "annotation.leave_idle_chains", lambda at: chains.leave_idle(at=at))
        every(timedelta(days=1), "annotation.delete_archived", archive.delete_unused_projects)
        every(timedelta(days=1), "annotation.information", lambda at: information_page.renew_information(at=at))
