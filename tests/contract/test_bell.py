"""The port Bell: other processes hear of a change, and go on hearing after trouble."""

import pytest

from server.domain.events import Done
from server.ports import Writes
from tests.contract.samples import Kept, hold_new, listening, turn, write


async def test_what_is_appended_released_cancelled_or_deleted_rings(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.activate("run-1")
    async with listening(kept.bell) as rings:
        async with kept.store.units.hold(lease) as writes:
            await writes.append([(1, Done())])
        assert await rings.receive() == "t"
        await kept.other.threads.ask_cancel("t")
        assert await rings.receive() == "t"
        async with kept.other.units.hold(lease) as writes:
            await writes.release("idle")
        assert await rings.receive() == "t"
        await kept.other.threads.delete(await hold_new(kept.store), [])
        assert await rings.receive() == "t"


async def append_and_fail(writes: Writes) -> None:
    await writes.append([(1, Done())])
    raise ZeroDivisionError


async def test_what_is_taken_back_or_silent_does_not_ring(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with listening(kept.bell) as rings:
        with pytest.raises(ZeroDivisionError):
            await write(kept.store, lease, append_and_fail)
        async with kept.store.units.hold(lease) as writes:
            await writes.save_turn(turn())
        last = await hold_new(kept.store, "last")
        async with kept.store.units.hold(last) as writes:
            await writes.release("idle")
        assert await rings.receive() == "last"
