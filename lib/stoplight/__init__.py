"""The stoplight: the score of a session's commands on a scale from 0 to 10, and the colour of its light.

`settings.py` has the options of an admin, `words.py` splits a text into words, `formula.py` computes the score,
`comparison.py` defines the statistics of earlier commands that the formula needs, and `corpus.py` computes them.
"""
