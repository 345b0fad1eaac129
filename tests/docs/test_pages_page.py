"""docs/pages.md names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_the_page_names_is_there() -> None:
    named = re.findall(r"`(test_\w+)`", (ROOT / "docs" / "pages.md").read_text("utf-8"))
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "browser").glob("*.py"))
    assert len(named) > 30
    assert [name for name in named if f"def {name}(" not in tests] == []
