"""Tests of what the data teaches the models."""
