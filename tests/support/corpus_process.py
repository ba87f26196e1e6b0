"""A process that enters commands into corpora and scores others; it reads and answers lines of JSON.

`{"enter": SLUG, "texts": [...]}` answers the version, `{"score": SLUG, "text": TEXT}` the version and the score.
"""

import json
import sys
from typing import Any

import django


def answer(told: dict[str, Any]) -> Any:
    from django.utils import timezone

    from commands import corpora
    from lib.stoplight.formula import Signs, score_command
    from lib.stoplight.settings import PRESETS

    if "enter" in told:
        return corpora.enter(slug=told["enter"], texts=[(text, None) for text in told["texts"]], at=timezone.now())
    settings = PRESETS[told.get("preset", "default")]
    corpora.warm(told["score"], settings)
    corpus, version = corpora.comparison(told["score"], settings)
    signs = Signs(is_judged=True, has_form=True, is_nlu_error=False)
    score = score_command(settings, told["text"], earlier=[], elsewhere=[], signs=signs, corpus=corpus)
    content = told["text"].split()
    return {"version": version, "size": corpus.size, "mean": corpus.compared(content, ()).distance, **score.as_json()}


def main() -> None:
    django.setup()
    print(json.dumps("ready"), flush=True)  # noqa: T201
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
