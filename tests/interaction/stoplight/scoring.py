"""A session scored from its first command to its last."""

from collections.abc import Sequence

from interaction.stoplight.comparison import Comparison
from interaction.stoplight.formula import CommandScore, Earlier, Signs, score_command
from interaction.stoplight.settings import Settings

UNDERSTOOD = Signs(is_judged=True, has_form=True, is_nlu_error=False)
SAID_MISUNDERSTOOD = Signs(is_judged=True, has_form=False, is_nlu_error=True)


def scores_of(
    texts: Sequence[str],
    *,
    settings: Settings,
    corpus: Comparison,
    signs: Signs = UNDERSTOOD,
    elsewhere: Sequence[str] = (),
) -> list[CommandScore]:
    """The score after each command."""
    found: list[CommandScore] = []
    earlier: list[Earlier] = []
    for text in texts:
        score = score_command(settings, text, earlier=earlier, elsewhere=elsewhere, signs=signs, corpus=corpus)
        earlier.append(Earlier(text, score.counted, score.creativity, score.diversity, score.near))
        found.append(score)
    return found
