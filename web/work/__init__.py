"""The pages that a worker opens."""
