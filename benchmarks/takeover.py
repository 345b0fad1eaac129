"""How long a thread waits for somebody else when the process that holds it is killed, or freezes.

    python -m benchmarks.takeover DATABASE_URL [--times 10] [--lease 1 2 10]

From the signal until another replica holds the thread, against the length of a lease. Two replicas on a migrated,
empty database. The holder renews three times a lease, the others look four times: a takeover is to be expected
between two thirds of a lease and one and a quarter.
"""

import argparse
import signal
import statistics
import tempfile
import threading
import time
from pathlib import Path

from tests.chaos.obedient import open_up
from tests.chaos.replicas import Replicas, read_as_a_page, replicas
from tests.support.server import until


def takeover(pair: Replicas, number: int, how: signal.Signals) -> float:
    """Seconds from the signal to the takeover; afterwards all is as before."""
    here, there = pair.servers
    visitor = pair.visitor()
    held = f"{how.name}-{number}-{visitor.thread_id}"
    shown = threading.Event()

    def listen() -> None:
        for event in visitor.hear(f"hold {held}", here):
            if event["type"] == "text":
                shown.set()

    listener = threading.Thread(target=listen)
    listener.start()
    assert shown.wait(30)
    fence = pair.facts.thread(visitor.thread_id)["fence"]
    here.signal(how)
    began = time.monotonic()
    until("the other one has it", lambda: pair.facts.thread(visitor.thread_id)["fence"] > fence)
    took = time.monotonic() - began
    open_up(pair.folder, held)
    pair.facts.comes_to_rest(visitor.thread_id)
    if how == signal.SIGSTOP:
        here.signal(signal.SIGCONT)
    else:
        assert here.process is not None
        here.process.wait(30)
        here.start()
    listener.join()
    assert read_as_a_page(visitor.log(there)) == "Before it. After it."
    return took


def main() -> None:
    """Prints the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("url", help="an empty, migrated database")
    arguments.add_argument("--times", type=int, default=10)
    arguments.add_argument("--lease", type=int, nargs="+", default=[1, 2, 10])
    given = arguments.parse_args()
    print("| lease | fault | least | median | most | median / lease |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for lease in given.lease:
        with (
            tempfile.TemporaryDirectory() as folder,
            replicas(Path(folder), given.url, given.url, LEASE_S=str(lease)) as pair,
        ):
            for name, how in (
                ("killed (SIGKILL)", signal.SIGKILL),
                ("frozen (SIGSTOP)", signal.SIGSTOP),
            ):
                took = [takeover(pair, number, how) for number in range(given.times)]
                middle = statistics.median(took)
                print(
                    f"| {lease} s | {name} | {min(took):.2f} s | {middle:.2f} s | {max(took):.2f} s"
                    f" | {middle / lease:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
