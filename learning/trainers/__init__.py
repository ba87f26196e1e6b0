"""Trainers: what makes a model of examples. `registry.py` lists them; `protocol.py` says what each must do."""
