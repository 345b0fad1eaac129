"""Says when the owner can be reached, in the owner's own words."""

from pathlib import Path

from server.domain.tools import Tool

MAX_CHARACTERS = 4_000


def get_availability(page: Path) -> Tool:
    """The tool over one Markdown page, read at each call so that an edit counts at once."""

    def run() -> str:
        try:
            text = page.read_text(encoding="utf-8").strip()
        except OSError:
            return "The owner has not published any availability."
        return text[:MAX_CHARACTERS] or "The owner has not published any availability."

    return Tool(
        name="get_availability",
        description="When and how the owner is available, for appointments, calls and visits.",
        parameters={
            "type": "object",
            "properties": {},
            "required": [],
            "additionalProperties": False,
        },
        run=run,
    )
