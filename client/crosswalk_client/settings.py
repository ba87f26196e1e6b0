"""The sources of the server's address and the key: arguments, the environment, or a profile.

Profiles are sections of one file of this account; `crosswalk init` writes them. The key of a profile is in the
keyring of the operating system where there is one, else in the file, which then nobody else may read.
"""

from __future__ import annotations

import configparser
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosswalk_client.errors import NoAddress

SERVICE = "crosswalk"
"""Under this name keys are in the keyring."""
DEFAULT = "default"
IN_KEYRING = "in_keyring"


@dataclass(frozen=True)
class Settings:
    """The address, without `/api/v1`, and the key of a server."""

    url: str
    key: str = field(repr=False)


def settings(
    url: str | None = None,
    key: str | None = None,
    *,
    profile: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The address and the key: those given, else those of the environment, else those of the profile.

    The key of a profile is for its address alone, so no other server gets it.

    Raises:
        NoAddress: no address is known, or there is no such profile.
    """
    name = profile or environment.get("CROSSWALK_PROFILE") or DEFAULT
    kept = read_profile(name)
    if kept is None and name != DEFAULT:
        raise NoAddress(f"There is no profile {name!r}; `crosswalk init --profile {name}` makes it.")
    address = url or (None if profile else environment.get("CROSSWALK_URL")) or (kept.url if kept else "")
    if not address:
        raise NoAddress("No address is known: give `url`, set CROSSWALK_URL, or run `crosswalk init`.")
    address = plain_address(address)
    secret = key or (None if profile else environment.get("CROSSWALK_KEY"))
    if not secret and kept and kept.url == address:
        secret = kept.key
    return Settings(address, secret or "")


def plain_address(url: str) -> str:
    """The address without the path of the API.

    >>> plain_address("https://crowd.example.org/api/v1/")
    'https://crowd.example.org'
    """
    if not url.startswith(("http://", "https://")):
        raise NoAddress(f"The address {url!r} does not begin with http:// or https://.")
    return url.rstrip("/").removesuffix("/api/v1").rstrip("/")


def profiles_file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "crosswalk" / "profiles.ini"


def read_profile(name: str) -> Settings | None:
    """The profile of this name; None if there is none."""
    parser = _profiles()
    if not parser.has_section(name):
        return None
    section = parser[name]
    url = section.get("url", "")
    if section.getboolean(IN_KEYRING, fallback=False):
        ring = keyring()
        return Settings(url, (ring.get_password(SERVICE, _entry(name, url)) or "") if ring else "")
    return Settings(url, section.get("key", ""))


def write_profile(name: str, kept: Settings) -> str:
    """Keep a profile. Returns where its key is, in words."""
    parser = _profiles()
    if not parser.has_section(name):
        parser.add_section(name)
    parser[name] = {"url": kept.url}
    where = _to_keyring(name, kept)
    if where:
        parser[name][IN_KEYRING] = "yes"
    else:
        parser[name]["key"] = kept.key
    path = profiles_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    # Nobody else may read the file at any moment, so it is made with these rights.
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        parser.write(file)
    unfinished.replace(path)
    return where or str(path)


def is_readable_by_others(path: Path) -> bool:
    """Whether other accounts of this machine may read the file."""
    return os.name == "posix" and path.exists() and bool(path.stat().st_mode & 0o077)


def keyring() -> Any:
    """The module `keyring`, if it is installed and has a store that keeps secrets; else None."""
    with suppress(Exception):
        import keyring as found

        if found.get_keyring().priority >= 1:
            return found
    return None


def _to_keyring(name: str, kept: Settings) -> str:
    ring = keyring()
    if ring is None:
        return ""
    with suppress(Exception):
        ring.set_password(SERVICE, _entry(name, kept.url), kept.key)
        return f"the keyring ({ring.get_keyring().name})"
    return ""


def _entry(name: str, url: str) -> str:
    return f"{name} {url}"


def _profiles() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(profiles_file(), encoding="utf-8")
    return parser
