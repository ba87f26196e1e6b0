"""Candidates of a suite: harvested, shown with what they propose, taken or refused."""
