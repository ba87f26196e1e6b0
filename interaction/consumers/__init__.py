"""The two ends of a live session: the worker's socket, and that of an agent's process. Frames: CONTRACT section 7."""
