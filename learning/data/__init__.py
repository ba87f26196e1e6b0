"""The data that models learn from: tranches, what belongs to each, and its way out as files."""
