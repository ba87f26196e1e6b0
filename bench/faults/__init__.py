"""Breaks a real server while it is used, and compares what it acknowledged with what it has afterwards."""
