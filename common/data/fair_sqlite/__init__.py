"""Django's SQLite backend, with a fair order among the writing threads of a process."""
