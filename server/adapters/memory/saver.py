"""LangGraph's checkpoints in memory, refused from whoever lost the thread."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.base import SerializerProtocol

from server.adapters.memory.records import Records
from server.domain.errors import LeaseLost


class MemorySaver(InMemorySaver):
    """Writes only under a lease: see `FencedSaver`, whose twin this is."""

    def __init__(self, records: Records, serializer: SerializerProtocol) -> None:
        super().__init__(serde=serializer)
        self._records = records
        records.on_forget(self.delete_thread)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        async with self._records.locked(str(config["configurable"].get("lease_thread"))):
            self._check(config)
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        async with self._records.locked(str(config["configurable"].get("lease_thread"))):
            self._check(config)
            await super().aput_writes(config, writes, task_id, task_path)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Like Postgres' saver, which keeps the latest checkpoint and an open question with it."""
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread_id)
            else:
                for namespace in self.storage.get(thread_id, {}):
                    self._keep_latest(thread_id, namespace)

    def _keep_latest(self, thread_id: str, namespace: str) -> None:
        checkpoints = self.storage[thread_id][namespace]
        if not checkpoints:
            return
        *older, latest = sorted(checkpoints)
        for checkpoint_id in older:
            del checkpoints[checkpoint_id]
            self.writes.pop((thread_id, namespace, checkpoint_id), None)
        checkpoint, metadata, _ = checkpoints[latest]
        checkpoints[latest] = (checkpoint, metadata, None)
        versions = self.serde.loads_typed(checkpoint)["channel_versions"]
        for key in [key for key in self.blobs if key[:2] == (thread_id, namespace)]:
            if versions.get(key[2]) != key[3]:
                del self.blobs[key]

    def _check(self, config: RunnableConfig) -> None:
        configurable = config["configurable"]
        record = self._records.threads.get(str(configurable.get("lease_thread")))
        if record is None or not record.is_held_under(configurable.get("fence", -1)):
            raise LeaseLost
