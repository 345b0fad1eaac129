"""Every way Sayso says no. One class per situation: the docstring is the message, the fields are the facts.

Nothing here knows HTTP; `server.web.problems` maps each class to a status in one table.
"""

from typing import Any


class SaysoError(Exception):
    """Something went wrong."""

    def __init__(self, detail: str | None = None, **facts: Any) -> None:
        message = detail or (type(self).__doc__ or "").strip().splitlines()[0]
        self.detail = message.format(**facts) if facts and detail is None else message
        self.facts = facts
        super().__init__(self.detail)


class ConfigurationError(SaysoError):
    """The settings contradict each other or name something that does not exist."""


class InvalidRequest(SaysoError):
    """The request is not valid."""


class TooLarge(SaysoError):
    """The body is larger than {limit} bytes."""


class RateLimited(SaysoError):
    """Too many messages: try again in {retry_after} seconds."""


class Unauthenticated(SaysoError):
    """Send a valid token as 'Authorization: Bearer …'."""


class Forbidden(SaysoError):
    """This thread is not yours."""


class AdminDisabled(SaysoError):
    """The owner's routes are switched off: set ADMIN_TOKEN or ADMIN_TOKENS to use them."""


class NotInDoubt(SaysoError):
    """This effect is not in doubt: it is '{decided_status}'."""


class AnswerNotKept(SaysoError):
    """The answer can't become a page of the knowledge folder: {why}"""


class NotFound(SaysoError):
    """There is no such thing here."""


class NoAnswerThere(SaysoError):
    """There is no finished answer at seq {seq} of this thread; its log ends at {last_seq}."""


class NoPendingApproval(SaysoError):
    """Nothing is waiting for a decision on this thread."""


class StaleInterrupt(SaysoError):
    """interrupt_id '{given}' does not match the open interrupt(s) {open}."""


class AmbiguousInterrupt(SaysoError):
    """Several questions are open on this thread: name one of {open} as interrupt_id."""


class AlreadyDecided(SaysoError):
    """This question was settled already: {decided_status} by {by} at {at}."""


class NotPaused(SaysoError):
    """Nothing to resume: this thread is not paused at an interrupt."""


class Expired(SaysoError):
    """The time for an answer ran out at {expires_at}; it can no longer be approved."""


class Orphaned(SaysoError):
    """This question was asked by another version of the twin and can't be resumed: {why}."""


class InvalidAnswer(SaysoError):
    """The answer does not fit the question: {problems}."""

    def __init__(self, *problems: str, detail: str | None = None) -> None:
        """Each problem begins with the JSON path of its place."""
        told = (type(self).__doc__ or "").format(problems="; ".join(problems))
        super().__init__(detail or told, problems=list(problems))


class ThreadPaused(SaysoError):
    """Thread is paused at interrupt '{interrupt_id}' in node '{node}'. Resume it with {{'resume': value}}."""


class ThreadBusy(SaysoError):
    """Another run is active on this thread; it did not end within {waited_s} seconds."""


class ModelUnavailable(SaysoError):
    """The language model can't be reached at the moment. Please try again."""


class ModelFailed(SaysoError):
    """The language model's answer could not be used. Please try again."""


class BudgetReached(SaysoError):
    """What may be spent on {day} does not bear another model call."""


class Unavailable(SaysoError):
    """The database can't be reached at the moment. Please try again."""


class LeaseLost(SaysoError):
    """Another process took over this thread; this one may no longer write to it."""


class NotDelivered(SaysoError):
    """The notice was not taken: {why}."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        """`final`: trying again is of no use."""
        super().__init__(why=why, final=final)


class NotApproved(SaysoError):
    """This tool call has no recorded approval for exactly these arguments."""


class NotStarted(SaysoError):
    """The twin is not running: a mounted application's lifespan has to be entered by its host."""


class Draining(SaysoError):
    """This process is shutting down. Please try again."""
