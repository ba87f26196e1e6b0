"""Continuations of one agent at one wording that are the same, or look the same."""
