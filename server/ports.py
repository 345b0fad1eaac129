"""What the inner floors need from the outside: Protocols with only the methods somebody calls.

Each has a Postgres and a memory adapter, and both pass the same contract suite.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from server.domain.approvals import (
    Approval,
    ApprovalStatus,
    ContactMessage,
    Decision,
    Effect,
    EffectStatus,
    Via,
)
from server.domain.audit import AuditEntry
from server.domain.conversation import Lease, Message, Run, Thread, ThreadStatus, Turn, Usage
from server.domain.events import Event
from server.domain.feedback import Feedback
from server.domain.gaps import AnswerPage, Gap, GapStatus
from server.domain.knowledge import Found, Passage
from server.domain.notices import Letter, Notice, NoticeStatus
from server.domain.statistics import Span, Statistics
from server.domain.tools import ContactDraft

Clock = Callable[[], datetime]
"""Gives the time, in UTC and aware of it."""


Reach = Callable[[str], None]
"""Told the name of each place between two steps that a crash must not tear apart. Tests die there."""


def pass_by(place: str) -> None:
    """The `Reach` of everybody else: nothing happens."""


# --- the language model ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it. `parameters` is JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call.

    `messages` is a valid history (every tool call has exactly one result) that ends with what the model is to
    answer. `evidence` is what was retrieved this turn; passage n of it is cited as `[n]`, counted from 1, and
    is already part of `system` for models that only read text. No tools means: answer in words.
    """

    system: str
    messages: list[Message]
    tools: tuple[ToolSpec, ...] = ()
    evidence: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, as it is written.

    `own`: a sentence of the product itself or a quotation of the evidence, which needs no proof. Nothing a language model
    writes is that.
    """

    text: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallRequested:
    """A tool call, whole. `arguments` is the text the model wrote; whether it is JSON is not known yet."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Finished:
    """Always last, once. `truncated` says that the model ran into its output limit; `unanswered`, that it knows its answer to
    be none."""

    usage: Usage = field(default_factory=Usage)
    truncated: bool = False
    unanswered: bool = False


ModelPart = TextDelta | ToolCallRequested | Finished


NOT_BEGUN = frozenset({"connect", "status", "refused"})
"""The fact `reason` of a ModelUnavailable or ModelFailed after which nothing can have been billed."""


class Model(Protocol):
    """Something that writes answers and asks for tools."""

    @property
    def name(self) -> str:
        """What runs and `meta` call it."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """One answer in pieces: text and tool calls in the order they are complete, then `Finished`.

        Raises ModelUnavailable when it can't be reached (after its own retries, which happen only before the
        first part) or breaks off, and ModelFailed when what it wrote can't be used (not the protocol, empty). Either may have been
        billed unless its fact `reason` is one of `NOT_BEGUN`.
        """


# --- knowledge ------------------------------------------------------------------------------------

Similarity = Callable[[str, Sequence[str]], Awaitable[Sequence[float]]]
"""How close a sentence is in meaning to each text: cosines on the scale of multilingual-e5-small, on which the gate's
threshold was measured. 0 where that can't be told just now."""


class Knowledge(Protocol):
    """The owner's pages, searchable."""

    async def search(self, query: str, limit: int = 6) -> list[Found]:
        """The passages that fit best, best first. An empty query or folder gives an empty list."""

    def passage(self, passage_id: str) -> Passage | None:
        """The passage with that id, if the folder still holds it."""

    @property
    def documents(self) -> int:
        """How many pages are loaded."""

    @property
    def whole(self) -> Sequence[Passage]:
        """All passages, in an order that stays, when they are few enough to be given to a model every time; else none."""

    @property
    def similarity(self) -> Similarity | None:
        """For checking a sentence against a text in another language; None when no model for it is here."""


class AnswerPages(Protocol):
    """The owner's answers, as pages among their others."""

    async def add(self, page: AnswerPage) -> str:
        """Writes the page, never over another, and has it searched. Gives its path inside the folder.

        Raises AnswerNotKept when there is no folder of the owner's, or it can't be written to; then nothing is there.
        """

    async def remove(self, path: str) -> None:
        """Takes a page away that `add` gave the path of. One that is gone is fine."""


# --- what is kept ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Whether the lease still holds, and whether somebody asked to stop the run."""

    alive: bool
    cancel: bool


