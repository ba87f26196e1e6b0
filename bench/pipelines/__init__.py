"""What a pipeline waits for: its first episode, many files, many events, and the runner beside the bare environment."""
