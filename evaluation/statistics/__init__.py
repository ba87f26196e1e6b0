"""Pure calculations of the evaluation; no Django here."""
