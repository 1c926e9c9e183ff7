"""Runs a command while database servers of its own serve, and tells it where: `run.py postgresql mariadb -- COMMAND…`.

The command finds `SQLTHROTTLE_POSTGRESQL_URL` and the like in its environment, `postgresql://user@host:port/database`. The servers
end with it, and its status is that of this program.
"""

import contextlib
import os
import signal
import subprocess
import sys

from databases import MariaDB, PostgreSQL

DATABASES = {database.name: database for database in (PostgreSQL, MariaDB)}


def main():
    if "--" not in sys.argv or not sys.argv[sys.argv.index("--") + 1 :]:
        sys.exit(f"usage: run.py [{'] ['.join(DATABASES)}] -- COMMAND…")
    divide = sys.argv.index("--")
    names, command = sys.argv[1:divide], sys.argv[divide + 1 :]
    for name in names:
        if name not in DATABASES:
            sys.exit(f"{name} is none of {', '.join(DATABASES)}")
    # To be told to end is to end the command and the servers, in that order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with contextlib.ExitStack() as servers:
        environment = dict(os.environ)
        for name in names:
            environment[f"SQLTHROTTLE_{name.upper()}_URL"] = servers.enter_context(DATABASES[name]()).url
        process = subprocess.Popen(command, env=environment)
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
