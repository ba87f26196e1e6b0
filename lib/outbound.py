"""Requests to addresses that somebody else chose: never to a machine of the own network, and with tight bounds.

The name is resolved once, every address that it has is checked, and the connection goes to one of these: a name that
resolves to something else a moment later changes nothing. Each redirect is checked in the same way.
"""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

CONNECT_S = 5.0
TOTAL_S = 10.0
"""How long one request may take, redirects included."""
MOST_ANSWER_BYTES = 4096
"""How much of an answer is read."""
MOST_REDIRECTS = 3
LONGEST_ADDRESS = 2000
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses that a gateway translates to IPv4 (RFC 6052)."""
_REDIRECTS = {301, 302, 303, 307, 308}


class Unreachable(Exception):
    """The request was not answered. Its text is a sentence for people."""


class Target(NamedTuple):
    """A checked address: where to connect, and what to ask there."""

    host: str
    port: int
    is_tls: bool
    path: str
    ip: str


class Answer(NamedTuple):
    status: int
    text: str


def is_public(ip: str) -> bool:
    """Whether an IP address belongs to the public internet.

    >>> [is_public(ip) for ip in ("93.184.216.34", "10.0.0.1", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [True, False, False, False, False]
    >>> [is_public(ip) for ip in ("2606:4700::1111", "fe80::1", "64:ff9b::a00:1", "224.0.0.1", "0.0.0.0")]
    [True, False, False, False, False]
    """
    found = ip_address(ip.partition("%")[0])
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _TRANSLATED:
            inner = ip_address(int(found) & 0xFFFFFFFF)  # type: ignore[assignment]
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast and not found.is_reserved


def target_of(url: str, *, may_be_private: bool) -> Target:
    """Resolve and check an address.

    Raises:
        Unreachable: it is no http or https address, its name has no address, or one of these is private.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Unreachable("This is not an address.") from None
    if parts.scheme not in {"http", "https"} or not host or len(url) > LONGEST_ADDRESS:
        raise Unreachable("An address begins with https:// or http:// and names a host.")
    if parts.username is not None or parts.password is not None:
        raise Unreachable("An address may not contain a user or a password.")
    if any(not "!" <= character <= "~" for character in url):
        raise Unreachable("An address has no blanks, and writes other letters as %XX.")
    is_tls = parts.scheme == "https"
    port = port or (443 if is_tls else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unreachable(f"The name {host} has no address.") from None
    ips = [str(row[4][0]) for row in found]
    if not may_be_private and not all(is_public(ip) for ip in ips):
        raise Unreachable(f"{host} is an address of a private network, which is not allowed here.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(host, port, is_tls, path, ips[0])


def post(url: str, body: bytes, headers: Mapping[str, str], *, may_be_private: bool) -> Answer:
    """Post the body, following redirects as posts, and return the beginning of the answer.

    Raises:
        Unreachable: nothing answered in time, or an address on the way is not allowed.
    """
    until = time.monotonic() + TOTAL_S
    for _ in range(MOST_REDIRECTS + 1):
        target = target_of(url, may_be_private=may_be_private)
        answer, location = _post_once(target, body, headers, until=until)
        if answer.status not in _REDIRECTS or not location:
            return answer
        url = urljoin(url, location)
    raise Unreachable(f"There were more than {MOST_REDIRECTS} redirects.")


def _post_once(target: Target, body: bytes, headers: Mapping[str, str], *, until: float) -> tuple[Answer, str]:
    left = until - time.monotonic()
    if left <= 0:
        raise Unreachable(f"There was no answer within {TOTAL_S:.0f} seconds.")
    connection = _Pinned(target, timeout=min(CONNECT_S, left))
    # A timeout of a socket counts from byte to byte: this ends a connection that answers a byte at a time.
    end = threading.Timer(left, connection.cut)
    end.start()
    try:
        connection.request("POST", target.path, body=body, headers={**headers, "Host": _host_of(target)})
        response = connection.getresponse()
        text = response.read(MOST_ANSWER_BYTES).decode(errors="replace").replace("\0", "")
        if connection.is_cut:
            # The end of a connection looks like the end of an answer.
            raise TimeoutError
        return Answer(response.status, text), response.getheader("Location") or ""
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        # http.client raises AttributeError where the socket is closed under it.
        if connection.is_cut or isinstance(error, TimeoutError):
            raise Unreachable("There was no answer in time.") from error
        raise Unreachable(f"The connection failed: {error}"[:300]) from error
    finally:
        end.cancel()
        connection.close()


def _host_of(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == (443 if target.is_tls else 80) else f"{host}:{target.port}"


class _Pinned(http.client.HTTPConnection):
    """A connection to the IP address that was checked, whatever its name resolves to now."""

    def __init__(self, target: Target, *, timeout: float) -> None:
        super().__init__(target.host, target.port, timeout=timeout)
        self._target, self.is_cut = target, False
        self._plain: socket.socket | None = None

    def connect(self) -> None:
        self._plain = socket.create_connection((self._target.ip, self._target.port), self.timeout)
        self._plain.settimeout(TOTAL_S)
        self.sock = self._plain
        if self._target.is_tls:
            self.sock = ssl.create_default_context().wrap_socket(self._plain, server_hostname=self._target.host)

    def cut(self) -> None:
        self.is_cut = True
        sock = self.sock or self._plain
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return
