"""Simulated workers for each tool, and simulated work in a project."""
