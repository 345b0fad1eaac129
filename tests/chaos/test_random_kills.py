"""Replicas under load are killed with -9 at random times, and replaced. Afterwards the books are opened.

KILLS says how many (20); SEED which ones.
"""

import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from tests.chaos.charging import charges
from tests.chaos.replicas import Facts, Replicas, Visitor, replicas
from tests.support.server import Server, until

pytestmark = [pytest.mark.chaos, pytest.mark.postgres, pytest.mark.timeout(1200)]

KILLS = int(os.environ.get("KILLS", "20"))
SEED = int(os.environ.get("SEED", "1"))
VISITORS = 8
LONGEST_S = 0.6
"""A replica that is ready is killed at a random time within this long."""


class Somebody:
    """Chats, asks for charges, and has them decided, on threads of their own, whatever happens to the servers."""

    def __init__(self, pair: Replicas, number: int, over: threading.Event) -> None:
        self.random = random.Random(SEED * 1000 + number)
        self.pair = pair
        self.over = over
        self.threads = [pair.visitor(f"kill{number}_{n}") for n in range(3)]
        self.accepted: list[str] = []
        self.recorded: list[tuple[str, str]] = []
        self.spoken: set[str] = set()
        self.done: Counter[str] = Counter()

    def live(self) -> None:
        """Until it is over."""
        while not self.over.is_set():
            visitor = self.random.choice(self.threads)
            at = self.random.choice(self.pair.servers)
            # A dead server, or one that is dying: the visitor tries something else.
            with suppress(httpx.HTTPError):
                self._do_something(visitor, at)

    def _do_something(self, visitor: Visitor, at: Server) -> None:
        match self.random.randrange(6):
            case 0 | 1:
                self._say(visitor, at, f"count {self.random.randrange(1, 6)}")
            case 2 | 3:
                self._say(visitor, at, f"charge {self.random.randrange(1, 10_000)}")
            case _:
                self._decide(visitor, at)

    def _say(self, visitor: Visitor, at: Server, message: str) -> None:
        body = {"message": message, "thread_id": visitor.thread_id, "on_busy": "reject"}
        url = f"{at.url}/api/chat"
        with self.pair.client.stream("POST", url, json=body, headers=visitor.headers) as answer:
            self.done[f"chat {answer.status_code}"] += 1
            if answer.status_code != 200:
                assert answer.status_code in (409, 503), answer.read()
                return
            for line in answer.iter_lines():
                self.spoken.add(visitor.thread_id)
                if '"run_id"' in line and '"thread"' in line:
                    self.accepted.append(line.partition('"run_id":"')[2].partition('"')[0])

    def _decide(self, visitor: Visitor, at: Server) -> None:
        if visitor.thread_id not in self.spoken:
            return
        answer = visitor.try_to_view(at)
        if answer.status_code != 200:
            assert answer.status_code == 503, answer.text
            return
        for question in answer.json()["approvals"]:
            interrupt_id = question["interrupt_id"]
            if self.random.random() < 0.15:
                answer = visitor.withdraw(interrupt_id, at)
            else:
                yes = self.random.random() < 0.8
                answer = visitor.decide(at, approved=yes, interrupt_id=interrupt_id)
            self.done[f"decide {answer.status_code}"] += 1
            if answer.status_code == 200:
                self.recorded.append((interrupt_id, answer.json()["status"]))
            else:
                assert answer.status_code in (409, 503), answer.text


def pid_of(pair: Replicas, server: Server) -> int:
    """Of the child that serves."""
    return int((pair.folder / f"{server.port}.pid").read_text())


def test_kills_at_random_times_under_load(tmp_path: Path, postgres_url: str) -> None:
    """No accepted turn is lost, nothing is charged twice, what is in doubt is said to be, no thread hangs."""
    chance = random.Random(SEED)
    over = threading.Event()
    with (
        replicas(tmp_path, postgres_url, postgres_url, respawn=True, LEASE_S="1") as pair,
        ExitStack() as stack,
    ):
        somebodies = [Somebody(pair, n, over) for n in range(VISITORS)]
        pool = stack.enter_context(ThreadPoolExecutor(VISITORS))
        crowd = [pool.submit(somebody.live) for somebody in somebodies]
        began = time.monotonic()
        try:
            for _ in range(KILLS):
                victim = chance.choice(pair.servers)
                until("the victim is up", lambda v=victim: is_up(v))
                over.wait(chance.random() * LONGEST_S)  # the random time
                os.kill(pid_of(pair, victim), signal.SIGKILL)
        finally:
            over.set()
            for one in crowd:
                one.result()
        took = time.monotonic() - began
        for server in pair.servers:
            until("it is up again", lambda s=server: is_up(s))
        until("nothing is held any more", lambda: at_rest(pair.facts))
        figures = check_the_books(pair, somebodies)
    taken = sum(log.count("run.taken_over") for log in (s.log for s in pair.servers))
    done = sum((s.done for s in somebodies), Counter[str]())
    print(
        f"\n{KILLS} kills in {took:.0f} s, {taken} takeovers; {dict(sorted(done.items()))}; {figures}"
    )


