"""`sayso chat`: talk to a running twin; late decisions arrive while you wait."""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.to_thread
import click
import httpx

from server.cli.errors import check, told_plainly
from server.cli.owner import url_option
from server.cli.terminal import plain

RECONNECT_S = 1.0
PROMPT = "you  > "


@click.command()
@click.option(
    "--thread",
    "thread_id",
    help="Go on with this thread (its visitor's token in SAYSO_VISITOR_TOKEN).",
)
@click.option("--token", envvar="SAYSO_VISITOR_TOKEN", help="A visitor token.")
@url_option
def chat(url: str, thread_id: str | None, token: str | None) -> None:
    """Talk to the twin. An empty line waits; Ctrl-D ends."""
    with told_plainly():
        screen = Screen()
        screen.thread_id, screen.token = thread_id, token
        try:
            anyio.run(_chat, url, screen)
        except KeyboardInterrupt:
            click.echo()
        if screen.thread_id and screen.token:
            click.secho("To go on later:", dim=True)
            click.secho(f"  SAYSO_VISITOR_TOKEN={screen.token} \\", dim=True)
            click.secho(f"  sayso chat --thread {screen.thread_id} --url {url}", dim=True)


class Screen:
    """Shows each event of the thread once, whichever stream it comes through first."""

    def __init__(self) -> None:
        self.seq = 0
        self.thread_id: str | None = None
        self.token: str | None = None
        self.asking = False
        self._interrupted = False
        self._sources: dict[int, str] = {}

    def show(self, seq: int | None, event: dict[str, Any]) -> None:
        """Prints an event if it is new."""
        if seq is not None:
            if seq <= self.seq:
                return
            self.seq = seq
        if self.asking and event["type"] in ("interrupt", "text"):
            click.echo()  # leave the line with the prompt
            self.asking, self._interrupted = False, True
        match event["type"]:
            case "thread":
                self.thread_id = event["thread_id"]
                self.token = event.get("visitor_token") or self.token
                self._sources = {}
            case "text":
                click.echo(plain(event["text"]), nl=False)
            case "citation":
                self._sources[event["n"]] = f"{event['title']} ({event['source']})"
            case "tool" if event["status"] == "started":
                click.secho(f"· {event['name']} …", dim=True)
            case "interrupt":
                note = f" — “{plain(event['note'])}”" if event.get("note") else ""
                click.secho(f"[{event['status']}] {plain(event['message'])}{note}", bold=True)
            case "retract":
                click.secho("\n(taken back; again:)", dim=True)
            case "error":
                click.secho(f"\n{event['message']}", fg="red")
            case "done":
                click.echo()
                for n, source in sorted(self._sources.items()):
                    click.secho(f"  [{n}] {plain(source)}", dim=True)
                self._sources = {}
                if self._interrupted:
                    click.echo(PROMPT, nl=False)
                    self.asking, self._interrupted = True, False


async def _chat(url: str, screen: Screen) -> None:
    async with (
        httpx.AsyncClient(base_url=url, timeout=httpx.Timeout(120.0, connect=5.0)) as client,
        anyio.create_task_group() as tasks,
    ):
        if screen.thread_id:
            tasks.start_soon(_follow, client, screen)
        while (said := await _ask(screen)) is not None:
            if not said.strip():
                continue
            first = screen.thread_id is None
            await _say(client, screen, said)
            if first:
                tasks.start_soon(_follow, client, screen)
        tasks.cancel_scope.cancel()


async def _ask(screen: Screen) -> str | None:
    screen.asking = True
    try:
        return await anyio.to_thread.run_sync(input, PROMPT, abandon_on_cancel=True)
    except EOFError:
        click.echo()
        return None
    finally:
        screen.asking = False


async def _say(client: httpx.AsyncClient, screen: Screen, said: str) -> None:
    body = {"message": said} | ({"thread_id": screen.thread_id} if screen.thread_id else {})
    async with client.stream("POST", "/api/chat", json=body, headers=_headers(screen)) as response:
        if not response.is_success:
            await response.aread()
        check(response)
        async for seq, event in _events(response):
            screen.show(seq, event)


async def _follow(client: httpx.AsyncClient, screen: Screen) -> None:
    """Reconnects for ever: a server that restarts, or a stream that has lived its life, is no loss."""
    while True:
        try:
            path = f"/api/threads/{screen.thread_id}/events"
            headers = _headers(screen) | {"Last-Event-ID": str(screen.seq)}
            async with client.stream("GET", path, headers=headers) as response:
                async for seq, event in _events(response):
                    screen.show(seq, event)
        except httpx.HTTPError:
            pass
        await anyio.sleep(RECONNECT_S)


async def _events(response: httpx.Response) -> AsyncIterator[tuple[int | None, dict[str, Any]]]:
    seq = None
    async for line in response.aiter_lines():
        if line.startswith("id:"):
            seq = int(line[3:])
        elif line.startswith("data:"):
            yield seq, json.loads(line[5:])
            seq = None


def _headers(screen: Screen) -> dict[str, str]:
    return {"Authorization": f"Bearer {screen.token}"} if screen.token else {}
