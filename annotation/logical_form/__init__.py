"""Logical forms: what a command asks for, as data. The grammar, and all that is read off it; no Django here.

One grammar (`grammar.py`, in the types of `types.py`) says which forms there are and how each part is asked for. Read
off it: the JSON Schema (`schema.py`), the faults of a form (`validate.py`), the questions that build one (`walk.py`).
"""

from typing import Any

Form = dict[str, Any]
"""A logical form or a part of one, as JSON: {"dialogue_type": …}."""
