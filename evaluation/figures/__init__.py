"""Figures of a suite: what rankings, curves and tables are computed from, and how pages and the API show them."""
