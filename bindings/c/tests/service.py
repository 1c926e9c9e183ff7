"""The example server and its clients, as tests and benches use them."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "servers"))

from databases import STOP_SECONDS, poll  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "examples")
LIBDIR = os.path.join(os.environ.get("PREFIX", "/usr/local"), os.environ.get("LIBDIR", "lib"))
# How a user of the library finds one that is not where the system looks.
ENVIRONMENT = os.environ | {
    "PKG_CONFIG_PATH": os.path.join(LIBDIR, "pkgconfig"),
    "LD_LIBRARY_PATH": LIBDIR,
    "SQLTHROTTLE_LIBRARY": os.path.join(LIBDIR, "libsqlthrottle.so"),
}
# No client waits for longer, so that a fault of the server is an error of the test and not a hang.
ANSWER_SECONDS = 60


def build(folder):
    """Builds the server into a folder as its users do, and returns its path."""
    command = ["make", "--no-print-directory", "-C", os.path.join(EXAMPLES, "server"), f"BUILD={folder}"]
    done = subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stdout)
    return os.path.join(folder, "sqlthrottle-server")


def build_joined(folder):
    """Builds what, preloaded, has a program fail that ends before its threads have, and returns its path."""
    path = os.path.join(folder, "joined.so")
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["cc", *warnings, "-shared", "-fPIC", "-o", path, os.path.join(HERE, "joined.c"), "-ldl"], check=True)
    return path


@dataclass
class Answer:
    """What a line came to: rows, and the last line's fields."""

    rows: list
    status: list

    @property
    def ok(self):
        return self.status[0] == "OK"

    @property
    def sqlstate(self):
        return self.status[1] if self.status[0] == "ERROR" else None


def unescape(field):
    if field == "\\N":
        return None
    return re.sub(r"\\(.)", lambda escape: {"t": "\t", "n": "\n", "r": "\r"}.get(escape[1], escape[1]), field)


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.lines.close()
        self.socket.close()

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def read_line(self):
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the server has closed the connection")
        return [unescape(field) for field in line.rstrip("\n").split("\t")]

    def receive(self):
        rows = []
        while (fields := self.read_line())[0] == "ROW":
            rows.append(fields[1:])
        return Answer(rows, fields)

    def ask(self, line):
        self.send(line)
        return self.receive()

    def tag(self, name, value):
        answer = self.ask(f"\\tag {name} {value}")
        assert answer.ok, answer
        return self

    def snapshot(self):
        """What the engine has done so far, and its rules by name."""
        snapshot = json.loads(self.ask("\\snapshot").rows[0][0])
        return snapshot | {"by_name": {rule["name"]: rule for rule in snapshot["rules"]}}

    def rule(self, name):
        return self.snapshot()["by_name"][name]


class Service:
    """The server in front of a database: a context manager. It is stopped by its process id, whatever happens within."""

    def __init__(self, binary, database, rules, *options, preload=None):
        self.binary, self.database, self.options = binary, database, options
        self.environment = ENVIRONMENT if preload is None else ENVIRONMENT | {"LD_PRELOAD": preload}
        self.folder = tempfile.TemporaryDirectory(prefix="sqlthrottle-")
        self.rules = "none" if rules is None else os.path.join(self.folder.name, "sqlthrottle.yml")
        if rules is not None:
            self.write_rules(rules)

    def write_rules(self, rules):
        aside = self.rules + ".new"
        with open(aside, "w") as file:
            file.write(rules)
        os.replace(aside, self.rules)

    def __enter__(self):
        self.log = os.path.join(self.folder.name, "log")
        with open(self.log, "w") as log:
            command = [self.binary, "--rules", self.rules, "--database", self.database.url, *self.options]
            self.process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True)
        greeting = self.process.stdout.readline()
        if not greeting.startswith("listening on 127.0.0.1:"):
            self.__exit__()
            raise RuntimeError(f"the server did not start: {greeting}")
        self.port = int(greeting.rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def client(self):
        return Client(self.port)

    def complaints(self):
        """What the server has written to stderr."""
        with open(self.log) as log:
            return log.read()

    def said(self, text):
        return text in self.complaints()

    def reload(self, text):
        """Asks for the rules to be read again, and waits for what the server says of it."""
        self.process.send_signal(signal.SIGUSR1)
        poll(lambda: self.said(text), text)

    def stop(self, seconds=STOP_SECONDS):
        """Asks it to end. Returns its status, and what it says last: its rules by name, as of a snapshot."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended(seconds)

    def ended(self, seconds=STOP_SECONDS):
        said, _ = self.process.communicate(timeout=seconds)
        return self.process.returncode, {rule["name"]: rule for rule in json.loads(said)["rules"]} if said else None
