"""Pure calculations of trust: agreement, sequential tests, skill and truth together; no Django here."""
