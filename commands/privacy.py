"""Taking a worker's words out of commands and corpora. Outcomes, and choices at questions, stay."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Model

from commands.models import Command, Corpus, CorpusCommand
from common.redaction import REMOVED, Mentions
from workforce.personal_data import flags, redact
from workforce.privacy import SHORTEST_NAME

ERASED: Final = "erased"
"""The fault of a command whose words were taken out."""


class Quotes(Mentions):
    """Names, whole commands that somebody repeats, and text that looks like personal data."""

    def without(self, text: str) -> str:
        clean = super().without(text)
        return redact(clean, flags(clean))


def quotes_of(commands: Sequence[Command], mentions: Mentions) -> Quotes:
    """The words to remove from texts that may repeat these commands: their own texts, and `mentions`."""
    texts = [one.text for one in commands if len(one.text) >= SHORTEST_NAME and one.text != REMOVED]
    return Quotes([*mentions.words, *texts])


def take_out(commands: Sequence[Command], mentions: Mentions) -> int:
    """Take the worker's words out of these commands and out of the corpora; how many rows changed.

    Args:
        mentions: Words to remove from forms and phrases too, as `quotes_of` collects them.
    """
    return sum(write_changes(one, _columns_without_words(one, mentions)) for one in commands) + _forget(commands)


def _columns_without_words(command: Command, mentions: Mentions) -> dict[str, Any]:
    """The columns of a command as they are afterwards. Its path can still be walked: REMOVED stands for each text."""
    return {
        "text": REMOVED,
        "plain_text": "",
        "fault": command.fault or ERASED,
        "feedback": REMOVED if command.feedback else "",
        "path": [without_member(turn, "text") for turn in command.path],
        "form": in_each_text(command.form, mentions.without),
        "shadow_form": in_each_text(command.shadow_form, mentions.without),
        "truth": in_each_text(command.truth, mentions.without),
        "objects_found": in_each_text(command.objects_found, mentions.without),
    }


def _forget(commands: Sequence[Command]) -> int:
    """Take commands out of the corpora; a new generation makes every process load them again."""
    theirs = CorpusCommand.objects.filter(command__in=commands).exclude(text="")
    with transaction.atomic():
        # Ordered, so that two erasures at once do not wait for each other in a circle.
        for corpus in sorted(set(theirs.values_list("corpus", flat=True))):
            Corpus.objects.filter(pk=corpus).update(generation=F("generation") + 1)
        return theirs.update(text="")


def in_each_text(value: Any, change: Callable[[str], str]) -> Any:
    """JSON with all its texts changed; names of members stay.

    >>> in_each_text({"a": ["b", 1], "c": None}, str.upper)
    {'a': ['B', 1], 'c': None}
    """
    if isinstance(value, dict):
        return {name: in_each_text(part, change) for name, part in value.items()}
    if isinstance(value, list):
        return [in_each_text(part, change) for part in value]
    return change(value) if isinstance(value, str) else value


def without_member(body: Any, name: str) -> Any:
    """The JSON object with REMOVED for this member, where the member is there and not empty."""
    return {**body, name: REMOVED} if body and body.get(name) else body


def write_changes(row: Model, columns: Mapping[str, Any]) -> int:
    """Write the columns that differ from the row's; 1 if any did."""
    other = {name: value for name, value in columns.items() if getattr(row, name) != value}
    return type(row)._default_manager.filter(pk=row.pk).update(**other) if other else 0
