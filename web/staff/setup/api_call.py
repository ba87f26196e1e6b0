"""“The same by API”: the call that a pipeline would make."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from annotation.tool_registry import Json
from common.serializers import StrictSerializer


def body_in(shown: Mapping[str, Any], serializer: type[StrictSerializer]) -> Json:
    """The part of what `GET` shows that `PUT` takes."""
    return {name: shown[name] for name in serializer._declared_fields if name in shown}


def put_call(request: HttpRequest, path: str, body: Json) -> str:
    """The `curl` command of a PUT, as one copies it into a shell; `$KEY` stands for an API key."""
    address = f"{request.scheme}://{request.get_host()}/api/v1/{path}"
    content = shlex.quote(json.dumps(body, indent=2, ensure_ascii=False))
    return (
        f'curl -X PUT {address} \\\n  -H "Authorization: Api-Key $KEY" -H "Content-Type: application/json" \\\n'
        f"  -d {content}"
    )
