"""`manage.py serve`: runs the web server, the worker of background jobs, and the built-in agent."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from config.keeper import Keeper, Refused, check_port, data_folder_held
from config.private_files import BUILDER_KEY, create_privately, kept_secret
from config.server_settings import BUILDER_CAPACITY, DATA_DIR, LOG_LEVEL, PORT
from lib.log_lines import log_to_stderr

HELP = "Serve on 127.0.0.1, with a background worker and the built-in agent beside it, until interrupted."
CONNECTIONS = ("--http", "web.edge.connections:BoundedHttp", "--no-proxy-headers")
"""Connections that bring no request are closed. Of a proxy's headers the application reads what
`CROSSWALK_BEHIND_PROXY` allows, and uvicorn none: it would believe every process of this machine."""
SOCKETS = (
    *("--ws", "web.sockets.protocol:SessionSockets"),
    *("--ws-max-size", "4194304", "--ws-per-message-deflate", "false"),
)
"""The gateway refuses frames up to this size with a reason, and uvicorn closes larger ones without. Compression of each
socket costs more than it saves."""
WORKER = ["config.worker"]
"""The worker of background jobs, as after `python -m`."""


def web_module(host: str, port: int) -> list[str]:
    """The web server, as after `python -m`."""
    return [
        *("uvicorn", "config.asgi:application", "--host", host, "--port", str(port)),
        *("--log-level", "warning", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "5"),
        *CONNECTIONS,
        *SOCKETS,
    ]


def builder_module(address: str) -> list[str]:
    """The built-in agent, as after `python -m`. It connects to the gateway like every other agent."""
    return [
        *("builder", "--url", address.replace("http", "ws", 1), "--capacity", str(BUILDER_CAPACITY)),
        *("--key-file", str(DATA_DIR / BUILDER_KEY), "--log-level", LOG_LEVEL),
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--announce-from", type=int, metavar="FD", help="A pipe with the text for a server that answers."
    )


def main(words: Sequence[str]) -> int:
    """Serve until interrupted; returns the exit code.

    Args:
        words: The arguments after `manage.py serve`.
    """
    parser = argparse.ArgumentParser("manage.py serve", description=HELP)
    add_arguments(parser)
    options = parser.parse_args(words)
    create_privately()
    log_to_stderr(LOG_LEVEL)
    # An address to listen on at all of the machine's interfaces is none to connect to.
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(options.host, options.host)  # noqa: S104 - compared only
    address = f"http://{f'[{near}]' if ':' in near else near}:{options.port}"
    announce = f"Crosswalk serves on {address}; staff sign in at {address}/staff/"
    if options.announce_from is not None:
        with os.fdopen(options.announce_from) as pipe:
            announce = pipe.read()
    keeper = Keeper(
        {"web": web_module(options.host, options.port), "worker": WORKER, "builder": builder_module(address)},
        host=near,
        port=options.port,
        on_ready=lambda: _say(announce),
    )
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, keeper.stop)
    DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with data_folder_held(DATA_DIR):
            # Before the web process starts: it lets the agent with this key in.
            kept_secret(DATA_DIR / BUILDER_KEY, prefix="cw_")
            check_port(options.host, options.port)
            return keeper.run()
    except Refused as refused:
        sys.stderr.write(f"{refused}\n")
        return 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
