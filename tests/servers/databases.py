"""Database servers of their own for tests and benches: on loopback, on a free port, in a temporary folder.

Each is a context manager. It is stopped by its own process id, whatever happens within.
"""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_SECONDS = 120
STOP_SECONDS = 60


def poll(condition, what, seconds=60):
    """Asks for a condition until it holds, and returns what it says; fails when it has not after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not after {seconds} s")
        time.sleep(0.01)
    return answer


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name, *folders):
    """The path of a program: on the PATH, or in one of the folders, whose names may have wildcards; the newest of several."""
    found = sorted(path for folder in folders for path in glob.glob(f"{folder}/{name}"))
    path = found[-1] if found else shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed")
    return path


class Database:
    """What the two servers have in common."""

    # Said by subclasses: what the log says once it serves, and who it may run as where this is root, which it refuses to.
    ready = b""
    accounts = ()

    def __init__(self, connections=100):
        self.connections = connections
        self.process = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sqlthrottle-")
        try:
            self.account = None
            if os.getuid() == 0:
                self.account = next(name for name in self.accounts if name in {entry.pw_name for entry in pwd.getpwall()})
                shutil.chown(self.folder, self.account)
            self.log = os.path.join(self.folder, "log")
            self.create()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command):
        """Runs a program that prepares the server, as the server is run."""
        done = subprocess.run(command, cwd=self.folder, user=self.account, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")

    def start(self):
        # Another program may take the port meanwhile: then again with another one.
        for _ in range(5):
            self.port = free_port()
            with open(self.log, "wb") as log:
                command = self.command()
                self.process = subprocess.Popen(command, cwd=self.folder, user=self.account, stdout=log, stderr=log)
            poll(lambda: self.is_ready() or self.process.poll() is not None, f"{command[0]} serves", START_SECONDS)
            if self.process.poll() is None:
                return
        with open(self.log, errors="replace") as log:
            raise RuntimeError(log.read())

    def is_ready(self):
        with open(self.log, "rb") as log:
            return self.ready in log.read()

    @property
    def url(self):
        return f"{self.name}://throttle@127.0.0.1:{self.port}/{self.database}"


class PostgreSQL(Database):
    name = "postgresql"
    database = "postgres"
    folders = ("/usr/lib/postgresql/*/bin",)
    accounts = ("postgres", "nobody")
    ready = b"ready to accept connections"
    # Does not wait for clients to go.
    stop_signal = signal.SIGINT

    def create(self):
        initdb = program("initdb", *self.folders)
        self.run(initdb, "-D", "data", "-U", "throttle", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def command(self):
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": self.connections,
            "max_prepared_transactions": self.connections,
            "fsync": "off",
            "jit": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [program("postgres", *self.folders), "-D", os.path.join(self.folder, "data"), *options]


class MariaDB(Database):
    name = "mariadb"
    database = "throttle"
    folders = ("/usr/sbin", "/usr/local/sbin")
    accounts = ("mysql", "nobody")
    ready = b"ready for connections"
    stop_signal = signal.SIGTERM

    def create(self):
        install = program("mariadb-install-db")
        self.run(
            install,
            "--no-defaults",
            f"--datadir={self.folder}/data",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        )
        with open(os.path.join(self.folder, "init.sql"), "w") as init:
            init.write("create database if not exists throttle;\n")
            init.write("create user if not exists throttle@'127.0.0.1';\n")
            init.write("grant all on `throttle%`.* to throttle@'127.0.0.1';\n")

    def command(self):
        options = {
            "datadir": f"{self.folder}/data",
            "bind-address": "127.0.0.1",
            "port": self.port,
            "socket": f"{self.folder}/socket",
            "pid-file": f"{self.folder}/pid",
            "init-file": f"{self.folder}/init.sql",
            "max-connections": self.connections,
            "back-log": 1024,
            "innodb-flush-log-at-trx-commit": 0,
            # No look-up of a client's name, which would be another one than the account above has.
            "skip-name-resolve": 1,
        }
        return [program("mariadbd", *self.folders), "--no-defaults", *(f"--{name}={value}" for name, value in options.items())]
