"""Test an agent: `python -m crosswalk_client.conformance --listen 127.0.0.1:8900 --key KEY --agent SLUG`.

Then start the agent and let it connect to ws://127.0.0.1:8900 with that key and slug. The exit status is 0 if every
check passed or was skipped.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from crosswalk_client.conformance.checks import Result, examine
from crosswalk_client.conformance.server import Gateway
from crosswalk_client.conformance.trial import Options


def table(results: Sequence[Result]) -> str:
    """The results as lines of text.

    >>> print(table([Result("hello", "pass", "it came"), Result("ask", "skip", "it never asks")]))
    pass  hello  it came
    skip  ask    it never asks
    """
    width = max(len(result.name) for result in results)
    return "\n".join(f"{result.verdict}  {result.name:{width}}  {result.sentence}" for result in results)


async def run(host: str, port: int, *, key: str, agent: str, options: Options) -> int:
    """Listen, test the agent that connects, print the results and return the exit status."""
    gateway = Gateway(key=key, agent=agent)
    async with gateway.listen(host, port) as url:
        sys.stdout.write(f"Waiting for the agent {agent} at {url}/ws/agents/{agent}/ …\n")
        sys.stdout.flush()
        results = await examine(gateway, options)
    sys.stdout.write(table(results) + "\n")
    return 1 if any(result.verdict == "fail" for result in results) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run the checks and return the exit status."""
    defaults = Options()
    parser = argparse.ArgumentParser(
        prog="python -m crosswalk_client.conformance", description="Test an agent's protocol."
    )
    parser.add_argument("--listen", default="127.0.0.1:8900", metavar="HOST:PORT", help="where the agent connects to")
    parser.add_argument("--key", required=True, help="the key that the agent will show")
    parser.add_argument("--agent", required=True, help="the agent's slug")
    parser.add_argument("--command", action="append", help="a command that it understands; may be repeated")
    parser.add_argument("--long", default=defaults.long, help="a command that takes it a second or more, to be stopped")
    parser.add_argument("--ask", default=None, help="a command at which it asks back")
    parser.add_argument(
        "--connect", type=float, default=defaults.connect_s, metavar="SECONDS", help="wait for it so long"
    )
    parser.add_argument("--patience", type=float, default=defaults.patience_s, metavar="SECONDS", help="for a command")
    parsed = parser.parse_args(arguments)
    host, _, port = parsed.listen.rpartition(":")
    options = Options(
        commands=tuple(parsed.command or defaults.commands),
        long=parsed.long,
        ask=parsed.ask,
        connect_s=parsed.connect,
        patience_s=parsed.patience,
    )
    return asyncio.run(run(host, int(port), key=parsed.key, agent=parsed.agent, options=options))


if __name__ == "__main__":
    sys.exit(main())
