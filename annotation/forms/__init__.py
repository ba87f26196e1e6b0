"""Logical forms as data: what a project's commands came to, out and in, with who answered what; and how they are made up."""
