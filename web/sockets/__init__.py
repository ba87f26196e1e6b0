"""The WebSockets of live sessions: one for a worker's page, one for an agent's process. `docs/live.md` lists frames."""
