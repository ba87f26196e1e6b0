"""The schemas of the OpenAPI document as JSON Schema."""

from typing import Any

import jsonschema


def as_json_schema(value: Any, *, is_request: bool = False) -> Any:
    """OpenAPI 3.0 as plain JSON Schema: there, `nullable` is a type of its own, and no object has surprises.

    The schemas of requests say themselves which objects have no other fields.
    """
    if isinstance(value, list):
        return [as_json_schema(item, is_request=is_request) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: as_json_schema(inner, is_request=is_request) for key, inner in value.items() if key != "nullable"}
    if "properties" in made and "additionalProperties" not in made and not is_request:
        made["additionalProperties"] = False
    return {"anyOf": [made, {"type": "null"}]} if value.get("nullable") else made


def check(document: dict[str, Any], schema: dict[str, Any], value: Any, *, is_request: bool = False) -> None:
    """Raise jsonschema.ValidationError unless the value is as a schema of the document says."""
    components = as_json_schema(document["components"], is_request=is_request)
    whole = {**as_json_schema(schema, is_request=is_request), "components": components}
    jsonschema.Draft202012Validator(whole).validate(value)
