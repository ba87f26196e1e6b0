"""Signals of this app. Send them with `send`, inside the transaction: a receiver that fails undoes it."""

from django.dispatch import Signal

attempt_finished = Signal()
"""A worker has handed in a quiz; sent with `attempt` and `at`, in the transaction that saves the answers."""
