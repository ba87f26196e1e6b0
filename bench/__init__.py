"""Benchmarks: `python -m bench` prints one table of ratios, `python -m bench PART` the rows of one part as JSON.

Compared cases are measured in turns in the same run, so that a busy machine slows both. Nothing here passes or fails.
"""
