"""The waits of a pipeline: its first episode, many files, many events, and the runner beside the bare environment."""
