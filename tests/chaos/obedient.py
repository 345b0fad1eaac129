"""A model that does what the visitor says, in every process alike: for loads and for stops at exact moments.

- `charge 500`, `charge_slowly 500`: asks for that tool with that amount.
- `count 20`: says twenty sentences, one every `PACE_S`.
- `march 20 NAME`: the same, and waits for the file NAME.open half way.
- `hold NAME`: says one sentence, waits until the file NAME.open is there, and says another.
- `look ONE TWO`: says one sentence, waits until ONE.open is there and looks something up; then waits for TWO.open and says another.
- `wait NAME`: waits for that file before it says anything.
- what a tool gave: says so. Anything else: repeats it.
"""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio

from server.domain.conversation import Usage
from server.ports import Finished, ModelPart, ModelRequest, TextDelta, ToolCallRequested

PACE_S = 0.05
LOOK_S = 0.02


class Obedient:
    """Implements `Model`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """What runs call it."""
        return "obedient"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """See the module."""
        last = request.messages[-1]
        asked = next(m["content"] for m in reversed(request.messages) if m["role"] == "user")
        if last["role"] == "tool" and asked.startswith("look "):
            await self._passed(asked.split()[2])
            yield TextDelta("Found it.")
        elif last["role"] == "tool":
            yield TextDelta(f"I was told: {last['content'].splitlines()[0]}")
        else:
            word, _, rest = last["content"].partition(" ")
            match word:
                case "charge" | "charge_slowly":
                    arguments = json.dumps({"amount_cents": int(rest)})
                    yield ToolCallRequested("call", word, arguments)
                case "count":
                    for number in range(1, int(rest) + 1):
                        yield TextDelta(f"This is {number}. ")
                        await anyio.sleep(PACE_S)
                case "march":
                    count, name = rest.split()
                    for number in range(1, int(count) + 1):
                        if number == int(count) // 2:
                            await self._passed(name)
                        yield TextDelta(f"This is {number}. ")
                        await anyio.sleep(PACE_S)
                case "hold":
                    # A sentence is shown once the next one has begun.
                    yield TextDelta("Before it. ")
                    yield TextDelta("After ")
                    await self._passed(rest)
                    yield TextDelta("it.")
                case "look":
                    yield TextDelta("Looking. ")
                    await self._passed(rest.split()[0])
                    yield ToolCallRequested("call", "search_knowledge", '{"query": "anything"}')
                case "wait":
                    await self._passed(rest)
                    yield TextDelta("First. Second.")
                case _:
                    yield TextDelta(f"You said {last['content']}.")
        yield Finished(Usage(10, 5, 0))

    async def _passed(self, name: str) -> None:
        reached(self._folder, name)
        while not is_open(self._folder, name):  # noqa: ASYNC110 - another process opens it
            await anyio.sleep(LOOK_S)


def reached(folder: Path, name: str) -> None:
    """Notes that somebody waits at NAME."""
    with (folder / f"{name}.reached").open("a") as file:
        file.write("x")


def is_open(folder: Path, name: str) -> bool:
    """Whether NAME lets everybody through."""
    return (folder / f"{name}.open").exists()


def times_reached(folder: Path, name: str) -> int:
    """How often NAME was waited at."""
    file = folder / f"{name}.reached"
    return len(file.read_text()) if file.exists() else 0


def open_up(folder: Path, name: str) -> None:
    """Lets through whoever waits at NAME, now and later."""
    (folder / f"{name}.open").touch()
