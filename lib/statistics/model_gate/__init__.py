"""The gate of a new model: its rules, and how often they err."""
