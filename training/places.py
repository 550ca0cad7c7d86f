"""Where things are: the checkout (recipe and results) and the cache (everything else)."""

import json
import os
from pathlib import Path

RECIPE = Path(__file__).resolve().parent
PUBLIC = RECIPE.parent / "public"
CORPORA = PUBLIC / "corpora"
MODELS = PUBLIC / "models"
CACHE = Path(os.environ.get("FAIRBITS_CACHE", Path.home() / ".cache/fairbits/training"))

LANGUAGES = json.loads((RECIPE / "languages.json").read_text("utf-8"))["languages"]
BY_CODE = {row["code"]: row for row in LANGUAGES}
# In the order of the skewed mix: most text first.
TRAINED = sorted((row for row in LANGUAGES if "rank" in row), key=lambda row: row["rank"])


def write_atomically(path, data):
    """A reader, or a run that is killed, never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    temporary.replace(path)


def write_json(path, value, indent=2):
    write_atomically(path, json.dumps(value, ensure_ascii=False, indent=indent) + "\n")


def read_json(path):
    return json.loads(path.read_text("utf-8"))


def paragraphs(code):
    """The cleaned help text of one language: {paragraph id: text}, in page order."""
    return read_json(CACHE / "clean" / f"{code}.json")
