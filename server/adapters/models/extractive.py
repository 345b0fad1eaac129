"""A model without a model: quotes, two tools, no key, no network.

For a twin on its first day and for tests: it says only what the pages say, in their words, and the rest of the
product (sources, approvals, streams) works as with a real one.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence

from server.adapters.models import phrases as cues
from server.adapters.models.call_ids import new_call_id
from server.adapters.models.contact_form import Asked, ContactForm, open_form
from server.adapters.models.phrases import PHRASES, Phrases, named
from server.adapters.models.quotes import paragraphs, quotes
from server.adapters.models.reading import Reader, language_of
from server.domain.conversation import Message
from server.domain.tools import canonical_json
from server.ports import Finished, ModelPart, ModelRequest, TextDelta, ToolCallRequested

AVAILABILITY = "get_availability"
CONTACT = "draft_contact_message"


class Extractive:
    """Implements `Model`. Holds nothing between calls: what it knows of a conversation is in the request.

    `languages` are ISO 639-1 codes, the owner's first one first; it speaks English and Dutch.
    """

    def __init__(self, owner_name: str, languages: Sequence[str] = ("en", "nl")) -> None:
        self._languages = tuple(languages)
        self._reader = Reader(owner_name)
        self._phrases = {each: named(say, owner_name) for each, say in PHRASES.items()}

    @property
    def name(self) -> str:
        """Always `extractive`."""
        return "extractive"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """See `Model.stream`. Never fails."""
        answer = self._answer(request)
        if isinstance(answer, ToolCallRequested):
            yield answer
        else:
            for word in re.findall(r"\S+\s*", answer):
                yield TextDelta(word, own=True)
                await asyncio.sleep(0)
        yield Finished(unanswered=isinstance(answer, str) and self._is_not_found(answer))

    def _answer(self, request: ModelRequest) -> str | ToolCallRequested:
        """The routes, in order: the first one that fits."""
        visitor = [m["content"] for m in request.messages if m["role"] == "user"]
        language = language_of(reversed(visitor), self._languages)
        say = self._phrases[language]
        if not request.messages:
            return self._said(request, say, say.greeting)
        last = request.messages[-1]
        if last["role"] == "tool":
            return self._said(request, say, self._report(last, say, language))

        text = visitor[-1] if visitor else ""
        tools = {spec.name for spec in request.tools}
        form, asked = open_form(request.messages[:-1], self._asked_in, self._reader)
        quoted = quotes(text, request.evidence)
        is_all, has = self._reader.is_all, self._reader.has

        if form and is_all(text, cues.BACKS_OUT):
            return self._said(request, say, say.backed_out)
        if form and quoted and has(text, cues.ASKS_HOW):
            again = say.ask_contact if asked == "contact" else say.ask_message
            return f"{quoted}\n\n{again}"
        if form or (asked == "offer" and is_all(text, cues.YES)):
            return self._next_step(form or ContactForm(), text, asked, request, say)
        if is_all(text, cues.GREETING):
            return self._said(request, say, say.greeting)
        if is_all(text, cues.BACKS_OUT):
            return self._said(request, say, say.backed_out)
        if is_all(text, cues.THANKS):
            return self._said(request, say, say.thanks)
        if has(text, cues.WANTS_MESSAGE) and not (quoted and has(text, cues.ASKS_HOW)):
            return self._next_step(ContactForm(), text, None, request, say)
        if AVAILABILITY in tools and has(text, cues.WANTS_AVAILABILITY):
            return ToolCallRequested(new_call_id(), AVAILABILITY, "{}")
        if has(text, cues.WHO):
            return self._said(request, say, say.who)
        if quoted:
            return self._said(request, say, quoted)
        offer = f" {say.offer}" if CONTACT in tools else ""
        return say.not_found + offer

    def _next_step(
        self, form: ContactForm, text: str, asked: Asked | None, request: ModelRequest, say: Phrases
    ) -> str | ToolCallRequested:
        """Asks for the field that is missing, or for the tool."""
        if CONTACT not in {spec.name for spec in request.tools}:
            return self._said(request, say, say.no_messages)
        form = form.with_words(text, asked, self._reader)
        if not form.message:
            return self._said(request, say, say.ask_message)
        if not form.contact:
            unclear = f"{say.contact_unclear} " if asked == "contact" else ""
            return self._said(request, say, unclear + say.ask_contact)
        arguments = {
            "subject": form.subject,
            "message": form.message,
            "sender_contact": form.contact,
        }
        return ToolCallRequested(new_call_id(), CONTACT, canonical_json(arguments))

    def _report(self, result: Message, say: Phrases, language: str) -> str:
        """What a tool result means for the visitor. Only `recorded` is told as done."""
        content = result["content"]
        if result.get("name") == AVAILABILITY:
            if re.match(cues.TOOL_FAILED, content, re.IGNORECASE):
                return say.no_availability
            return f"{_in_language(content, language)}\n\n{say.offer}"
        outcome = _outcome(content)
        if result.get("name") != CONTACT and outcome in (None, "recorded"):
            return f"{say.result} {_readable(content)}"
        told = [getattr(say, outcome or "not_done")]
        if outcome == "recorded" and re.search(cues.EDITED, content, re.MULTILINE):
            told.append(say.edited)
        if note := re.search(cues.NOTE, content, re.DOTALL):
            told.append(say.note.replace("{note}", note[1]))
        return " ".join(told)

    def _said(self, request: ModelRequest, say: Phrases, text: str) -> str:
        """The text; in a thread's first answer with the notice that nobody but the pages is speaking."""
        if any(m["role"] == "assistant" and m["content"].strip() for m in request.messages):
            return text
        return f"{text}\n\n{say.notice}"

    def _is_not_found(self, answer: str) -> bool:
        return any(answer.startswith(say.not_found) for say in self._phrases.values())

    def _asked_in(self, answer: str) -> Asked | None:
        """Which of our questions an earlier answer ended with."""
        for say in self._phrases.values():
            questions: tuple[tuple[str, Asked], ...] = (
                (say.ask_message, "message"),
                (say.ask_contact, "contact"),
                (say.offer, "offer"),
            )
            for question, asked in questions:
                if question in answer:
                    return asked
        return None


def _outcome(content: str) -> str | None:
    """Which of RESULTS the content speaks of first; the owner's note is not looked at."""
    said = re.sub(cues.NOTE, "", content, flags=re.DOTALL)
    found = {
        name: match.start()
        for name, cue in cues.RESULTS.items()
        if (match := re.search(cue, said, re.IGNORECASE))
    }
    return min(found, key=lambda name: found[name]) if found else None


def _in_language(page: str, language: str) -> str:
    """The paragraphs of a page that are in this language, or all of them; as written, without headings."""
    every = paragraphs(page)
    spoken = [each for each in every if language_of([each], (language, "en", "nl")) == language]
    return "\n\n".join(spoken or every or [page.strip()])


def _readable(content: str) -> str:
    """A JSON text or object as lines; any other content as it is."""
    try:
        value = json.loads(content)
    except ValueError:
        return content
    if isinstance(value, dict):
        return "\n".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(f"- {item}" for item in value)
    return str(value)
