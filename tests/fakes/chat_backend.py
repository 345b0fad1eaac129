"""A chat-completions provider on a loopback port that does exactly what a test says, down to the byte.

    with ChatBackend(says("Hello ", "there."), Reply(status=503), DROP) as backend:
        ChatCompletions(client, backend.base_url, "m")
    assert len(backend.requests) == 3

Real HTTP from a small socket server in a thread: an ASGI server could neither hang up before the status line nor
in the middle of a chunk.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from server.adapters.models.scripted import Gate

Piece = bytes | Gate


@dataclass(frozen=True)
class Reply:
    """One response. Each of `pieces` is one HTTP chunk; at a Gate the server waits.

    `ends` False hangs up after the last piece; `hangs_up` does so before the status line.
    """

    pieces: Sequence[Piece] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    ends: bool = True
    hangs_up: bool = False


DROP = Reply(hangs_up=True)


def sse(chunk: dict[str, Any] | str) -> bytes:
    """One frame."""
    data = chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False)
    return f"data: {data}\n\n".encode()


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """One chunk of an answer: `delta(content="Hi")`, `delta(finish="stop")`."""
    return sse({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def fragment(index: int | None, arguments: Any = "", **fields: Any) -> bytes:
    """One chunk with a piece of a tool call: `fragment(0, '{"a"', id="c1", name="f")`."""
    function = {"arguments": arguments}
    if "name" in fields:
        function["name"] = fields.pop("name")
    call = {"function": function, **fields}
    return delta(tool_calls=[call if index is None else {"index": index, **call}])


def usage(prompt: int, completion: int, cached: int = 0) -> bytes:
    """The chunk that `include_usage` brings."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    return sse(
        {"choices": [], "usage": {**counts, "prompt_tokens_details": {"cached_tokens": cached}}}
    )


FINISH, DONE = delta(finish="stop"), sse("[DONE]")


def says(*texts: str) -> Reply:
    """An answer in these pieces, as a good server sends it."""
    return Reply([*(delta(content=text) for text in texts), FINISH, usage(7, 3, 2), DONE])


def refuses(status: int, body: Any = None, **headers: str) -> Reply:
    """An error response."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    text = json.dumps({"error": {"message": "no"}} if body is None else body).encode()
    return Reply([text], status=status, headers=names, content_type="application/json")


class ChatBackend:
    """The server. Replies in order, one a request; requests beyond them get status 599."""

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0
        self.hung_up = threading.Event()
        """Set when a client closed its connection while an answer was still being sent."""
        self._replies = list(replies)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def base_url(self) -> str:
        """Where it listens, with `/v1`."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def __enter__(self) -> "ChatBackend":
        self._thread.start()
        self._server = self._in_loop(asyncio.start_server(self._connection, "127.0.0.1", 0))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._in_loop(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _in_loop(self, what: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(10)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        while (
            self._tasks
        ):  # one that is waiting for its own parts to end takes the first for theirs
            for task in list(self._tasks):
                task.cancel()
            await asyncio.wait(list(self._tasks), timeout=0.1)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            ahead: bytes | None = b""
            while ahead is not None:
                ahead = await self._exchange(reader, writer, ahead)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ahead: bytes
    ) -> bytes | None:
        """One request and its response; what was read of the next one, None to hang up."""
        head = (ahead + await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.paths.append(head[0].split()[1])
        self.headers.append(headers)
        self.requests.append(json.loads(body))
        place = len(self.requests) - 1
        reply = self._replies[place] if place < len(self._replies) else Reply(status=599)
        if reply.hangs_up:
            return None
        watch = asyncio.ensure_future(reader.read(1))  # nothing comes before the end but a hang-up
        answer = asyncio.ensure_future(self._send(reply, writer))
        try:
            await asyncio.wait((watch, answer), return_when=asyncio.FIRST_COMPLETED)
            if watch.done() and not watch.result() and not answer.done():
                self.hung_up.set()
                return None
            await answer
            if not reply.ends:
                return None
            return watch.result() if watch.done() else b""
        finally:
            for task in (answer, watch):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                    await task

    async def _send(self, reply: Reply, writer: asyncio.StreamWriter) -> None:
        lines = {"content-type": reply.content_type, "transfer-encoding": "chunked"}
        head = "".join(f"{name}: {value}\r\n" for name, value in (lines | reply.headers).items())
        writer.write(f"HTTP/1.1 {reply.status} Said So\r\n{head}\r\n".encode())
        for piece in reply.pieces:
            await writer.drain()
            if isinstance(piece, Gate):
                await piece.passed()
            elif piece:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if reply.ends:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        if not reply.ends:
            writer.close()  # flushes what was written, then hangs up
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
