"""Campaigns: the learning loop that runs by itself."""
