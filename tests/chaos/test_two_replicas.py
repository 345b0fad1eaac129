"""Two replicas on one database: whichever one is asked, a thread has one story, and an effect happens once."""

import os
import random
import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import httpx
import pytest

from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import (
    Replicas,
    Visitor,
    assert_one_story,
    at_once,
    read_as_a_page,
    side_by_side,
    unsaved,
)
from tests.support.server import until
from tests.support.twin import Event, events_in, of_type

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]

TIMES = int(os.environ.get("CHAOS_TIMES", "15"))
"""How often a race is run; 50 and more for a thorough look."""


def paused(pair: Replicas, count: int) -> list[tuple[Visitor, str]]:
    """Threads with one open question each."""
    visitors = [pair.visitor() for _ in range(count)]

    def pause(number: int) -> str:
        return visitors[number].ask_for_a_charge(500, pair.servers[number % 2])

    questions = side_by_side([lambda n=n: pause(n) for n in range(count)])
    return list(zip(visitors, questions, strict=True))


def test_of_twenty_equal_decisions_one_counts(pair: Replicas) -> None:
    """Twenty times yes at once, spread over both replicas: one 200, nineteen 409, one effect, one charge."""
    for visitor, question in paused(pair, TIMES):
        answers = at_once(
            *[
                partial(visitor.decide, pair.servers[n % 2], approved=True, interrupt_id=question)
                for n in range(20)
            ]
        )

        assert Counter(a.status_code for a in answers) == {200: 1, 409: 19}
        assert {a.json()["code"] for a in answers if a.status_code == 409} == {"already_decided"}
        assert pair.facts.effects(visitor.thread_id) == ["done"]
        assert pair.facts.charged(visitor.thread_id) == 1
        assert pair.facts.runs(visitor.thread_id) == ["interrupted", "success"]
        assert pair.facts.status(visitor.thread_id) == "idle"


def assert_what_is_said_happened(pair: Replicas, visitor: Visitor) -> str:
    """Status, event, tool result, effects and charges all tell of the same outcome, which is returned."""
    thread_id = visitor.thread_id
    [outcome] = pair.facts.approvals(thread_id)
    pair.facts.comes_to_rest(thread_id)
    log = visitor.log()
    assert_one_story(log)
    assert [e["status"] for e in of_type(log, "approval")] == ["pending", outcome]
    assert [e["status"] for e in of_type(log, "interrupt")] == ["pending", outcome]
    ran = outcome == "approved"
    assert pair.facts.effects(thread_id) == ["done"] * ran
    assert pair.facts.charged(thread_id) == ran
    [result] = pair.facts.tool_results(thread_id)
    assert result.startswith("charged") == ran
    [tool] = of_type(log, "tool")[1:]
    assert tool["status"] == ("done" if ran else "declined")
    return outcome


def test_approve_here_against_reject_there(pair: Replicas) -> None:
    """One wins, the other is told who was faster, and what the thread says is what happened."""
    won: Counter[str] = Counter()
    for visitor, question in paused(pair, TIMES):
        ways = [True, False]
        random.shuffle(ways)
        answers = at_once(
            *[
                partial(visitor.decide, at, approved=yes, interrupt_id=question)
                for yes, at in zip(ways, pair.servers, strict=True)
            ]
        )

        assert sorted(a.status_code for a in answers) == [200, 409]
        [winner] = [a.json()["status"] for a in answers if a.status_code == 200]
        assert assert_what_is_said_happened(pair, visitor) == winner
        won[winner] += 1
    print(f"\nwon: {dict(won)}")


def test_decide_here_against_withdraw_there(pair: Replicas) -> None:
    """The owner's yes and the visitor's second thought at once: one wins, and it is what happened."""
    won: Counter[str] = Counter()
    for number, (visitor, question) in enumerate(paused(pair, TIMES)):
        one, other = pair.servers if number % 2 else pair.servers[::-1]
        ways = [
            partial(visitor.decide, one, approved=True, interrupt_id=question),
            partial(visitor.withdraw, question, other),
        ]
        answers = at_once(*(ways if number % 4 < 2 else ways[::-1]))

        assert sorted(a.status_code for a in answers) == [200, 409]
        [winner] = [a.json()["status"] for a in answers if a.status_code == 200]
        assert assert_what_is_said_happened(pair, visitor) == winner
        won[winner] += 1
    print(f"\nwon: {dict(won)}")


