"""The program `crosswalk`."""
