"""`python -m builder --url ws://… --key-file FILE`: runs the built-in agent."""

import argparse
from pathlib import Path

from builder.program import run
from lib.log_lines import log_to_stderr


def main() -> None:
    parser = argparse.ArgumentParser("python -m builder", description="Run the built-in agent until interrupted.")
    parser.add_argument("--url", required=True, help="Of the server: ws:// or wss://.")
    parser.add_argument("--key-file", type=Path, required=True, help="Holds an API key with the scope `agents`.")
    parser.add_argument("--capacity", type=int, default=16, help="Sessions at a time.")
    parser.add_argument("--log-level", default="INFO")
    options = parser.parse_args()
    log_to_stderr(options.log_level)
    run(options.url, options.key_file.read_text().strip(), options.capacity)


if __name__ == "__main__":
    main()
