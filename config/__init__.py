"""How the parts are wired; no behaviour of its own."""
