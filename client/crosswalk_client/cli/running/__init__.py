"""`crosswalk run`, `crosswalk play` and `crosswalk record`: environments on this machine."""
