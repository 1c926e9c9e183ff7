"""One run: clients send statements through an engine, calm at first, then in a burst, then calm again."""

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from shop import STATEMENTS, Kind, values
from sqlalchemy import Engine

from sqlthrottle import Decision, StatementAborted

# Three of four innocent clients select and one writes, each this often; and one asks for reports, burst or not.
INNOCENT_CLIENTS, INNOCENT_PERIOD, REPORT_PERIOD = 20, 0.2, 0.25
# In the burst others ask for reports as fast as they are answered; between two of them lies a fast round trip.
BURST_CLIENTS, ROUND_TRIP = 8, 0.005


@dataclass(frozen=True)
class Sample:
    """A statement, when it was due, and when it was answered, in seconds since the start of the run.

    A client that is held up is late with what comes next, and the wait of those statements is counted too.
    """

    kind: Kind
    passed: bool
    due: float
    answered: float


class Run:
    """What the clients of a run share, and what it showed."""

    def __init__(self, engine: Engine, seconds: int) -> None:
        self.engine = engine
        self.seconds = seconds
        self.burst = seconds / 5, seconds * 4 / 5
        self.samples: list[Sample] = []
        self.first_refusal: Decision | None = None
        self._over = threading.Event()
        self._started = time.monotonic()

    def now(self) -> float:
        return time.monotonic() - self._started

    def phase(self, at: float) -> str:
        """Where a time lies, as seen from the burst."""
        begin, end = self.burst
        return "before" if at < begin else "in" if at < end else "after"

    def go(self, watch: Callable[[], None]) -> None:
        """Has the clients send while ``watch`` watches."""
        clients = [threading.Thread(target=self._steady, args=(Kind.REPORT, 0.0, REPORT_PERIOD, 0))]
        for i in range(INNOCENT_CLIENTS):
            kind, start = Kind.WRITE if i % 4 == 3 else Kind.SELECT, INNOCENT_PERIOD * i / INNOCENT_CLIENTS
            clients.append(threading.Thread(target=self._steady, args=(kind, start, INNOCENT_PERIOD, len(clients))))
        for _ in range(BURST_CLIENTS):
            clients.append(threading.Thread(target=self._in_burst, args=(len(clients),)))
        self._started = time.monotonic()
        try:
            for client in clients:
                # Not even one that is delayed keeps who interrupts twice.
                client.daemon = True
                client.start()
            watch()
        finally:
            self._over.set()
            for client in filter(threading.Thread.is_alive, clients):
                client.join()

    def _steady(self, kind: Kind, start: float, period: float, seed: int) -> None:
        """A client that sends at a steady pace, whatever the answers: one that is held up catches up afterwards."""
        random = Random(seed)
        for i in itertools.count():
            due = start + i * period
            if due >= self.seconds or self._over.wait(due - self.now()):
                break
            self._send(kind, due, random)

    def _in_burst(self, seed: int) -> None:
        """A client that takes part in the burst."""
        random = Random(seed)
        begin, end = self.burst
        self._over.wait(begin - self.now())
        while self.now() < end and not self._over.wait(ROUND_TRIP):
            self._send(Kind.REPORT, self.now(), random)

    def _send(self, kind: Kind, due: float, random: Random) -> None:
        """What a service does. Nothing in it asks the throttle: the engine does, and raises in place of a result."""
        passed = True
        try:
            with self.engine.begin() as connection:
                result = connection.execute(STATEMENTS[kind], values(kind, random))
                if result.returns_rows:
                    result.all()
        except StatementAborted as refusal:
            passed = False
            if self.first_refusal is None:
                self.first_refusal = refusal.decision
        self.samples.append(Sample(kind, passed, due, self.now()))
