"""The recording of a session: films of its commands, and posting them as episodes."""
