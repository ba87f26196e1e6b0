"""Logical forms: the meaning of a command as data.

One grammar (`grammar/grammar.py`, in the types of `grammar/types.py`) defines the valid forms and the questions for
each part. The JSON Schema (`schema.py`), the faults of a form (`validate.py`), the questions that build a form
(`asking/walk.py`) and the English text of a form (`english/`) all follow from it.
"""

from typing import Any

Form = dict[str, Any]
"""A logical form or a part of one, as JSON: {"dialogue_type": …}."""
