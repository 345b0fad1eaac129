"""What the owner is told: that a question waits, or that nobody knows how an effect ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from server.domain.approvals import Approval, Effect

NoticeKind = Literal["approval.opened", "effect.in_doubt"]
NoticeStatus = Literal["waiting", "sent", "moot", "failed"]
"""`moot`: what it was about was settled before it could be told. `failed`: every try was, or there is no such channel."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to be told through one channel: a row of the outbox, unique by id and channel.

    `id` is the same however often it is tried, so that a receiver knows a repetition. `about` is the id of the
    interrupt or the effect, `since` when that was asked or begun. `next_at` None: due at once.
    """

    id: str
    channel: str
    thread_id: str
    kind: NoticeKind
    about: str
    tool: str
    since: datetime
    status: NoticeStatus = "waiting"
    attempts: int = 0
    next_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """What a channel sends of a notice. Nothing that a visitor wrote is in it.

    `expires_at` is until when the question can be approved; None: for ever, or there is no question.
    `decide_url` lets whoever holds it decide that one question; None for an effect in doubt.
    """

    id: str
    kind: NoticeKind
    tool: str
    thread_id: str
    interrupt_id: str | None
    effect_id: str | None
    since: datetime
    expires_at: datetime | None
    inbox_url: str
    decide_url: str | None = None


def of_questions(approvals: Sequence[Approval], channels: Sequence[str]) -> list[Notice]:
    """Notices of questions that are put to the owner, one for each channel. A visitor's own word is their own."""
    return [
        Notice(
            id=f"approval_{asked.interrupt_id}",
            channel=channel,
            thread_id=asked.thread_id,
            kind="approval.opened",
            about=asked.interrupt_id,
            tool=asked.tool,
            since=asked.created_at,
        )
        for asked in approvals
        if asked.approver == "owner" and asked.status == "pending"
        for channel in channels
    ]


def of_doubt(effect: Effect, channels: Sequence[str]) -> list[Notice]:
    """Notices of an effect nobody knows the end of. One that is tried again and is in doubt again is told again."""
    return [
        Notice(
            id=f"effect_{effect.id}_{effect.run_id}",
            channel=channel,
            thread_id=effect.thread_id,
            kind="effect.in_doubt",
            about=effect.id,
            tool=effect.tool,
            since=effect.started_at,
        )
        for channel in channels
    ]