class Threads(Protocol):
    """Threads and who holds them."""

    async def open(self, thread_id: str, principal: str) -> Thread:
        """The thread of that id; made, for that principal, when there is none. Says nothing about rights."""

    async def get(self, thread_id: str) -> Thread | None:
        """The thread, or None."""

    async def newest(
        self, *, principal: str | None, before: datetime | None, limit: int
    ) -> list[Thread]:
        """Newest activity first; only one principal's when given."""

    async def enter_queue(self, thread_id: str) -> int:
        """A ticket: whoever holds a smaller one of the same thread, and is alive, goes first.

        Raises NotFound when there is no such thread (any more).
        """

    async def keep_ticket(self, ticket: int) -> None:
        """Says that whoever waits with this ticket is alive; needed every few seconds."""

    async def leave_queue(self, ticket: int) -> None:
        """Gives the ticket up. Unknown tickets are fine."""

    async def claim(self, thread_id: str, holder: str, ticket: int) -> Lease | None:
        """Takes a free thread if it is this ticket's turn; else None. Never takes a lapsed one: see `lapsed`."""

    async def renew(self, lease: Lease) -> Heartbeat:
        """Pushes the lease's end out by its full length."""

    async def take_lapsed(self, holder: str, limit: int) -> list[Lease]:
        """Takes threads whose holder let the lease run out. Their numbering leaves a gap, because the dead
        holder may have shown events it never saved."""

    async def take_for_recovery(self, thread_id: str, holder: str) -> Lease | None:
        """Takes a free thread ahead of everybody who waits, to finish what a recorded decision began."""

    async def let_lapse(self, lease: Lease) -> None:
        """Ends the lease now instead of later, so that another process takes the thread over at once."""

    async def idle_since(self, before: datetime, limit: int) -> list[str]:
        """Threads that nobody holds, without an open question, with no activity after that time."""

    async def ask_cancel(self, thread_id: str) -> str | None:
        """Asks the active run to stop; gives its id, None when no run is active."""

    async def delete(
        self, lease: Lease, checkpoint_keys: Sequence[str], noted: AuditEntry | None = None
    ) -> None:
        """Removes the thread's rows in every table, and the checkpoints kept under these keys, all or nothing.

        `noted` is the audit's one line that stays. Raises LeaseLost under an old fence.
        """


class Writes(Protocol):
    """What a holder may write, inside one transaction that begins by checking the fence."""

    async def append(self, events: Sequence[tuple[int, Event]]) -> None:
        """Adds numbered events to the log and rings the bell when the transaction commits.

        Numbers that are saved already are skipped: who does not know whether a transaction was committed
        (Unavailable) can say it all again.
        """

    async def save_turn(self, turn: Turn) -> None:
        """Adds or replaces the turn; its place in the thread is that of its first saving."""

    async def save_run(self, run: Run) -> None:
        """Adds or replaces the run."""

    async def activate(self, run_id: str) -> None:
        """Marks the thread as busy with that run."""

    async def open_approvals(self, approvals: Sequence[Approval]) -> None:
        """Adds the questions of a pause; those that are there already are left as they are."""

    async def settle(self, interrupt_id: str, decision: Decision, now: datetime) -> Approval | None:
        """The settled approval if it was pending until this statement, and, for `approved`, not past its
        expiry; else None and nothing changed. The audit gets a line with it."""

    async def mark_resumed(self, interrupt_ids: Sequence[str], run_id: str) -> None:
        """Notes which run goes on with these answers."""

    async def begin_effect(
        self, *, interrupt_id: str, tool_call_id: str, tool: str, digest: str, run_id: str
    ) -> Effect:
        """Writes `started` for an approved call, once. The effect found instead is given with `fresh` false.

        Raises NotApproved unless an approval of that interrupt and tool call is recorded as approved for
        exactly this digest.
        """

    async def finish_effect(
        self,
        effect_id: str,
        status: EffectStatus,
        result: str | None,
        draft: ContactDraft | None = None,
        *,
        by: str | None = None,
        via: Via | None = None,
    ) -> None:
        """Writes how it ended, the effect's own row and the audit's line with it. What is `done` stays as it is.

        `by` is who says so, when that is a person and not what the tool did.
        """

    async def reopen_effect(
        self, effect_id: str, run_id: str, *, by: str | None = None, via: Via | None = None
    ) -> Effect | None:
        """Sets an effect in doubt back to `started`, for that run and with `fresh` true; None if it is not in doubt.

        With `by`, who wants it tried again, the audit gets a line.
        """

    async def settle_charge(self, reservation_id: str, charge: int) -> None:
        """See `Budget.settle`."""

    async def record_gap(self, gap: Gap) -> None:
        """Keeps a question that was not answered; the first one of a turn stays."""

    async def post(self, notices: Sequence[Notice]) -> None:
        """Puts notices into the outbox; those that are there already, sent or not, are left as they are."""

    async def prune_events(self, before: int) -> None:
        """Forgets the batches of the log that end before that seq."""

    async def release(self, status: ThreadStatus) -> None:
        """Gives the thread back. The lease is void once the transaction commits."""


