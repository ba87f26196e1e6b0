"""What must be there when the server starts: the database's tables are `migrate`'s, these rows are ours."""

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from annotation.review import taxonomies

ADMIN = "admin"


def prepare_first_start() -> None:
    """Make the key and the password that the environment names, and the taxonomies; a repeat changes nothing."""
    if settings.FIRST_API_KEY:
        create_key(
            name="from CROSSWALK_API_KEY",
            scopes=ApiKey.Scope.values,
            at=timezone.now(),
            key=settings.FIRST_API_KEY,
        )
    if settings.FIRST_ADMIN_PASSWORD:
        set_admin_password(settings.FIRST_ADMIN_PASSWORD)
    taxonomies.make_first()


def set_admin_password(password: str) -> None:
    """Make the user `admin`, or give it this password."""
    admin, _ = User.objects.get_or_create(username=ADMIN, defaults={"is_staff": True, "is_superuser": True})
    if not admin.check_password(password):
        admin.set_password(password)
        admin.save(update_fields=["password"])
