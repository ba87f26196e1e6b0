"""Decision trees as data: the questions that a worker answers after a command, and the outcomes.

`tree.py` defines a tree, `parser.py` reads one from JSON and finds its faults, `engine.py` walks one; `shipped/` has
the trees of every new server.
"""
