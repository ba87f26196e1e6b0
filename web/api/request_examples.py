"""A summary for every call of the OpenAPI document, and a real example for every body."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from web.http.replaceable import MERGE_PATCH

JSON, FORM = "application/json", "multipart/form-data"


@cache
def examples() -> dict[str, Any]:
    """The example of a JSON body, by `operationId`."""
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add summaries and examples to a finished document, as a postprocessing hook of drf-spectacular."""
    for calls in result["paths"].values():
        for call in calls.values():
            name = call["operationId"]
            call["summary"] = name.replace("_", " ").capitalize()
            bodies = call.get("requestBody", {}).get("content", {})
            for kind in (JSON, MERGE_PATCH):
                if name in examples() and kind in bodies:
                    bodies[kind]["example"] = examples()[name]
            if name in examples() and FORM in bodies:
                # As it is sent: the JSON in one part, the files in others.
                data = {key: value for key, value in examples()[name].items() if key != "upload"}
                bodies[FORM] |= {"example": {"data": data}, "encoding": {"data": {"contentType": JSON}}}
    return result
