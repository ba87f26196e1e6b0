"""The calls of an API key, a module a resource."""
