"""A visitor says what they think of an answer."""

from server.domain.conversation import Thread
from server.domain.errors import Forbidden, NoAnswerThere
from server.domain.feedback import Feedback, Verdict
from server.runs.services import Services


async def rate(
    services: Services, thread: Thread, seq: int, verdict: Verdict, comment: str | None
) -> None:
    """Keeps the verdict on the answer that event belongs to, numbers in its comment masked; said again, it replaces.

    Raises NoAnswerThere when no finished run of the thread wrote that event, Forbidden when the thread is gone by now.
    """
    run = await services.store.runs.at(thread.id, seq) if seq <= thread.last_seq else None
    if run is None or run.status == "running":
        raise NoAnswerThere(seq=seq, last_seq=thread.last_seq)
    kept = services.guards.masked(comment) if comment else comment
    said = Feedback(thread.id, run.id, seq, verdict, kept, services.clock())
    if not await services.store.verdicts.save(said):
        raise Forbidden
