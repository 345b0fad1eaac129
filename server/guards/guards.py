"""The guards of a twin: which are on, what each says, and what stops a message."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from server.domain.errors import ConfigurationError
from server.guards.injection import is_injection
from server.guards.numbers import Number, masked, masks_in
from server.guards.off_topic import other_work
from server.guards.texts import TEXTS

GuardName = Literal["injection", "card", "iban", "bsn", "off_topic"]
NAMES: tuple[GuardName, ...] = get_args(GuardName)
LANGUAGES = ("en", "nl")
LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Guard:
    """One guard. `texts` by language; `phrases` of the owner's own, beside the built-in ones."""

    texts: Mapping[str, str]
    enabled: bool = True
    phrases: tuple[str, ...] = ()


def _built_in() -> dict[GuardName, Guard]:
    return {name: Guard(TEXTS[name]) for name in NAMES}


@dataclass(frozen=True, slots=True)
class Guards:
    """All of them. `owner` is the name the twin speaks for."""

    owner: str = ""
    by_name: Mapping[GuardName, Guard] = field(default_factory=_built_in)

    def masked(self, text: str) -> str:
        """The message as it may be kept."""
        numbers: dict[Number, Guard] = {n: self.by_name[n] for n in get_args(Number)}
        return masked(text, frozenset(name for name, guard in numbers.items() if guard.enabled))

    def stops(self, text: str) -> GuardName | None:
        """The guard that stops a masked message, but `off_topic`, which needs to know whether the pages are about it."""
        marks = masks_in(text)
        for name in ("card", "iban", "bsn"):
            if name in marks and self.by_name[name].enabled:
                return name
        injection = self.by_name["injection"]
        if injection.enabled and is_injection(text, injection.phrases):
            return "injection"
        return None

    def other_work(self, text: str) -> str | None:
        """What the other work than a website's is about that it asks for, if it does: on topic only when the pages are about that."""
        guard = self.by_name["off_topic"]
        return other_work(text, self.owner, guard.phrases) if guard.enabled else None

    def text(self, name: GuardName, language: str) -> str:
        """What a visitor is told."""
        return self.by_name[name].texts[language].replace("{owner}", self.owner)


def read_guards(toml: str, owner: str) -> Guards:
    """The built-in guards with what the owner changed. Raises ConfigurationError that names each wrong place.

    `[injection]` and so on: `enabled`, `phrases`, `text.en`, `text.nl`.
    """
    try:
        given = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"GUARDS_FILE is not TOML: {error}") from None
    problems: list[str] = []
    changed = _built_in()
    for name, table in given.items():
        if name not in changed or not isinstance(table, dict):
            problems.append(f"{name}: the guards are {', '.join(NAMES)}")
            continue
        changed[name] = _changed(changed[name], table, name, problems)
    if problems:
        raise ConfigurationError(f"GUARDS_FILE: {'; '.join(problems)}")
    return Guards(owner, changed)


def _changed(guard: Guard, table: Mapping[str, Any], name: str, problems: list[str]) -> Guard:
    unknown = set(table) - {"enabled", "phrases", "text"}
    problems += [f"{name}.{key}: there is enabled, phrases and text" for key in sorted(unknown)]
    enabled = table.get("enabled", True)
    if not isinstance(enabled, bool):
        problems.append(f"{name}.enabled: true or false")
    phrases = table.get("phrases", [])
    if not isinstance(phrases, list) or not all(isinstance(p, str) and p.strip() for p in phrases):
        problems.append(f"{name}.phrases: a list of texts")
        phrases = []
    elif phrases and name not in ("injection", "off_topic"):
        problems.append(f"{name}.phrases: this guard looks at numbers")
    texts = table.get("text", {})
    if not isinstance(texts, dict) or not all(
        language in LANGUAGES and isinstance(text, str) and 0 < len(text.strip()) <= LONGEST_TEXT
        for language, text in texts.items()
    ):
        problems.append(f"{name}.text: en and nl, each 1 to {LONGEST_TEXT} characters")
        texts = {}
    return replace(guard, enabled=enabled, phrases=tuple(phrases), texts={**guard.texts, **texts})
