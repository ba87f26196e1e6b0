"""Decision trees as data: what a worker is asked after a command, and what their answers come to; no Django here.

`tree.py` says what a tree is, `reading.py` reads one and names its faults, `engine.py` walks one; `shipped/` has the
trees that every server begins with.
"""
