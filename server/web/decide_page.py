"""The page of a link that decides: plain HTML without a script, and everything on it that is not ours is text."""

import base64
import hashlib
import html
import json
import unicodedata
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from server.domain.approvals import Approval
from server.domain.times import rfc3339
from server.web.decide_words import WARNINGS, WORDS, Word

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1f; --paper: #fff; --line: #74747c; --soft: #55555e; --mark: #8a1c1c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf1; --paper: #17171b; --line: #8b8b95; --soft: #b4b4be; --mark: #ffb4ab; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin: 1.5rem 0 0; }
dt { margin-top: .75rem; color: var(--soft); font-size: .9rem; }
dd { margin: 0; white-space: pre-wrap; }
.sent { border: 1px solid var(--line); border-radius: .5rem; padding: 0 1rem 1rem; margin: .5rem 0 1.5rem; }
.warning, mark { color: var(--mark); background: none; font-weight: 600; }
.hint { color: var(--soft); font-size: .9rem; }
a { color: inherit; }
label { display: block; }
textarea { width: 100%; min-height: 5rem; margin: .25rem 0 1rem; padding: .5rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: .5rem; }
button { min-height: 2.75rem; margin: 0 .5rem .5rem 0; padding: .5rem 1.5rem; font: inherit; font-weight: 600; cursor: pointer;
  border: 2px solid var(--ink); border-radius: .5rem; background: var(--paper); color: var(--ink); }
button.yes { background: var(--ink); color: var(--paper); }
:focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        f"style-src 'sha256-{_STYLE_HASH}'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
"""Nothing is loaded, nothing runs, and the form goes nowhere else."""


@dataclass(frozen=True, slots=True)
class DecidePage:
    """Writes the page in one language, times in one zone."""

    language: str
    owner: str
    zone: tzinfo

    def question(self, asked: Approval) -> str:
        """Everything needed to decide, and the form that does."""
        facts: list[tuple[Word, str]] = [
            ("tool", _text(asked.tool)),
            ("said", _text(asked.visitor_message)),
            ("since", self._time(asked.created_at)),
            ("until", self._time(asked.expires_at) if asked.expires_at else self._word("never")),
        ]
        listed = "".join(f"<dt>{self._word(name)}</dt><dd>{fact}</dd>" for name, fact in facts)
        inbox = (
            f'<a href="../inbox#/queue/{html.escape(asked.interrupt_id)}">{self._word("inbox")}</a>'
        )
        return self._page(
            self._word("title"),
            f"<h1>{self._word('ask', owner=self.owner)}</h1><p>{_text(asked.message)}</p>{self._warning(asked)}"
            f'<h2>{self._word("arguments")}</h2><div class="sent">{self._arguments(asked.arguments)}</div>'
            f"<dl>{listed}</dl>"
            f'<form method="post"><label for="note">{self._word("note")}</label>'
            '<textarea id="note" name="note" maxlength="500"></textarea>'
            f'<p class="hint">{self._word("nothing_yet")}</p>'
            f'<button class="yes" name="decision" value="approve">{self._word("approve")}</button>'
            f'<button name="decision" value="decline">{self._word("decline")}</button></form>'
            f'<p class="hint">{self._word("key")} {self._word("edit")} {inbox}.</p>',
        )

    def decided(self, settled: Approval, *, others_wait: bool) -> str:
        """What was recorded."""
        status: Word = "approved" if settled.status == "approved" else "rejected"
        more = f"<p>{self._word('others_wait')}</p>" if others_wait else ""
        title = self._word(status)
        return self._page(
            title,
            f"<h1>{title}</h1><p>{_text(settled.message)}</p><p>{self._word('goes_on')}</p>{more}",
        )

    def refusal(self, word: Word, **facts: Any) -> str:
        """Why not."""
        title = self._word("no_title")
        return self._page(title, f"<h1>{title}</h1><p>{self._word(word, **facts)}</p>")

    def time(self, time: datetime | None) -> str:
        """A time in the owner's zone, as text."""
        return f"{time.astimezone(self.zone):%Y-%m-%d %H:%M} ({self.zone})" if time else "–"

    def _time(self, time: datetime) -> str:
        return f'<time datetime="{rfc3339(time)}">{html.escape(self.time(time))}</time>'

    def _arguments(self, arguments: dict[str, Any]) -> str:
        if not arguments:
            return f"<p>{self._word('none')}</p>"
        return "<dl>" + "".join(
            f"<dt>{_text(name)}</dt><dd>{_text(value if isinstance(value, str) else _json(value))}</dd>"
            for name, value in arguments.items()
        ) + "</dl>"  # fmt: skip

    def _warning(self, asked: Approval) -> str:
        if not asked.warnings:
            return ""
        named = ", ".join(WARNINGS[self.language].get(slug, slug) for slug in asked.warnings)
        return f'<p class="warning">{self._word("warning", warnings=named)}</p>'

    def _word(self, word: Word, **facts: Any) -> str:
        told = {name: _text(str(fact)) for name, fact in facts.items()}
        return html.escape(WORDS[self.language][word]).format(**told)

    def _page(self, title: str, body: str) -> str:
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta name="robots" content="noindex"><title>{title}</title><style>{STYLE}</style></head>'
            f"<body><main>{body}</main></body></html>"
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _text(text: str) -> str:
    """As HTML that shows these characters: those that can't be seen are written out."""
    return "<bdi>" + "".join(map(_character, text)) + "</bdi>" if text else ""


def _character(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character)[0] != "C":
        return html.escape(character)
    return f"<mark>⟨U+{ord(character):04X}⟩</mark>"
