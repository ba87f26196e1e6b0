"""How agents and people fail: samples, codes of two people, the table."""
