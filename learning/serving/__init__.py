"""Which models act: the gate before a deployment, the switch, and the models of each session."""
