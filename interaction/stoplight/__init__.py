"""The stoplight: what one command after the other is worth, on a scale from 0 to 10; no Django here.

`settings.py` says what an admin may choose, `words.py` how a text becomes words, `formula.py` how a session is scored,
`comparison.py` what the formula asks of all earlier commands, `corpus.py` answers it, quickly and exactly.
"""
