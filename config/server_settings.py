"""The settings that the keeper of the processes reads too, without Django; `config/settings.py` has all others."""

from pathlib import Path

from config.env_types import Environment

env = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.folder("CROSSWALK_DATA_DIR", BASE_DIR / ".data")
PORT = env.whole("CROSSWALK_PORT", 8000, least=1)
LOG_LEVEL = env.text("CROSSWALK_LOG_LEVEL", "INFO").upper()
BUILDER_CAPACITY = env.whole("CROSSWALK_BUILDER_CAPACITY", 16, least=1)
