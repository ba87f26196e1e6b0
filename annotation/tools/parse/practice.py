"""The practice task of projects that have none of their own: a short command."""

from typing import Final

from annotation.tool_registry import Json


def _destroy(clauses: list[Json]) -> Json:
    return {
        "form": {
            "dialogue_type": "HUMAN_GIVE_COMMAND",
            "event_sequence": [
                {"action_type": "DESTROY", "reference_object": {"filters": {"where_clause": {"AND": clauses}}}}
            ],
        }
    }


_HOUSE: Final = {"pred_text": "has_name", "obj_text": [0, [3, 3]]}
_RED: Final = {"pred_text": "has_colour", "obj_text": [0, [2, 2]]}
PRACTICE: Final[Json] = {
    "ask": "Say what this sentence asks for. It does not count.",
    "payload": {"text": "destroy the red house"},
    "accept": [_destroy([_HOUSE, _RED])],
    "why": "It asks to destroy one thing. Its name is “house”, and its colour is “red”. Change what is not so.",
}
