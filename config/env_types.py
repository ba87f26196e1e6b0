"""Typed readers of environment variables, for `config/settings.py`; `docs/settings.md` lists every name.

`docs/decisions/0010-libraries-that-were-weighed.md` says why no library does this.
"""

import os
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit


def improper(sentence: str) -> Exception:
    """Django's error for a setting that cannot be used. The keeper reads settings without Django, so it is not imported
    before it is needed.
    """
    from django.core.exceptions import ImproperlyConfigured

    return ImproperlyConfigured(sentence)


class Environment:
    """Reads environment variables by type.

    A bad value raises ImproperlyConfigured; its sentence has the variable's name, the value and the expected form.
    """

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = os.environ if values is None else values

    def text(self, name: str, default: str = "") -> str:
        """The text of the variable; the default where it is unset or empty."""
        return self._values.get(name, "") or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True for 1, true, yes, on; False for 0, false, no, off."""
        raw = self.text(name).lower()
        if not raw:
            return default
        if raw in {"1", "true", "yes", "on"}:
            return True
        if raw in {"0", "false", "no", "off"}:
            return False
        raise improper(f"{name}={raw!r} is neither yes (1) nor no (0)")

    def whole(self, name: str, default: int, *, least: int = 0) -> int:
        """A whole number of at least `least`."""
        raw = self.text(name)
        if not raw:
            return default
        try:
            value = int(raw)
        except ValueError:
            raise improper(f"{name}={raw!r} is not a whole number") from None
        if value < least:
            raise improper(f"{name}={raw!r} is less than {least}")
        return value

    def amount(self, name: str, default: str) -> Decimal:
        """An amount of money of at least 0, as `8.00`."""
        raw = self.text(name, default)
        try:
            value = Decimal(raw)
        except InvalidOperation:
            raise improper(f"{name}={raw!r} is not an amount like 8.00") from None
        if not value.is_finite() or value < 0:
            raise improper(f"{name}={raw!r} is not an amount of at least 0")
        return value

    def words(self, name: str, default: str = "") -> list[str]:
        """Words between commas, without blanks around them; empty words are dropped."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def address(self, name: str) -> str:
        """An https:// address, or http:// on this machine, without a slash at its end; empty where unset."""
        raw = self.text(name).rstrip("/")
        parts = urlsplit(raw)
        local = parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost", "::1"}
        if raw and not (local or (parts.scheme == "https" and parts.hostname)):
            raise improper(f"{name}={raw!r} must be an address that begins with https://")
        return raw

    def origin(self, name: str) -> str:
        """An address of scheme, host and port alone; empty where unset."""
        raw = self.address(name)
        if raw and raw != "{0.scheme}://{0.netloc}".format(urlsplit(raw)):
            raise improper(f"{name}={raw!r} must end with its host or port")
        return raw

    def mail_server(self, name: str) -> dict[str, object]:
        """Django's settings from `smtp://user:password@host:port`; `smtps://` for TLS from the first byte on, and
        `smtp+tls://` for STARTTLS. Where it is unset, nothing is mailed."""
        raw = self.text(name)
        parts = urlsplit(raw)
        if not raw:
            return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
        if parts.scheme not in {"smtp", "smtps", "smtp+tls"} or not parts.hostname:
            raise improper(f"{name} must begin with smtp://, smtps:// or smtp+tls:// and name a host")
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "EMAIL_HOST": parts.hostname,
            "EMAIL_PORT": parts.port or {"smtp": 25, "smtps": 465, "smtp+tls": 587}[parts.scheme],
            "EMAIL_HOST_USER": unquote(parts.username or ""),
            "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
            "EMAIL_USE_SSL": parts.scheme == "smtps",
            "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
            "EMAIL_TIMEOUT": 20,
        }

    def folder(self, name: str, default: Path) -> Path:
        """An absolute folder path."""
        raw = self.text(name)
        return Path(raw).expanduser().absolute() if raw else default

    def choice(self, name: str, default: str, choices: Sequence[str]) -> str:
        """One of the choices; upper or lower case."""
        raw = self.text(name, default)
        if raw.upper() not in choices:
            raise improper(f"{name}={raw!r} is not one of {', '.join(choices)}")
        return raw.upper()

    def database(self, name: str, *, embedded: Path, synchronous: str = "NORMAL") -> dict[str, object]:
        """Django's database settings from a `postgres://user:password@host:port/name` address, else embedded SQLite.

        Args:
            synchronous: SQLite's setting of this name. NORMAL leaves the commits of the last moments to the operating
                system, which writes them also after the process was killed; FULL waits for the disk at each commit.

        SQLite runs in WAL mode with IMMEDIATE transactions: a deferred transaction that first reads and then writes
        fails at once with "database is locked" instead of waiting (measured: 76,972 such errors in 3 s, against 0).
        """
        raw = self.text(name)
        if not raw:
            return _sqlite(embedded, synchronous)
        parts = urlsplit(raw)
        if parts.scheme == "sqlite":
            return _sqlite(Path(unquote(parts.path)), synchronous)
        if parts.scheme not in {"postgres", "postgresql"}:
            raise improper(f"{name} must begin with postgres:// (or be unset for SQLite)")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.lstrip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            # Requests, sockets and long answers have threads of their own. A connection kept by each would add up until
            # PostgreSQL refuses more. They return to a pool that the threads of the process share.
            "OPTIONS": {"pool": {"min_size": 1, "max_size": 32, "timeout": 20}, **dict(parse_qsl(parts.query))},
        }


def _sqlite(path: Path, synchronous: str) -> dict[str, object]:
    return {
        "ENGINE": "common.data.fair_sqlite",
        "NAME": path,
        # Threads that live as long as the process answer requests (`web/edge/request_threads.py`).
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": f"PRAGMA journal_mode=WAL;PRAGMA synchronous={synchronous};PRAGMA temp_store=MEMORY;"
            "PRAGMA mmap_size=134217728;PRAGMA cache_size=-20000;PRAGMA journal_size_limit=67108864;"
            # In pages of 4 kB. A commit copies the log into the database only if `common.data.sqlite.checkpoint` has
            # not done it in time.
            "PRAGMA wal_autocheckpoint=16000;"
            # Deleted content is overwritten, so that an erased person is not found in free pages of the file.
            "PRAGMA secure_delete=ON;",
        },
        "TEST": {"NAME": path.with_name("test.sqlite3")},
    }
