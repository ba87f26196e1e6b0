"""Values that statsmodels, scikit-learn, krippendorff and crowd-kit computed, to agree with."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

FIXTURES = Path(settings.BASE_DIR).parent / "shared" / "data" / "quality_fixtures.json"


@pytest.fixture(scope="session")
def computed() -> dict[str, Any]:
    if not FIXTURES.exists():
        pytest.skip(f"the computed values are not there: {FIXTURES}")
    found: dict[str, Any] = json.loads(FIXTURES.read_text())
    return found
