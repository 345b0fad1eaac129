"""What the owner reads in a mail or a chat. Nothing a visitor wrote is in it."""

from datetime import datetime, tzinfo

from server.domain.notices import Letter

_TITLE = {
    "en": {
        "approval.opened": "A request waits for your decision",
        "effect.in_doubt": "Please look: it is not known whether something was carried out",
    },
    "nl": {
        "approval.opened": "Er wacht een verzoek op je beslissing",
        "effect.in_doubt": "Kijk even: het is niet bekend of iets is uitgevoerd",
    },
}
_SAID = {
    "en": {
        "approval.opened": "{owner}'s twin would like to run “{tool}”, and waits for your decision.",
        "effect.in_doubt": "You approved “{tool}”, and the connection broke while it ran. It is not tried again by itself.",
        "since": "Since: {time}",
        "until": "Until: {time}",
        "decide": "See all of it and decide: {url}",
        "key": "Whoever has this link can decide. It is good for this one question.",
        "inbox": "Inbox: {url}",
        "ids": "Thread {thread_id}, question {interrupt_id}",
    },
    "nl": {
        "approval.opened": "De twin van {owner} wil “{tool}” uitvoeren, en wacht op je beslissing.",
        "effect.in_doubt": "Je hebt “{tool}” goedgekeurd, en de verbinding brak af tijdens de uitvoering. Het wordt niet vanzelf opnieuw geprobeerd.",
        "since": "Sinds: {time}",
        "until": "Tot: {time}",
        "decide": "Alles bekijken en beslissen: {url}",
        "key": "Wie deze link heeft, kan beslissen. Hij geldt voor deze ene vraag.",
        "inbox": "Inbox: {url}",
        "ids": "Thread {thread_id}, vraag {interrupt_id}",
    },
}


def title(letter: Letter, language: str) -> str:
    """One line."""
    return _TITLE[language][letter.kind]


def body(letter: Letter, language: str, *, owner: str, zone: tzinfo) -> str:
    """Plain text, times in that zone."""
    said = _SAID[language]
    lines = [
        said[letter.kind].format(owner=owner, tool=letter.tool),
        "",
        said["since"].format(time=_time(letter.since, zone)),
    ]
    if letter.expires_at:
        lines.append(said["until"].format(time=_time(letter.expires_at, zone)))
    if letter.decide_url:
        lines += ["", said["decide"].format(url=letter.decide_url), said["key"]]
    ids = said["ids"].format(thread_id=letter.thread_id, interrupt_id=letter.interrupt_id or "–")
    return "\n".join([*lines, "", said["inbox"].format(url=letter.inbox_url), ids])


def _time(time: datetime, zone: tzinfo) -> str:
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M} ({zone})"
