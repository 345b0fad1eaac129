"""LangGraph's checkpoints, refused from whoever lost the thread."""

import copy
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

import anyio
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from server.adapters.postgres.columns import restored, storable
from server.adapters.postgres.engine import (
    ANSWER_WITHIN_S,
    CONNECT,
    LET_GO,
    conninfo,
    reachable,
    translating,
)
from server.domain.errors import LeaseLost

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]
ASK_AGAIN_S = 1.0

_HELD = (
    f"SELECT {LET_GO} FROM threads"  # noqa: S608 - a constant of ours
    " WHERE id = %s AND fence = %s AND holder IS NOT NULL FOR SHARE"
)
_lease: ContextVar[tuple[str, int] | None] = ContextVar("lease", default=None)
"""Carries the lease past the stock saver's methods to the transaction they write in."""


class PatientPool(AsyncConnectionPool[Connection]):
    """A pool that does not forget who waits.

    The stock one tries to connect when somebody asks for a connection, and gives up after `reconnect_timeout`; whoever still waits
    then is not tried for again before somebody else asks, and gets nothing although the database is back. Here they ask again
    themselves, every `ASK_AGAIN_S`.
    """

    async def getconn(self, timeout: float | None = None) -> Connection:
        """See the stock one. Raises PoolTimeout."""
        deadline = anyio.current_time() + (self.timeout if timeout is None else timeout)
        while True:
            left = deadline - anyio.current_time()
            try:
                return await super().getconn(max(0.0, min(left, ASK_AGAIN_S)))
            except PoolTimeout:
                if left <= ASK_AGAIN_S:
                    raise


@asynccontextmanager
async def postgres_saver(
    url: str, serializer: SerializerProtocol, *, connections: int = 10
) -> AsyncIterator["FencedSaver"]:
    """A saver on a pool of its own. The checkpoint tables are made by `migrate`."""
    pool = PatientPool(
        conninfo(url),
        open=False,
        min_size=1,
        max_size=connections,
        timeout=ANSWER_WITHIN_S,
        # By default it tries for five minutes, ever more rarely: half a minute after the database is back it would still
        # wait. After this long it gives up, and whoever wants a connection has it tried at once.
        reconnect_timeout=2.0,
        check=PatientPool.check_connection,
        kwargs={"autocommit": True, "row_factory": dict_row, **CONNECT},
    )
    async with pool:
        yield FencedSaver(pool, serializer)


class FencedSaver(AsyncPostgresSaver):
    """Writes only under a lease, without the stock saver's lock over the whole instance.

    A run's config says which: `configurable` carries `lease_thread` (the thread's id; `thread_id` is the saver's
    own and may differ) and `fence`. Raises LeaseLost when it no longer holds or none is given, Unavailable when
    the database can't be reached. Don't write inside `Units.hold` of the same thread: it waits for that lock.
    """

    conn: Pool

    def __init__(self, pool: Pool, serializer: SerializerProtocol) -> None:
        super().__init__(pool, serde=serializer)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with reachable():
            return await super().aget_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        # Values that are bare strings go into a JSONB column, which refuses some.
        stored = copy.copy(checkpoint)
        stored["channel_values"] = _strings(storable, checkpoint["channel_values"])
        with _under_lease(config):
            return await super().aput(config, stored, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        with _under_lease(config):
            await super().aput_writes(config, writes, task_id, task_path)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        with reachable():
            await super().aprune(thread_ids, strategy=strategy)

    async def _load_checkpoint_tuple(self, value: DictRow) -> CheckpointTuple:
        inline = value["checkpoint"].get("channel_values") or {}
        value["checkpoint"]["channel_values"] = _strings(restored, inline)
        return await super()._load_checkpoint_tuple(value)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """A cursor; `pipeline` means that something is written: in one transaction, under the lease if any."""
        if pipeline:
            with reachable():
                async with (
                    self.conn.connection() as connection,
                    connection.pipeline(),
                    connection.transaction(),
                    connection.cursor(binary=True) as cursor,
                ):
                    if lease := _lease.get():
                        await cursor.execute(_HELD, lease)
                        if await cursor.fetchone() is None:
                            raise LeaseLost
                    yield cursor
        else:
            # No time limit: `alist` yields to its caller from inside, and a cancel scope must not span that.
            with translating():
                async with (
                    self.conn.connection() as connection,
                    connection.cursor(binary=True) as cursor,
                ):
                    yield cursor


@contextmanager
def _under_lease(config: RunnableConfig) -> Iterator[None]:
    configurable = config["configurable"]
    thread_id, fence = configurable.get("lease_thread"), configurable.get("fence")
    if not isinstance(thread_id, str) or not isinstance(fence, int):
        raise LeaseLost("A checkpoint can only be written under a lease.")
    token = _lease.set((thread_id, fence))
    try:
        yield
    finally:
        _lease.reset(token)


def _strings(change: Callable[[str], str], values: dict[str, Any]) -> dict[str, Any]:
    return {name: change(v) if isinstance(v, str) else v for name, v in values.items()}
