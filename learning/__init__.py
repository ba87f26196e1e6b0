"""The learning loop: tranches, trainings, models, the gate, campaigns."""
