"""The owner is told what waits for them: from the outbox, through each channel, until it is taken or there is an end."""

from datetime import timedelta

import anyio
import structlog

from server.domain.errors import NotDelivered, SaysoError
from server.domain.notices import Letter, Notice, of_doubt
from server.ports import SEND_WITHIN_S, Channel
from server.runs.services import Services

log = structlog.get_logger(__name__)

BATCH = 8
"""So many letters are on their way at once through a channel, from one process."""
TAKEN = timedelta(seconds=2 * SEND_WITHIN_S)
"""How long a notice is somebody's who took it: what sending and noting it may take, and some more."""
RETRIES_S = (5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000)
"""After each failed try: seconds until the next, two and a half days in all."""
END = timedelta(days=7)
"""What waits longer is given up, also when no replica has its channel any more."""
LOOK_S = 5.0
"""What another process posted, or was put off, is seen within so many seconds."""


async def keep_telling(services: Services, channel: Channel) -> None:
    """Runs for ever, one a channel: one that is slow or away holds up no other."""
    while True:
        try:
            while await tell_owner(services, channel) == BATCH:
                pass
            await services.store.outbox.give_up(services.clock() - END)
        except SaysoError as error:
            log.warning("notices.failed", channel=channel.name, error=type(error).__name__)
        except Exception:
            log.exception("notices.failed", channel=channel.name)
        await services.telling.wait(channel.name, LOOK_S)


async def tell_owner(services: Services, channel: Channel) -> int:
    """One look: sends what is due on that channel, at most `BATCH`; gives how many it took up.

    A crash between sending and noting it repeats the notice, under the same id. Raises Unavailable.
    """
    now = services.clock()
    due = await services.store.outbox.take(channel.name, now=now, until=now + TAKEN, limit=BATCH)
    async with anyio.create_task_group() as sending:
        for notice in due:
            sending.start_soon(_tell, services, channel, notice)
    return len(due)


async def _tell(services: Services, channel: Channel, notice: Notice) -> None:
    try:
        letter = await _letter(services, notice)
        if letter is None:
            await services.store.outbox.settle(notice, "moot")
        else:
            await _send(services, channel, notice, letter)
    except SaysoError as error:
        # The database is away: the notice is anybody's again when `TAKEN` has run out.
        log.warning("notice.not_noted", notice=notice.id, error=type(error).__name__)


async def _send(services: Services, channel: Channel, notice: Notice, letter: Letter) -> None:
    services.reach("notice.taken")
    try:
        with anyio.fail_after(SEND_WITHIN_S):
            await channel.send(letter)
    except NotDelivered as error:
        await _try_later(services, notice, error.facts["why"], final=error.facts["final"])
        return
    except Exception as error:
        # A channel of somebody's own. What it says may hold its URL, and with it a password.
        await _try_later(services, notice, type(error).__name__, final=False)
        return
    services.reach("notice.sent")
    with anyio.CancelScope(shield=True):
        await services.store.outbox.settle(notice, "sent")
    services.metrics.notice("sent")
    log.info("notice.sent", notice=notice.id, channel=channel.name, attempt=notice.attempts)


async def _letter(services: Services, notice: Notice) -> Letter | None:
    """What to send; None when there is nothing to tell any more."""
    store, telling = services.store, services.telling
    if notice.kind == "effect.in_doubt":
        effect = await store.effects.get(notice.about)
        if effect is None or effect.status != "in_doubt":
            return None
        if [again.id for again in of_doubt(effect, [notice.channel])] != [notice.id]:
            return None  # It was tried once more since, and has a notice of its own.
        asked = next(
            (
                approval
                for approval in await store.approvals.of_thread(notice.thread_id)
                if approval.tool_call_id == effect.tool_call_id
            ),
            None,
        )
        return Letter(
            id=notice.id,
            kind=notice.kind,
            tool=notice.tool,
            thread_id=notice.thread_id,
            interrupt_id=asked.interrupt_id if asked else None,
            effect_id=effect.id,
            since=notice.since,
            expires_at=None,
            inbox_url=telling.inbox_url("effects"),
        )
    question = await store.approvals.get(notice.about)
    if question is None or question.status != "pending":
        return None
    return Letter(
        id=notice.id,
        kind=notice.kind,
        tool=notice.tool,
        thread_id=notice.thread_id,
        interrupt_id=question.interrupt_id,
        effect_id=None,
        since=notice.since,
        expires_at=question.expires_at,
        inbox_url=telling.inbox_url(f"queue/{question.interrupt_id}"),
        decide_url=telling.decide_url(question, notice.channel),
    )


async def _try_later(services: Services, notice: Notice, why: str, *, final: bool) -> None:
    told = {"notice": notice.id, "channel": notice.channel, "attempt": notice.attempts, "why": why}
    if final or notice.attempts > len(RETRIES_S):
        if await services.store.outbox.settle(notice, "failed"):
            services.metrics.notice("failed")
            log.error("notice.failed", **told)
        return
    wait = timedelta(seconds=RETRIES_S[notice.attempts - 1])
    await services.store.outbox.put_off(notice, services.clock() + wait)
    log.warning("notice.put_off", **told)
