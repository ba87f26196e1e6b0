"""Templates from which a new project begins, one for each question that a project answers."""