def test_decide_against_expiry(pair: Replicas) -> None:
    """A yes around the moment of expiry: it counts or is refused as too late, and never half of each."""
    threads = paused(pair, TIMES)
    # Both replicas sweep once a second: some moments fall before the yes, some after.
    pair.facts.rows(
        "UPDATE approvals SET expires_at = clock_timestamp() + random() * interval '3 s'"
        " WHERE status = 'pending' AND thread_id = ANY(%s)",
        [visitor.thread_id for visitor, _ in threads],
    )

    def decide(number: int) -> httpx.Response:
        visitor, question = threads[number]
        return visitor.decide(pair.servers[number % 2], approved=True, interrupt_id=question)

    # Four at a time take about as long as the moments are spread.
    answers = side_by_side([lambda n=n: decide(n) for n in range(len(threads))], threads=2)

    counted: Counter[str] = Counter()
    for (visitor, _), answer in zip(threads, answers, strict=True):
        until(
            "yes or expiry has settled it",
            lambda v=visitor: pair.facts.approvals(v.thread_id) != ["pending"],
        )
        outcome = assert_what_is_said_happened(pair, visitor)
        if outcome == "approved":
            assert answer.status_code == 200, answer.text
        else:
            assert (answer.status_code, answer.json()["code"]) == (409, "expired")
            assert outcome == "expired"
        counted[outcome] += 1
    print(f"\nwon: {dict(counted)}")


def test_a_double_click_on_reject_is_one_no(pair: Replicas) -> None:
    """One tool result for the model, one notice and one closing answer for the visitor."""
    [(visitor, question)] = paused(pair, 1)

    answers = at_once(
        *[
            lambda at=at: visitor.decide(at, approved=False, interrupt_id=question)
            for at in pair.servers
        ]
    )

    assert sorted(a.status_code for a in answers) == [200, 409]
    assert assert_what_is_said_happened(pair, visitor) == "rejected"
    texts = [e["text"] for e in of_type(visitor.log(), "text")]
    assert sum("personal approval" in text for text in texts) == 1
    assert sum("I was told: " in text for text in texts) == 1
    assert len(pair.facts.runs(visitor.thread_id)) == 2


def test_two_messages_at_once_are_answered_one_after_the_other(pair: Replicas) -> None:
    """The second waits on the other replica while the first runs; nothing of the two is mixed."""
    visitor = pair.visitor()
    first, second = pair.servers
    held = f"two-{visitor.thread_id}"

    def later() -> list[Event]:
        until("the first one runs", lambda: times_reached(pair.folder, held))
        return visitor.say("second", second)

    def opener() -> list[Event]:
        until("the second one waits", lambda: waiting(pair, visitor.thread_id) == 1)
        open_up(pair.folder, held)
        return []

    one, two, _ = at_once(lambda: visitor.say(f"hold {held}", first), later, opener)

    assert read_as_a_page(one) == "Before it. After it."
    assert read_as_a_page(two) == "You said second."
    assert one[-1]["seq"] < two[0]["seq"]
    assert visitor.log(first) == visitor.log(second) == one + two
    said = [m["content"] for m in visitor.view(second)["messages"]]
    assert said == [f"hold {held}", "Before it. After it.", "second", "You said second."]


def waiting(pair: Replicas, thread_id: str) -> int:
    """How many wait for the thread."""
    [(count,)] = pair.facts.rows(
        "SELECT count(*) FROM thread_queue WHERE thread_id = %s", thread_id
    )
    return int(count)


def test_fifty_clients_on_one_thread_go_in_order_of_arrival(pair: Replicas) -> None:
    """Whichever replica they came to."""
    visitor = pair.visitor()
    held = f"many-{visitor.thread_id}"
    numbers = range(50)

    with ThreadPoolExecutor(len(numbers) + 1) as pool:
        pool.submit(visitor.say, f"hold {held}")
        until("the first one runs", lambda: times_reached(pair.folder, held))
        futures = []
        for number in numbers:
            at = pair.servers[number % 2]
            futures.append(pool.submit(visitor.say, f"number {number}", at))
            until(
                "this one has arrived", lambda n=number: waiting(pair, visitor.thread_id) == n + 1
            )
        began = time.monotonic()
        open_up(pair.folder, held)
        answers = [future.result() for future in futures]
    print(f"\nfifty turns of one thread, one after the other: {time.monotonic() - began:.1f} s")

    assert [read_as_a_page(a) for a in answers] == [f"You said number {n}." for n in numbers]
    assert [read_as_a_page(a) for a in sorted(answers, key=lambda a: a[0]["seq"])] == [
        read_as_a_page(a) for a in answers
    ]
    said = [m["content"] for m in visitor.view()["messages"] if m["role"] == "user"]
    assert said[1:] == [f"number {n}" for n in numbers]
    assert_one_story(visitor.log())


def test_a_run_is_followed_live_on_the_other_replica(pair: Replicas) -> None:
    """Every event once, in order, while it runs; and soon."""
    visitor = pair.visitor()
    here, there = pair.servers
    visitor.say("hello", here)
    seen: dict[str, list[tuple[float, Event]]] = {"here": [], "there": []}

    def watch(at: str) -> None:
        server = here if at == "here" else there
        for event in visitor.follow(server):
            seen[at].append((time.monotonic(), event))
            if len(of_type([e for _, e in seen[at]], "done")) == 2:
                return

    def speak() -> None:
        until("both follow", lambda: all(len(events) for events in seen.values()))
        visitor.say("count 40", here)

    at_once(lambda: watch("here"), lambda: watch("there"), speak)

    assert [e for _, e in seen["there"]] == [e for _, e in seen["here"]] == visitor.log(there)
    live = len(seen["here"]) - 43
    late = [
        1000 * (there - here)
        for (here, _), (there, _) in zip(seen["here"], seen["there"], strict=True)
    ][live:]
    print(
        f"\nevents of a run elsewhere: {statistics.median(late):.0f} ms after it (median),"
        f" {max(late):.0f} ms at most, {len(late)} events"
    )
    assert statistics.median(late) < 1000


