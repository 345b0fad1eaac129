"""Takes a thread, waiting for its turn in order of arrival, but not for ever."""

from collections.abc import Awaitable, Callable

import anyio

from server.domain.conversation import Lease, OnBusy
from server.domain.errors import ThreadBusy
from server.runs.cancel import cancel
from server.runs.services import Services

LOOK_S = 1.0
"""A waiter looks this often, in seconds, even when no bell rings, and says with it that it is alive."""


async def claim(
    services: Services,
    thread_id: str,
    on_busy: OnBusy = "wait",
    *,
    still_wanted: Callable[[], Awaitable[None]] | None = None,
) -> Lease:
    """The lease. Raises ThreadBusy at once for `reject`, else when the wait is over.

    `cancel` asks the active run to stop and then waits like `wait`. `still_wanted` is awaited at every look; what
    it raises ends the wait.
    """
    services.active.check_open()
    threads = services.store.threads
    deadline = anyio.current_time() + services.rules.busy_wait.total_seconds()
    ticket = await threads.enter_queue(thread_id)
    try:
        with services.feed.subscribe(thread_id, rings_only=True) as bell:
            while True:
                # Shielded: a claim that was made and then forgotten would block the thread for a lease.
                with anyio.CancelScope(shield=True):
                    lease = await threads.claim(thread_id, services.holder, ticket)
                if lease is not None:
                    return lease
                left = deadline - anyio.current_time()
                if on_busy == "reject" or left <= 0:
                    raise ThreadBusy(
                        waited_s=round(services.rules.busy_wait.total_seconds())
                        if on_busy != "reject"
                        else 0
                    )
                if on_busy == "cancel":
                    await cancel(services, thread_id)
                    on_busy = "wait"
                if still_wanted is not None:
                    await still_wanted()
                await bell.wait(min(LOOK_S, left))
                await threads.keep_ticket(ticket)
    finally:
        with anyio.CancelScope(shield=True):
            await threads.leave_queue(ticket)
