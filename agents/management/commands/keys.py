"""`manage.py keys`: makes, lists, rotates and revokes API keys."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from agents.keys import Limits, create_key, revoke_key, rotate_key
from agents.models import ApiKey
from lib.faults import CrosswalkError


class Command(BaseCommand):
    help = "Make, list, rotate or revoke API keys. A new key is printed once, and alone."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        make = acts.add_parser("make", help="Print a new key.")
        make.add_argument("name", help="Whose program it is, and what it does.")
        make.add_argument("--scope", action="append", required=True, choices=ApiKey.Scope.values)
        make.add_argument("--owner", help="The staff account that answers for it.")
        make.add_argument("--project", action="append", default=[], help="Only this project; repeat for more.")
        make.add_argument("--suite", action="append", default=[], help="Only this suite; repeat for more.")
        make.add_argument("--agent", action="append", default=[], help="Only as this agent; repeat for more.")
        make.add_argument("--days", type=int, help="How long it works; without it, until it is revoked.")
        acts.add_parser("list", help="Print all keys, the newest first.")
        rotate = acts.add_parser("rotate", help="Print the key that follows this one.")
        rotate.add_argument("key", type=int, help="Its number in the list.")
        rotate.add_argument("--overlap-hours", type=int, default=24, help="How long the old one still works.")
        revoke = acts.add_parser("revoke", help="End a key for good.")
        revoke.add_argument("key", type=int, help="Its number in the list.")

    def handle(self, *args: Any, act: str, **options: Any) -> None:
        acts: dict[str, Callable[..., None]] = {
            "make": self._make,
            "list": self._list,
            "rotate": self._rotate,
            "revoke": self._revoke,
        }
        try:
            acts[act](**options)
        except CrosswalkError as error:
            raise CommandError(error.reasons) from None

    def _make(self, *, name: str, scope: list[str], owner: str | None, days: int | None, **options: Any) -> None:
        now = timezone.now()
        key = create_key(
            name=name,
            scopes=scope,
            at=now,
            owner=_account(owner) if owner else None,
            limits=Limits(options["project"], options["suite"], options["agent"]),
            expires_at=None if days is None else now + timedelta(days=days),
        )
        self.stdout.write(key)

    def _list(self, **options: Any) -> None:
        now = timezone.now()
        for key in ApiKey.objects.select_related("owner").order_by("-created_at", "-pk"):
            facts = [
                f"{key.pk:>5}  {key.state(at=now):<8} {key}",
                f"scopes {','.join(key.scopes)}",
                f"owner {key.owner.get_username()}" if key.owner else "no owner",
                *(f"{kind} {','.join(getattr(key, kind))}" for kind in Limits._fields if getattr(key, kind)),
                f"until {key.expires_at:%Y-%m-%d %H:%M}" if key.expires_at else "",
                f"used {key.used_at:%Y-%m-%d %H:%M} from {key.used_from}" if key.used_at else "never used",
            ]
            self.stdout.write(" · ".join(fact for fact in facts if fact))

    def _rotate(self, *, key: int, overlap_hours: int, **options: Any) -> None:
        self.stdout.write(
            rotate_key(_numbered(key), overlap=timedelta(hours=overlap_hours), by="system", at=timezone.now())
        )

    def _revoke(self, *, key: int, **options: Any) -> None:
        if not revoke_key(_numbered(key), by="system", at=timezone.now()):
            raise CommandError("This key was revoked before.")


def _numbered(pk: int) -> ApiKey:
    found = ApiKey.objects.filter(pk=pk).first()
    if found is None:
        raise CommandError(f"There is no key {pk}; `manage.py keys list` prints them.")
    return found


def _account(name: str) -> User:
    found = User.objects.filter(username=name, is_staff=True).first()
    if found is None:
        raise CommandError(f"There is no staff account {name}.")
    return found
