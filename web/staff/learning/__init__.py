"""Pages of learning: tranches, trainings, models, the gate and the switch."""
