"""Count the usual answers of the parse annotator over commands with known forms.

Run `python scripts/usual_answers.py FILE…`. Each line of a file is a JSON object with `text` and `lf`. The order of the
answers alone is kept, in lib/logical_form/asking/usual.json.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.logical_form.asking.usual import FILE, place_of
from lib.logical_form.asking.walk import record_of, walk
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of

KEPT = 14
"""Answers kept for a question."""


def main() -> None:
    counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for name in sys.argv[1:]:
        for line in Path(name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            form = upgraded(row.get("lf"))[0] if row.get("schema_ok", True) else None
            if not form or faults_of(form, words=len(tokenise(row["text"]))):
                continue
            record = record_of(form)
            for step in walk(record).done:
                for question in step.questions:
                    if question.kind in ("choice", "choices"):
                        value = record[step.key].get(question.id, ())
                        values = (value,) if isinstance(value, str) else tuple(value)
                        counts[place_of(question)][values] += 1
    kept = {place: [list(values) for values, _ in found.most_common(KEPT)] for place, found in sorted(counts.items())}
    FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
