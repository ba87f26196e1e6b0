"""A command that a worker gave an agent, and everything that is known about it, whether it was given live or posted."""
