"""Staff pages of projects and workers."""
