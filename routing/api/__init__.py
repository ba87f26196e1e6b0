"""The endpoints of routing: decision trees, routes, error reports."""
