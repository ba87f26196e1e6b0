"""The demo: its data, the loaders for it, simulated crowds, and the commands `demo` and `simulate`."""