class Units(Protocol):
    """Opens transactions."""

    def hold(self, lease: Lease) -> AbstractAsyncContextManager[Writes]:
        """One transaction under that lease: all of it or nothing. Raises LeaseLost under an old fence."""


class Log(Protocol):
    """The events of a thread, as far as they are saved."""

    async def read(self, thread_id: str, after: int, limit: int = 500) -> list[tuple[int, Event]]:
        """Events with a larger seq, in order, at most `limit` or a few more."""

    async def first_kept(self, thread_id: str) -> int:
        """The smallest seq that can still be read; 1 for an empty log."""


class Turns(Protocol):
    """The history of a thread."""

    async def get(self, turn_id: str) -> Turn | None:
        """The turn, or None."""

    async def newest(self, thread_id: str, limit: int = 50) -> list[Turn]:
        """The newest turns, oldest of them first."""

    async def last_said(self, thread_ids: Sequence[str]) -> dict[str, str]:
        """What the visitor said last in each of these threads; threads without a turn are left out."""


class Runs(Protocol):
    """The turn log."""

    async def get(self, run_id: str) -> Run | None:
        """The run, or None."""

    async def newest(
        self, *, thread_id: str | None = None, before: datetime | None = None, limit: int = 50
    ) -> list[Run]:
        """Newest first."""

    async def due(self, now: datetime, limit: int) -> list[Run]:
        """Failed runs whose retry is due."""

    async def at(self, thread_id: str, seq: int) -> Run | None:
        """The run that wrote that event of the thread's log, as far as its number tells: the last one begun before it."""


class Approvals(Protocol):
    """The questions and their answers."""

    async def get(self, interrupt_id: str) -> Approval | None:
        """The approval, or None."""

    async def of_thread(self, thread_id: str) -> list[Approval]:
        """All of a thread, oldest first."""

    async def with_status(
        self, status: ApprovalStatus, *, before: datetime | None = None, limit: int = 50
    ) -> list[Approval]:
        """Pending: oldest first, `before` unused. Others: newest first, created before that time."""

    async def expired(self, now: datetime, limit: int) -> list[Approval]:
        """Pending ones past their expiry."""

    async def unresumed(self, limit: int) -> list[str]:
        """Threads that nobody holds whose newest pause is settled but was not gone on with."""


class Effects(Protocol):
    """The ledger, for reading."""

    async def get(self, effect_id: str) -> Effect | None:
        """The effect, or None."""

    async def newest(self, status: EffectStatus | None, limit: int = 50) -> list[Effect]:
        """Newest first."""

    async def of_thread(self, thread_id: str) -> list[Effect]:
        """All of a thread, oldest first."""


class ContactMessages(Protocol):
    """What the owner let through."""

    async def newest(
        self, *, before: datetime | None = None, limit: int = 50
    ) -> list[ContactMessage]:
        """Newest first."""


class Gaps(Protocol):
    """What visitors asked that was not answered."""

    async def get(self, gap_id: str) -> Gap | None:
        """The gap, or None."""

    async def with_status(
        self, status: GapStatus, *, before: datetime | None = None, limit: int = 500
    ) -> list[Gap]:
        """Newest first: open ones by when they were asked, others by when they were settled, before that time."""

    async def settle(
        self, gap_ids: Sequence[str], status: GapStatus, *, by: str, at: datetime, page: str | None
    ) -> list[str]:
        """Settles those that are open, all in one step, and gives their ids: of two who settle the same, one gets them."""


class Verdicts(Protocol):
    """What visitors think of answers."""

    async def save(self, feedback: Feedback) -> bool:
        """Adds it, or replaces what was said of the same run. False when there is no such thread (any more)."""

    async def of_thread(self, thread_id: str) -> list[Feedback]:
        """In the order of the answers."""


