"""Reports of suites: made, kept with their files, listed."""
