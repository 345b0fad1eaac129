"""Asks the active run of a thread to stop, wherever it executes."""

from server.runs.services import Services


async def cancel(services: Services, thread_id: str) -> str | None:
    """The id of the run that was asked, None when none is active.

    A run in this process is told at once, one elsewhere with its next heartbeat. It ends with its history valid
    and what was shown kept, marked partial. A paused thread stays paused.
    """
    run_id = await services.store.threads.ask_cancel(thread_id)
    if run_id is not None and (run := services.active.get(run_id)):
        run.cancel.set()
    return run_id
