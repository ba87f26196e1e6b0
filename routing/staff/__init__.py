"""The staff pages of routing."""
