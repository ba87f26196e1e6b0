"""The runner: replays a scenario's context on this machine, lets an agent continue, and records what it does.

It needs the extra `runner`: `pip install "crosswalk-client[runner]"`.
"""
