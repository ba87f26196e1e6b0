"""Measures whether a worker can tell references from ordinary tasks: `python -m bench.blindness`.

Simulated workers play strategies against a whole tree of the product, over the worker API. A classifier is trained on
all that they saw in some projects, and tried on the other projects. `docs/blindness.md` explains the figures.

Modules: `specs` draws the projects; `contents` writes their tasks; `server` is the interface of a server, with
`product` (the real one) and `fair_server` (a simulated one, with the planted `leaks`); `client` is one worker;
`strategies` says what workers do, `playing` plays one, `processes` all of a tree; `trial` is the record of one;
`features`, `distinguisher`, `exploits` and `judging` judge records.
"""

import os

# On a busy machine threads of a classifier mostly wait for each other. Read when scikit-learn is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
