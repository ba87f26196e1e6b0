"""Trainers of parsers: from commands and their logical forms."""
