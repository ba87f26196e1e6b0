"""Making models: trainings, their runs, the process that fits, and the tests of what it made."""