def test_a_stream_goes_on_at_the_other_replica_after_every_event(pair: Replicas) -> None:
    """While the run is on its way, the reader changes replica after each event: no gap, no repeat."""
    visitor = pair.visitor()
    visitor.say("hello")
    read: list[Event] = []

    def hop() -> None:
        hops = 0
        while len(of_type(read, "done")) < 2:
            at, hops = pair.servers[hops % 2], hops + 1
            stream = visitor.follow(at, after=saved_before(read))
            read.append(next(stream))
            stream.close()

    def saved_before(events: list[Event]) -> int:
        # What was shown here and not saved yet has a test of its own, below.
        last = events[-1]["seq"] if events else 0
        until("it is saved", lambda: pair.facts.thread(visitor.thread_id)["last_seq"] >= last)
        return int(last)

    at_once(hop, lambda: visitor.say("count 10"))
    assert read == visitor.log()


def test_a_cursor_that_is_shown_but_not_saved_yet_is_known(pair: Replicas) -> None:
    """A reader has an event that its replica has not saved yet, and turns to the other one: no repeat."""
    visitor = pair.visitor()
    visitor.say("hello")
    held = f"unsaved-{visitor.thread_id}"
    stream = visitor.hear(f"hold {held}", pair.servers[0])
    next(event for event in stream if event["type"] == "text")
    with unsaved(pair.url, visitor.thread_id) as saving:
        open_up(pair.folder, held)
        last = next(event for event in stream if event["type"] == "text")
        assert last["seq"] > pair.facts.thread(visitor.thread_id)["last_seq"]
        there = visitor.follow(pair.servers[1], after=last["seq"])
        with ThreadPoolExecutor(1) as pool:
            following = pool.submit(next, there)
            with suppress(TimeoutError):
                following.result(0.5)  # wrong at once, or right when it has been saved
            saving.rollback()
    assert following.result()["seq"] > last["seq"]


def test_a_recorded_stream_cut_at_every_byte_goes_on_without_gap_or_repeat(pair: Replicas) -> None:
    """Cut at one replica, taken up at the other one with the last whole event's id: the union is the original."""
    visitor = pair.visitor()
    here, there = pair.servers
    question = visitor.ask_for_a_charge(700, here)
    visitor.decide(there, approved=True, interrupt_id=question, note="Zoë says: één keer, ok?")
    visitor.say("count 5", there)
    visitor.say("hé… „quotes” and 日本", here)
    url = f"{here.url}/api/threads/{visitor.thread_id}/events"
    recorded = visitor.client.get(url, params={"until": "idle"}, headers=visitor.headers).content
    whole = events_in(recorded.decode())
    assert len(whole) > 30

    resumed: dict[int, list[Event]] = {}
    for offset in range(len(recorded) + 1):
        got = read_by_the_standard(recorded[:offset])
        last = got[-1]["seq"] if got else 0
        if last not in resumed:
            resumed[last] = list(visitor.follow(there, after=last, idle=True))
        assert got + resumed[last] == whole, offset
    assert len(resumed) == len(whole) + 1, "it was taken up after every event"
    print(f"\n{len(recorded) + 1} cuts, {len(resumed)} resumes")


def read_by_the_standard(stream: bytes) -> list[Event]:
    """The events of a stream that broke off: one without its blank line does not count."""
    whole, _, _ = stream.rpartition(b"\r\n\r\n")
    return events_in(whole.decode()) if whole else []


def test_cancel_here_stops_a_run_there(pair: Replicas) -> None:
    """The run ends as cancelled, what was shown is kept, and the thread goes on."""
    visitor = pair.visitor()
    here, there = pair.servers
    held = f"never-{visitor.thread_id}"
    stream = visitor.hear(f"hold {held}", here)
    heard = [next(event for event in stream if event["type"] == "text")]

    asked = time.monotonic()
    assert visitor.cancel(there) is True
    heard += list(stream)
    took = time.monotonic() - asked

    assert [e["outcome"] for e in of_type(heard, "meta")] == ["cancelled"]
    assert heard[-1]["type"] == "done"
    assert pair.facts.runs(visitor.thread_id) == ["cancelled"]
    assert visitor.view(there)["messages"][-1] | {"created_at": ""} == {
        "role": "assistant",
        "content": "Before it.",
        "created_at": "",
        "partial": True,
    }
    assert read_as_a_page(visitor.say("go on", there)) == "You said go on."
    print(
        f"\na run elsewhere is cancelled after {took:.2f} s (a third of the lease is {4 / 3:.2f} s)"
    )
