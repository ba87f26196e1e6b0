"""The endpoints of live sessions: their commands, their films, and what they come to."""