def is_up(server: Server) -> bool:
    """Whether it answers."""
    try:
        return httpx.get(f"{server.url}/healthz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def at_rest(facts: Facts) -> bool:
    """Nobody holds a thread, and nothing that is due waits."""
    return not facts.rows("SELECT 1 FROM threads WHERE holder IS NOT NULL OR status = 'busy'")


def check_the_books(pair: Replicas, somebodies: list[Somebody]) -> dict[str, int]:
    """Every promise, against what is written down."""
    facts = pair.facts
    runs = dict(facts.rows("SELECT id, status FROM runs"))
    accepted = [run for somebody in somebodies for run in somebody.accepted]
    assert set(accepted) <= set(runs), "a turn that was accepted is gone"
    assert set(runs.values()) <= {"success", "interrupted"}, Counter(runs.values())

    # A paused turn is listed, and only a paused thread waits.
    pending = facts.rows("SELECT thread_id, interrupt_id FROM approvals WHERE status = 'pending'")
    waiting = {row[0] for row in facts.rows("SELECT id FROM threads WHERE status = 'interrupted'")}
    assert waiting == {thread for thread, _ in pending}
    listed = pair.visitor().owner("GET", "/approvals").json()["pending"]
    assert {c["interrupt_id"] for c in listed} == {interrupt_id for _, interrupt_id in pending}
    unpaused = facts.rows(
        "SELECT id FROM runs WHERE status = 'interrupted' AND NOT EXISTS"
        " (SELECT 1 FROM approvals WHERE run_id = runs.id)"
    )
    assert not unpaused, "a run paused, and its question is nowhere"

    # What was answered 200 is what is recorded, and it was gone on with.
    status = dict(facts.rows("SELECT interrupt_id, status FROM approvals"))
    for somebody in somebodies:
        for interrupt_id, said in somebody.recorded:
            assert status[interrupt_id] == said
    left = "SELECT 1 FROM approvals WHERE status <> 'pending' AND resumed_by IS NULL"
    assert not facts.rows(left), "a decision was not gone on with"

    # One effect for each yes, none for anything else, and never two charges.
    approved = facts.rows("SELECT thread_id, tool_call_id FROM approvals WHERE status = 'approved'")
    effects = facts.rows("SELECT thread_id, tool_call_id, status, idempotency_key FROM effects")
    assert sorted(approved) == sorted((thread, call) for thread, call, *_ in effects)
    made = Counter(line.split()[0] for line in charges(facts.folder))
    assert not [key for key, count in made.items() if count > 1], "charged twice"
    assert set(made) <= {key for *_, key in effects}, "a charge the ledger does not know"
    for *_, how, key in effects:
        assert how in ("done", "in_doubt"), how
        assert how == "in_doubt" or made[key] == 1
    doubted = {key for *_, how, key in effects if how == "in_doubt"}

    # The visitor's story: numbers rise, each question opens once.
    for (thread_id,) in facts.rows("SELECT id FROM threads"):
        log = facts.log(thread_id)
        if not log:
            continue  # its holder died before it had written what the visitor said
        assert all(a["seq"] < b["seq"] for a, b in pairwise(log)), thread_id
        asked = [
            e["interrupt_id"] for e in log if e["type"] == "interrupt" and e["status"] == "pending"
        ]
        assert len(asked) == len(set(asked))
        # Each takeover jumps a thousand numbers ahead, so the oldest runs may be past what is kept of a log.
        opened = [e["run_id"] for e in log if e["type"] == "thread"]
        assert len(opened) == len(set(opened))
        assert len(opened) <= len([e for e in log if e["type"] == "done"]) <= len(opened) + 1
        assert log[-1]["type"] == "done"
    for somebody in somebodies:
        for visitor in somebody.threads:
            if facts.rows("SELECT 1 FROM threads WHERE id = %s", visitor.thread_id):
                assert visitor.say("hello")[-1]["type"] == "done"
    return {
        "accepted": len(accepted),
        "runs": len(runs),
        "approved": len(approved),
        "charged": len(made),
        "in doubt": len(doubted),
        "in doubt and charged": len(doubted & set(made)),
        "pending": len(pending),
    }
