"""Learnt models in place of the built-in agent's own rules: which ones a session uses, and where they come from."""
