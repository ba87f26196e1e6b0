from datetime import timedelta

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        from audit import blocked_content, chain
        from audit.admin_acts import record_deleted, record_saved
        from common.admin import deleted_in_admin, saved_in_admin
        from jobs.outbox import handles
        from jobs.recurring import every

        saved_in_admin.connect(record_saved)
        deleted_in_admin.connect(record_deleted)
        every(timedelta(minutes=1), "audit.seal", lambda at: chain.seal_all())
        every(timedelta(days=1), "audit.verify", lambda at: chain.check())
        every(timedelta(days=1), "audit.forget_blocked_content", blocked_content.forget_old)
        handles(chain.VERIFY_NOW, lambda running: chain.check())
