"""The built-in agent: reads commands, looks at the world, and builds. It uses neither Django nor the network itself."""

BUILDER = "builder"
"""The agent's slug."""
