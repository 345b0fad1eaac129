"""A model that says what it is told: for tests, without network, and exact to the piece.

model = Scripted(
    "Hello.",                                                # one answer, streamed word by word
    call("get_availability"),                                # a tool call
    ["One moment.", call("refund", order_id=7), call("notify")],  # text and calls in one answer
    ["I was just", ModelUnavailable()],                      # breaks off after two pieces
    lambda request: f"You said: {request.messages[-1]['content']}",
)
...
assert model.requests[0].messages[-1]["content"] == "Hi"
"""

import asyncio
import copy
import re
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from server.domain.tools import canonical_json
from server.ports import Finished, ModelPart, ModelRequest, TextDelta, ToolCallRequested


class Gate:
    """Holds every answer that gets to it until somebody opens it, from any thread or event loop.

    Put it between the items of an answer; `reached` tells when the model waits there.
    """

    def __init__(self) -> None:
        self._reached: Future[None] = Future()
        self._opened: Future[None] = Future()
        self._lock = threading.Lock()

    def open(self) -> None:
        """Lets through whoever waits, and all that come later."""
        self._set(self._opened)

    def wait_reached(self, timeout_s: float = 10.0) -> None:
        """Blocks until an answer waits here. Raises TimeoutError."""
        self._reached.result(timeout_s)

    async def reached(self) -> None:
        """Returns once an answer waits here."""
        await asyncio.shield(asyncio.wrap_future(self._reached))

    async def passed(self) -> None:
        """For the model: says that it is here, returns when the gate is open."""
        self._set(self._reached)
        # shielded: a cancelled answer must not close the gate for the others
        await asyncio.shield(asyncio.wrap_future(self._opened))

    def _set(self, happened: Future[None]) -> None:
        with self._lock:
            if not happened.done():
                happened.set_result(None)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to answer with. Arguments given as text are sent as they are, JSON or not.

    Without an id it gets the next of `call_1`, `call_2`, … of its model.
    """

    name: str
    arguments: Mapping[str, Any] | str
    id: str | None = None


def call(name: str, /, **arguments: Any) -> Call:
    """A tool call with these arguments."""
    return Call(name, arguments)


Error: TypeAlias = BaseException | type[BaseException]
Item: TypeAlias = str | Call | Gate | Error | TextDelta | ToolCallRequested | Finished
Answer: TypeAlias = Item | Sequence[Item] | Callable[[ModelRequest], Item | Sequence[Item]]


class ScriptEnded(Exception):
    """A Scripted model was asked for more answers than it was given. No SaysoError: the test is wrong."""


class Scripted:
    """Implements `Model`: gives one answer a request, in order, however many threads ask.

    An answer is text (streamed word by word), a `call`, an exception to raise, a `Gate` to wait at, a part to
    pass on as it is (`Finished(usage)` instead of the usual end), a sequence of these, or a function that makes
    one from the request. `then` is the answer to every request after the last; without it: ScriptEnded.
    """

    def __init__(
        self, *answers: Answer, then: Answer | None = None, name: str = "scripted"
    ) -> None:
        self.requests: list[ModelRequest] = []
        """Every request so far, as it was when it came."""
        self._answers = list(answers)
        self._then = then
        self._name = name
        self._calls = 0
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """What the constructor was given."""
        return self._name

    @property
    def remaining(self) -> int:
        """How many answers were not asked for."""
        return max(0, len(self._answers) - len(self.requests))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """See `Model.stream`. Raises what the script says, or ScriptEnded."""
        answer = self._next(request)
        if callable(answer) and not isinstance(answer, type):
            answer = answer(request)
        items = (
            [answer]
            if isinstance(answer, str) or not isinstance(answer, Sequence)
            else list(answer)
        )
        finished = Finished()
        for item in items:
            match item:
                case str():
                    for piece in _words(item):
                        yield TextDelta(piece)
                        await asyncio.sleep(0)
                case Call():
                    yield self._requested(item)
                case Gate():
                    await item.passed()
                case BaseException() | type():
                    raise item
                case Finished():
                    finished = item
                case _:
                    yield item
        yield finished

    def _next(self, request: ModelRequest) -> Answer:
        with self._lock:
            place = len(self.requests)
            self.requests.append(replace(request, messages=copy.deepcopy(request.messages)))
        if place < len(self._answers):
            return self._answers[place]
        if self._then is not None:
            return self._then
        last = request.messages[-1] if request.messages else None
        raise ScriptEnded(
            f"Scripted was asked for answer {place + 1} but was given {len(self._answers)}; "
            f"the request ends with {last!r}"
        )

    def _requested(self, wanted: Call) -> ToolCallRequested:
        with self._lock:
            self._calls += 1
            id = wanted.id or f"call_{self._calls}"
        arguments = wanted.arguments
        text = arguments if isinstance(arguments, str) else canonical_json(dict(arguments))
        return ToolCallRequested(id, wanted.name, text)


def _words(text: str) -> Iterator[str]:
    """The text word by word, each with the white space after it."""
    return (match.group() for match in re.finditer(r"\s*\S+\s*|\s+", text))
