"""Settings, addresses, processes and the wiring of the apps."""
