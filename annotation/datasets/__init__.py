"""Logical forms as data: what a project's commands came to, with who answered what; and forms known to be right."""
