"""The built-in agent: it reads commands, looks around, and builds. Pure: no Django, no network."""

BUILDER = "builder"
"""Its slug."""
