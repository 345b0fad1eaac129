"""What a visitor has told so far of the message they want passed on. Pure: derived from the history each time."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from server.adapters.models.phrases import GREETING, QUOTED, THANKS, WANTS_MESSAGE, YES
from server.adapters.models.reading import Reader, ways_to_reach
from server.domain.conversation import Message

Asked = Literal["message", "contact", "offer"]


@dataclass(frozen=True, slots=True)
class ContactForm:
    """The visitor's own words, or "" for what is still missing."""

    message: str = ""
    contact: str = ""

    def with_words(self, text: str, asked: Asked | None, reader: Reader) -> "ContactForm":
        """The form after the visitor said this, having been asked for that.

        Asked for the message, whatever they say is it; unasked, a text is one when it says more than that they
        want to send one.
        """
        form = self
        if found := ways_to_reach(text, asked=asked == "contact"):
            form = replace(form, contact=", ".join(found)[:200])
        if form.message or asked == "contact":
            return form
        besides = reader.content_besides(text, WANTS_MESSAGE)
        polite = any(reader.is_all(text, cue) for cue in (GREETING, THANKS, YES))
        says_it = besides >= 2 if asked != "message" else not polite and bool(besides or not found)
        return replace(form, message=text.strip()) if says_it else form

    @property
    def subject(self) -> str:
        """The first words of the message."""
        first = self.message.strip().splitlines()[0] if self.message.strip() else ""
        return textwrap.shorten(first, 70, placeholder=" …") or first[:70]


def open_form(
    messages: Sequence[Message], asked_in: Callable[[str], Asked | None], reader: Reader
) -> tuple[ContactForm | None, Asked | None]:
    """The form that is being filled in when these messages end, and what was asked last.

    A form is open as long as every answer of ours asks for one of its fields. An answer that also quotes took
    the words before it for a question: they are not for the form.
    """
    form: ContactForm | None = None
    before: ContactForm | None = None
    asked: Asked | None = None
    for message in messages:
        if message["role"] == "user":
            before, form = (
                form,
                (form or ContactForm()).with_words(message["content"], asked, reader),
            )
        elif message["role"] == "assistant":
            asked = None if message.get("tool_calls") else asked_in(message["content"])
            if asked not in ("message", "contact"):
                form = None
            elif QUOTED.search(message["content"]):
                form = before
    return form, asked