class Outbox(Protocol):
    """Notices on their way to the owner, over all replicas together."""

    async def take(
        self, channel: str, *, now: datetime, until: datetime, limit: int
    ) -> list[Notice]:
        """Notices of that channel that are due, oldest first, each counting one more attempt.

        Nobody is given them again before `until`; who took them and says no more, is dead or too late.
        """

    async def settle(self, notice: Notice, status: NoticeStatus) -> bool:
        """Ends a notice that was taken. False, and nothing changed, when somebody else took it since."""

    async def put_off(self, notice: Notice, until: datetime) -> bool:
        """Lets a notice that was taken be due again at that time. False as above."""

    async def give_up(self, before: datetime) -> int:
        """Ends as failed what waits since before that time, whatever its channel; gives how many."""

    async def of_thread(self, thread_id: str) -> list[Notice]:
        """All of a thread, oldest first."""


class AuditTrail(Protocol):
    """What was decided and done, in the order it was written."""

    async def read(
        self,
        *,
        after: int,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int,
    ) -> list[AuditEntry]:
        """Lines with a larger position, in order. Later reads never find one before a line that was read.

        `since` (included) and `until` (not) are about when it happened.
        """


class Channel(Protocol):
    """A way to the owner."""

    @property
    def name(self) -> str:
        """Names it in the outbox and in decisions made with its links: the same after a restart, and no secret."""

    async def send(self, letter: Letter) -> None:
        """Returns when the other side has taken it. Raises NotDelivered, in `SEND_WITHIN_S` seconds at most."""


SEND_WITHIN_S = 15.0
"""How long a channel may take to send a letter."""


class DailyNumbers(Protocol):
    """Counts over everything that is kept."""

    async def over(self, span: Span) -> Statistics:
        """The whole and each day; days on which nothing happened too."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`burst` requests at once, and from then on one each `interval`: never more than twice `burst` in a `period`."""

    burst: int
    period: timedelta

    @property
    def interval(self) -> timedelta:
        """How long it takes until one more may come."""
        return self.period / self.burst


class RateLimiter(Protocol):
    """Who asked how often, over all replicas together."""

    async def take(self, key: str, rate: Rate) -> timedelta | None:
        """Counts one request of that key: None when it fits the rate. Else how long until one will, and nothing is
        counted. Of many at once exactly as many fit as may."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """What one model call may cost at most, in nano-dollars, held back from the budget of that day."""

    id: str
    run_id: str
    day: date
    nano_usd: int


class Budget(Protocol):
    """What is spent on model calls each day, over all replicas together. Money is in whole nano-dollars."""

    async def reserve(self, lease: Lease, reservation: Reservation, *, cap: int) -> bool:
        """Holds the money back if it fits: what is charged to and reserved of the day never passes `cap` by this.
        Of many at once exactly as many fit as may. Raises LeaseLost under an old fence.
        """

    async def settle(self, reservation_id: str, charge: int) -> None:
        """Puts the charge, 0 or more, in the reservation's place, on its day. A reservation that is gone already,
        settled or released, changes nothing: whoever does not know (Unavailable) can say it again."""

    async def release_earlier(self, lease: Lease) -> None:
        """Gives back what earlier holders of the thread reserved and, dead by now, can't settle."""


@dataclass(frozen=True, slots=True)
class Store:
    """Everything that is kept, by the port it is reached through."""

    threads: Threads
    units: Units
    log: Log
    turns: Turns
    runs: Runs
    approvals: Approvals
    effects: Effects
    contact_messages: ContactMessages
    gaps: Gaps
    verdicts: Verdicts
    outbox: Outbox
    audit: AuditTrail
    daily_numbers: DailyNumbers
    rate_limiter: RateLimiter
    budget: Budget
    check: Callable[[], Any]
    """Awaited: returns when the database answers, raises Unavailable when it does not."""


class Bell(Protocol):
    """Tells this process that another one wrote to a thread."""

    async def listen(self, ring: Callable[[str], None]) -> None:
        """Calls `ring(thread_id)` for each bell, for ever; heals itself. `ring("*")`: look everywhere."""


LEASE_GAP = 1000
"""How far a takeover jumps ahead in the numbering: more events than a holder ever shows unsaved."""


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """How long a lease lasts without a heartbeat, and how long a ticket does."""

    lease: timedelta = timedelta(seconds=10)
    ticket: timedelta = timedelta(seconds=5)
